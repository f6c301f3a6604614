#include "deft/tools/worktree.h"

#include <utility>

#include "deft/os/files.h"

namespace deft {
namespace {

bool is_trusted(const ToolIo& io) { return io.permissions && io.permissions->setup().trusted; }

std::string project_of(const ToolIo& io) {
  const auto& directories = io.session.directories();
  return directories.empty() ? std::string(io.session.working_directory()) : directories.front();
}

bool is_gone(const WorktreeStay& stay, const Os& os) {
  const auto status = os.files.status(stay.path);
  return status && status->kind == FileKind::missing;
}

Result<WorktreeStay> stay_by_hook(const Result<std::string>& made, const std::string& directory, const Os& os) {
  if (!made) return std::unexpected(made.error());
  const auto canonical = made->starts_with('/') ? os.files.canonical(*made) : Result<std::string>("");
  const auto status = canonical && !canonical->empty() ? os.files.status(*canonical) : Result<FileStatus>(FileStatus{});
  if (!status || status->kind != FileKind::directory) {
    return fail(Errc::failed, "The WorktreeCreate hook gave " + json_quote(*made) +
                                  ", which is no folder. Its last line must be the absolute path of the worktree.");
  }
  return WorktreeStay{.path = *canonical, .from = directory, .is_made_here = true, .is_by_hook = true};
}

class EnterWorktreeTool final : public Tool {
 public:
  explicit EnterWorktreeTool(WorktreeToolOptions options) : options_(std::move(options)) {}

  const ToolSpec& spec() const override { return spec_; }
  std::optional<Footprint> footprint(const Json&, const SessionView&) const override { return Footprint::everything(); }

  Result<void> validate(const Json& input, ToolIo& io) const override {
    if (io.session.worktree()) {
      return fail(Errc::invalid_input, "The session is in the worktree " + io.session.worktree()->path +
                                           " already: call ExitWorktree first.");
    }
    const auto name = find_string(input, "name");
    if (name && find_string(input, "path")) {
      return fail(Errc::invalid_input, "Give a name for a new worktree or the path of one that exists, not both.");
    }
    return name ? check_worktree_name(*name) : Result<void>();
  }

  Result<ToolResult> run(const Json& input, ToolIo& io) override {
    auto stay = stay_of(input, io);
    if (!stay) return std::unexpected(stay.error());
    std::string message = "The session works in the worktree " + stay->path +
                          (stay->branch.empty() ? "" : " on the branch " + stay->branch) + " now. Paths of " +
                          stay->from + " are those of another checkout: leave them alone. ExitWorktree leads back.";
    JsonObject details{{"worktreePath", stay->path}, {"message", message}};
    if (!stay->branch.empty()) details["worktreeBranch"] = stay->branch;
    ToolResult result{.text = std::move(message), .details = std::move(details)};
    result.modifiers.emplace_back(WorktreeChanged{*std::move(stay)});
    return result;
  }

 private:
  Result<WorktreeStay> stay_of(const Json& input, ToolIo& io) const {
    if (const auto path = find_string(input, "path"))
      return existing_worktree(project_of(io), std::string(*path), io.os);
    const auto name = find_string(input, "name");
    return new_worktree(options_, project_of(io), name ? std::string(*name) : random_worktree_name(), is_trusted(io),
                        io.os, io.stop);
  }

  WorktreeToolOptions options_;
  const ToolSpec spec_{
      .name = "EnterWorktree",
      .description =
          "Makes a git worktree (another checkout of the repository, with a branch of its own) and goes on with the "
          "session "
          "there, so that the user's own checkout stays as it is. Only when the user asks for a worktree, or the "
          "project's instructions do; not for ordinary branches. With `path`, enters one that exists. ExitWorktree "
          "leads back.",
      .input_schema =
          JsonObject{{"type", "object"},
                     {"properties",
                      {{"name",
                        {{"type", "string"},
                         {"maxLength", kWorktreeNameBytesMax},
                         {"description", "For a new one: letters, digits, '.', '_', '-'. Left out: one is made up."}}},
                       {"path", {{"type", "string"}, {"description", "Of one that exists, instead of a name."}}}}},
                     {"additionalProperties", false}},
      .search_hint = "git checkout isolated parallel branch",
      .should_defer = true,
      .path_fields = {"path"}};
};

class ExitWorktreeTool final : public Tool {
 public:
  explicit ExitWorktreeTool(WorktreeToolOptions options) : options_(std::move(options)) {}

  const ToolSpec& spec() const override { return spec_; }
  std::optional<Footprint> footprint(const Json&, const SessionView&) const override { return Footprint::everything(); }
  bool is_session_only(const Json& input) const override { return !removes(input); }
  bool is_destructive(const Json& input) const override { return discards(input); }

  // Removing what nothing is lost by is what the tool itself sees to.
  std::optional<OwnVerdict> check_permission(const Json& input, const SessionView& session) const override {
    if (discards(input)) return OwnVerdict{Verdict::ask, "work that is nowhere else would be lost"};
    const auto stay = session.worktree();
    if (removes(input) && stay && stay->is_made_here && !stay->is_by_hook) {
      return OwnVerdict{Verdict::allow, "this session made it, and nothing is lost"};
    }
    return std::nullopt;
  }

