#include "deft/core/session_permissions.h"

#include <gtest/gtest.h>

namespace deft {
namespace {

PermissionRules rules(std::vector<std::string> allow, std::vector<std::string> deny = {}) {
  PermissionRules made;
  for (const std::string& text : allow) made.allow.push_back(read_rule(text));
  for (const std::string& text : deny) made.deny.push_back(read_rule(text));
  return made;
}

SessionState session_in(std::string directory) {
  SessionState state;
  state.working_directory = directory;
  state.directories = {std::move(directory), "/extra"};
  return state;
}

Verdict verdict(const PermissionSetup& setup, std::string tool, std::string path, bool read_only) {
  const Json input = JsonObject{{"file_path", path}};
  return Permissions(setup)
      .decide({.tool = std::move(tool),
               .input = &input,
               .read_only = read_only,
               .edits_files = !read_only,
               .paths = {path},
               .all_paths_known = true})
      .verdict;
}

const PermissionSetup kSetup{.sources = {{.rules = rules({"Edit(/src/**)"}, {"Read(./secret/**)", "Read(/keys/**)"}),
                                          .source = SettingSource::project,
                                          .root = "/p"}},
                             .directory = "/p",
                             .directories = {"/p", "/extra"}};

TEST(SessionPermissions, AGrantCountsUntilTheTurnEndsAndNoLonger) {
  SessionState state = session_in("/p");
  const TurnGrant grant{.origin = "the skill x", .rules = rules({"Edit"}, {"WebFetch"})};
  state.apply(grant);
  EXPECT_FALSE(follows_session(kSetup, SessionView(state, {})));
  const PermissionSetup granted = with_session_state(kSetup, SessionView(state, {}));
  EXPECT_TRUE(follows_session(granted, SessionView(state, {})));
  EXPECT_EQ(verdict(kSetup, "Edit", "/p/a", false), Verdict::ask);
  EXPECT_EQ(verdict(granted, "Edit", "/p/a", false), Verdict::allow);
  EXPECT_TRUE(Permissions(granted).forbids_wholly("WebFetch", {}));
  state.grants.clear();
  const PermissionSetup after = with_session_state(granted, SessionView(state, {}));
  EXPECT_EQ(verdict(after, "Edit", "/p/a", false), Verdict::ask);
}

TEST(SessionPermissions, AGrantOfAnEarlierCallIsSeenBeforeItIsSettled) {
  const SessionState state = session_in("/p");
  const SessionView view(state, {TurnGrant{.origin = "x", .rules = rules({"Edit"})}});
  EXPECT_FALSE(follows_session(kSetup, view));
  EXPECT_EQ(verdict(with_session_state(kSetup, view), "Edit", "/p/a", false), Verdict::allow);
}

TEST(SessionPermissions, AGrantNeverLiftsADenial) {
  SessionState state = session_in("/p");
  state.apply(TurnGrant{.origin = "x", .rules = rules({"Read", "Edit"})});
  const PermissionSetup granted = with_session_state(kSetup, SessionView(state, {}));
  EXPECT_EQ(verdict(granted, "Read", "/p/keys/a", true), Verdict::deny);
  PermissionSetup managed = granted;
  managed.only_managed_rules = true;
  EXPECT_EQ(verdict(managed, "Edit", "/p/a", false), Verdict::ask);
}

TEST(SessionPermissions, InAWorktreeWhatIsSaidOfTheProjectIsSaidOfBoth) {
  SessionState state = session_in("/p");
  state.apply(WorktreeChanged{WorktreeStay{.path = "/p/.deft/worktrees/w", .from = "/p"}});
  EXPECT_EQ(state.working_directory, "/p/.deft/worktrees/w");
  EXPECT_EQ(state.directories, (std::vector<std::string>{"/p/.deft/worktrees/w", "/extra"}));
  const PermissionSetup moved = with_session_state(kSetup, SessionView(state, {}));
  EXPECT_TRUE(follows_session(moved, SessionView(state, {})));
  EXPECT_EQ(verdict(moved, "Read", "/p/.deft/worktrees/w/a", true), Verdict::allow);
  EXPECT_EQ(verdict(moved, "Read", "/p/a", true), Verdict::allow);
  EXPECT_EQ(verdict(moved, "Read", "/elsewhere", true), Verdict::ask);
  EXPECT_EQ(verdict(moved, "Edit", "/p/.deft/worktrees/w/src/a", false), Verdict::allow);
  for (const char* place : {"/p", "/p/.deft/worktrees/w"}) {
    EXPECT_EQ(verdict(moved, "Read", std::string(place) + "/secret/a", true), Verdict::deny) << place;
    EXPECT_EQ(verdict(moved, "Read", std::string(place) + "/keys/a", true), Verdict::deny) << place;
  }
}

TEST(SessionPermissions, InAWorktreeEditsOfTheOtherCheckoutAreNotAccepted) {
  SessionState state = session_in("/p");
  state.mode.now = Mode::accept_edits;
  state.apply(WorktreeChanged{WorktreeStay{.path = "/w", .from = "/p"}});
  const PermissionSetup moved = with_session_state(kSetup, SessionView(state, {}));
  EXPECT_EQ(verdict(moved, "Edit", "/w/a", false), Verdict::allow);
  EXPECT_EQ(verdict(moved, "Edit", "/p/a", false), Verdict::ask);
}

TEST(SessionPermissions, BackFromAWorktreeEverythingIsAsBefore) {
  SessionState state = session_in("/p");
  state.apply(WorktreeChanged{WorktreeStay{.path = "/w", .from = "/p"}});
  const PermissionSetup moved = with_session_state(kSetup, SessionView(state, {}));
  state.apply(WorktreeChanged{std::nullopt});
  EXPECT_EQ(state.working_directory, "/p");
  EXPECT_EQ(state.directories, (std::vector<std::string>{"/p", "/extra"}));
  const PermissionSetup back = with_session_state(moved, SessionView(state, {}));
  EXPECT_EQ(back.directory, "/p");
  EXPECT_EQ(back.directories, kSetup.directories);
  EXPECT_TRUE(back.readable.empty());
  EXPECT_EQ(verdict(back, "Read", "/w/a", true), Verdict::ask);
}

TEST(SessionPermissions, AViewKnowsTheWorktreeThatAnEarlierCallHasEntered) {
  const SessionState state = session_in("/p");
  const SessionView view(state, {WorktreeChanged{WorktreeStay{.path = "/w", .from = "/p"}}});
  EXPECT_EQ(view.working_directory(), "/w");
  EXPECT_EQ(view.directories().front(), "/w");
  EXPECT_EQ(view.worktree()->from, "/p");
}

}  // namespace
}  // namespace deft
