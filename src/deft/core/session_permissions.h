#pragma once

#include "deft/core/permission.h"
#include "deft/core/session_state.h"

// Permissions follow the session: its mode, what skills grant until the turn ends, the worktree that it works in.

namespace deft {

// Do they say already what the session wants?
bool follows_session(const PermissionSetup& setup, const SessionView& session);
PermissionSetup with_session_state(PermissionSetup setup, const SessionView& session);
// As they are in that worktree, whoever works there.
PermissionSetup in_worktree(PermissionSetup setup, const WorktreeStay& stay);
// As those have them who work for this session: what a skill allows and forbids for the turn counts for them too.
PermissionSetup inherited(PermissionSetup setup);
// With what one skill allows and forbids.
PermissionSetup with_turn_grant(PermissionSetup setup, const TurnGrant& grant);

}  // namespace deft
