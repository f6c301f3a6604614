#include "deft/core/session_permissions.h"

#include <algorithm>
#include <utility>

namespace deft {
namespace {

std::string worktree_of(const SessionView& session) {
  const auto stay = session.worktree();
  return stay ? stay->path : "";
}

std::string worktree_of(const PermissionSetup& setup) { return setup.moved_from.empty() ? "" : setup.directory; }

bool has_grants(const PermissionSetup& setup, const std::vector<MeaningGrant>& grants) {
  return std::ranges::all_of(grants, [&](const MeaningGrant& grant) {
    return std::ranges::find(setup.meanings, grant) != setup.meanings.end();
  });
}

void go_back(PermissionSetup& setup) {
  if (setup.moved_from.empty()) return;
  std::ranges::replace(setup.directories, setup.directory, setup.moved_from);
  std::erase(setup.readable, setup.moved_from);
  setup.directory = std::exchange(setup.moved_from, "");
}

}  // namespace

PermissionSetup in_worktree(PermissionSetup setup, const WorktreeStay& stay) {
  go_back(setup);
  // Patterns are about the place where it all began, also for whoever goes on from one worktree to another.
  setup.moved_from = std::exchange(setup.directory, stay.path);
  std::ranges::replace(setup.directories, setup.moved_from, stay.path);
  setup.readable.push_back(setup.moved_from);
  return setup;
}

// Grants only come, until all of them go: their number tells.
bool follows_session(const PermissionSetup& setup, const SessionView& session) {
  return setup.mode == session.mode() && setup.turn_sources.size() == session.grants().size() &&
         worktree_of(setup) == worktree_of(session) && has_grants(setup, session.meanings());
}

PermissionSetup with_session_state(PermissionSetup setup, const SessionView& session) {
  setup.mode = session.mode();
  add_grants(setup.meanings, session.meanings());
  setup.turn_sources.clear();
  for (const TurnGrant& grant : session.grants()) setup = with_turn_grant(std::move(setup), grant);
  if (const auto stay = session.worktree()) return in_worktree(std::move(setup), *stay);
  go_back(setup);
  return setup;
}

PermissionSetup inherited(PermissionSetup setup) {
  for (PermissionSource& source : std::exchange(setup.turn_sources, {})) setup.sources.push_back(std::move(source));
  return setup;
}

PermissionSetup with_turn_grant(PermissionSetup setup, const TurnGrant& grant) {
  setup.turn_sources.push_back({.rules = grant.rules, .source = SettingSource::session, .origin = grant.origin});
  return setup;
}

}  // namespace deft