  Result<void> validate(const Json& input, ToolIo& io) const override {
    const auto stay = io.session.worktree();
    if (!stay) return fail(Errc::invalid_input, "The session is in no worktree: there is nothing to leave.");
    if (removes(input) && !stay->is_made_here) {
      return fail(
          Errc::invalid_input,
          stay->path + " was there before this session: leave it with action keep. Whoever made it may remove it.");
    }
    return {};
  }

  Result<ToolResult> run(const Json& input, ToolIo& io) override {
    const WorktreeStay stay = *io.session.worktree();
    std::string message;
    if (removes(input)) {
      if (auto removed = remove(stay, discards(input), io); !removed) return std::unexpected(removed.error());
      message = "The worktree " + stay.path + " is gone" +
                (stay.branch.empty() ? "" : ", and its branch " + stay.branch) + ". ";
    } else {
      message = "The worktree " + stay.path + " is kept" +
                (stay.branch.empty() ? "" : ", on the branch " + stay.branch) + ". ";
    }
    message += "The session works in " + stay.from + " again.";
    JsonObject details{{"action", removes(input) ? "remove" : "keep"},
                       {"originalCwd", stay.from},
                       {"worktreePath", stay.path},
                       {"message", message}};
    if (!stay.branch.empty()) details["worktreeBranch"] = stay.branch;
    ToolResult result{.text = std::move(message), .details = std::move(details)};
    result.modifiers.emplace_back(WorktreeChanged{std::nullopt});
    return result;
  }

 private:
  static bool removes(const Json& input) { return find_string(input, "action") == "remove"; }
  static bool discards(const Json& input) {
    return removes(input) && find_bool(input, "discard_changes").value_or(false);
  }

  Result<void> remove(const WorktreeStay& stay, bool discards_changes, ToolIo& io) const {
    if (discards_changes && !stay.is_by_hook && !is_gone(stay, io.os)) {
      return remove_worktree(stay, is_trusted(io), options_.git, io.os, io.stop);
    }
    auto ended = end_worktree(options_, stay, is_trusted(io), io.os, io.stop);
    if (ended || ended.error().code != Errc::invalid_input) return ended;
    return fail(Errc::invalid_input,
                ended.error().message +
                    ". Commit or merge that first, keep the worktree (action keep), or, only if the user "
                    "says so, set discard_changes.");
  }

  WorktreeToolOptions options_;
  const ToolSpec spec_{
      .name = "ExitWorktree",
      .description =
          "Leaves the worktree that EnterWorktree led to; the session goes on where it was before. `keep` leaves the "
          "worktree and its branch there. `remove` deletes both, and refuses if uncommitted changes, commits that "
          "are nowhere else or files that git ignores (local settings, what was built) would be lost; set "
          "discard_changes only after the user has agreed to lose them.",
      .input_schema =
          JsonObject{{"type", "object"},
                     {"properties",
                      {{"action", {{"type", "string"}, {"enum", {"keep", "remove"}}}},
                       {"discard_changes", {{"type", "boolean"}, {"description", "Remove it whatever is lost."}}}}},
                     {"required", {"action"}},
                     {"additionalProperties", false}},
      .search_hint = "git leave checkout back",
      .should_defer = true};
};

}  // namespace

Result<WorktreeStay> new_worktree(const WorktreeToolOptions& options, const std::string& directory,
                                  const std::string& name, bool trusted, Os os, std::stop_token stop) {
  if (options.create_by_hook) {
    if (const auto made = options.create_by_hook(name, stop)) return stay_by_hook(*made, directory, os);
  }
  return make_worktree(directory, name, trusted, options.git, os, std::move(stop));
}

Result<void> end_worktree(const WorktreeToolOptions& options, const WorktreeStay& stay, bool trusted, Os os,
                          std::stop_token stop) {
  if (is_gone(stay, os)) return {};  // somebody else was quicker
  if (stay.is_by_hook) {
    if (!options.remove_by_hook) {
      return fail(Errc::unsupported, "No WorktreeRemove hook is there to remove it: leave it with action keep.");
    }
    return options.remove_by_hook(stay.path, std::move(stop));
  }
  const auto loss = worktree_loss(stay, trusted, options.git, os, stop);
  if (!loss) return std::unexpected(loss.error());
  if (!loss->empty()) return fail(Errc::invalid_input, "Removing the worktree would lose " + loss->text());
  return remove_worktree(stay, trusted, options.git, os, std::move(stop));
}

std::shared_ptr<Tool> make_enter_worktree_tool(WorktreeToolOptions options) {
  return std::make_shared<EnterWorktreeTool>(std::move(options));
}
std::shared_ptr<Tool> make_exit_worktree_tool(WorktreeToolOptions options) {
  return std::make_shared<ExitWorktreeTool>(std::move(options));
}

}  // namespace deft
