#include "deft/tools/apply_patch.h"

#include <algorithm>
#include <array>
#include <map>
#include <utility>

#include "deft/base/path.h"
#include "deft/base/text.h"
#include "deft/core/apply_patch.h"
#include "deft/core/notebook.h"
#include "deft/tools/file_change_tool.h"
#include "deft/tools/file_steps.h"

// A patch is planned wholly, file by file, before anything is changed; planned once to validate the call and once more
// to run it, as Edit does. A file that is moved is two steps: the new one is made, then the old one is removed.

namespace deft {
namespace {

constexpr std::size_t kPatchedBytesMax = std::size_t{128} << 20;  // of all files together
constexpr std::size_t kProblemsNamedMax = 5;
constexpr std::size_t kPathsShownMax = 3;

constexpr std::string_view kDescription =
    "Changes files by a patch: all of its files, or, if anything does not fit, none.\n"
    "*** Begin Patch\n"
    "*** Add File: path\n"
    "+every line of the new file\n"
    "*** Update File: path\n"
    "*** Move to: new/path\n"
    "@@ a line above the change, where it is needed to tell places apart\n"
    " a line that stays\n"
    "-a line that goes\n"
    "+a line that comes\n"
    "*** Delete File: path\n"
    "*** End Patch\n"
    "- A file that is updated or deleted must have been read in this session, at least the lines that change, and be "
    "unchanged since.\n"
    "- Give about three lines that stay before and after each change. They must be in one place of the file only; "
    "where "
    "they are not, name a line above with @@ (a class, a function), also several, each on its own line.\n"
    "- Changes of a file stand in their order, below one header: a file is named once. *** Move to is for renaming. "
    "*** End of File behind a change says that it is at the end of the file.\n"
    "- Paths are relative to the working directory, or absolute.";

std::string_view patch_of(const Json& input) { return find_string(input, "input").value_or(""); }

// What the patch does to one file.
struct PlannedFile {
  FilePatch::Kind kind = FilePatch::Kind::update;
  std::string path;      // absolute, for people
  std::string moved_to;  // absolute; empty: it stays
  std::vector<std::size_t> steps = {};
  AppliedEdit edit = {};
  bool whole_was_seen = true;
  std::vector<LineRange> lines_seen = {};
};

struct Plan {
  std::vector<FileStep> steps;
  std::vector<PlannedFile> files;
};

class Planning {
 public:
  explicit Planning(ToolIo& io) : io_(io) {}

  Result<Plan> make(const std::vector<FilePatch>& patches) {
    std::vector<std::string> problems;
    std::optional<Errc> code;
    for (const FilePatch& patch : patches) {
      auto planned = plan(patch);
      if (planned && bytes_ > kPatchedBytesMax) {
        planned = fail(Errc::limit, "The files of the patch are larger than " + human_bytes(kPatchedBytesMax) +
                                        " together: send several patches.");
      }
      if (planned) continue;
      if (!code) code = planned.error().code;
      problems.push_back(planned.error().message);
      if (*code == Errc::limit) break;
    }
    if (!code) return std::move(plan_);
    const std::size_t count = problems.size();
    if (count > kProblemsNamedMax) {
      problems.resize(kProblemsNamedMax);
      problems.push_back("And " + std::to_string(count - kProblemsNamedMax) + " more files do not fit.");
    }
    return fail(*code, join(problems, "\n") + (count > 1 || patches.size() > 1 ? "\nNo file was changed." : ""));
  }

 private:
  std::string absolute(const std::string& path) const { return absolute_path(path, io_.session.working_directory()); }

  Result<void> plan(const FilePatch& patch) {
    PlannedFile file{.kind = patch.kind, .path = absolute(patch.path), .moved_to = {}};
    if (patch.kind == FilePatch::Kind::add) return plan_new(patch, std::move(file));
    auto target = open_for_change(file.path, io_);
    if (!target) return std::unexpected(target.error());
    bytes_ += target->file.content.bytes.size();
    if (auto first = claim(target->file.path, patch.path); !first) return first;
    if (patch.kind == FilePatch::Kind::remove) {
      file.edit.old_text = target->file.content.bytes;
      add_step(file, {.path = target->file.path, .target = std::move(*target), .bytes = std::nullopt});
      plan_.files.push_back(std::move(file));
      return {};
    }
    return plan_update(patch, std::move(file), std::move(*target));
  }

  Result<void> plan_new(const FilePatch& patch, PlannedFile file) {
    auto place = find_place(file.path, io_);
    if (!place) return std::unexpected(place.error());
    if (place->exists) {
      return fail(Errc::invalid_input, patch.path + " exists already: change it with *** Update File.");
    }
    if (auto first = claim(place->path, patch.path); !first) return first;
    bytes_ += patch.content.size();
    file.edit.bytes = file.edit.new_text = patch.content;
    add_step(file, {.path = std::move(place->path), .target = std::nullopt, .bytes = patch.content});
    plan_.files.push_back(std::move(file));
    return {};
  }

  Result<void> plan_update(const FilePatch& patch, PlannedFile file, FileToChange target) {
    const std::string& bytes = target.file.content.bytes;
    if (has_notebook_name(target.file.path) && !patch.chunks.empty() && parse_notebook(bytes)) {
      return fail(Errc::unsupported, patch.path + " is a notebook: change its cells with NotebookEdit.");
    }
    if (patch.chunks.empty()) {  // only moved, whatever is in it
      file.edit.bytes = bytes;
    } else {
      auto edit = apply_chunks(bytes, patch.chunks);
      if (!edit) return fail(edit.error().code, patch.path + ": " + edit.error().message);
      if (edit->bytes == bytes && patch.move_to.empty()) {
        return fail(Errc::invalid_input, "The patch leaves " + patch.path + " as it is: there is nothing to change.");
      }
      file.edit = std::move(*edit);
    }
    if (auto shown = check_lines_were_shown(patch.path, target.seen, file.edit.replaced); !shown) return shown;
    file.whole_was_seen = target.seen.whole;
    if (!file.whole_was_seen) file.lines_seen = move_ranges(target.seen.lines, file.edit.changes);
    bytes_ += file.edit.bytes.size();

    std::string moved_to = patch.move_to.empty() ? "" : absolute(patch.move_to);
    if (!moved_to.empty()) {
      auto place = find_place(moved_to, io_);
      if (!place) return std::unexpected(place.error());
      if (place->path != target.file.path) {
        if (place->exists) return fail(Errc::invalid_input, patch.move_to + " exists already: nothing is moved there.");
        if (auto first = claim(place->path, patch.move_to); !first) return first;
        file.moved_to = std::move(moved_to);
        add_step(file, {.path = std::move(place->path),
                        .target = std::nullopt,
                        .bytes = file.edit.bytes,
                        .mode = target.file.content.status.mode});
        add_step(file, {.path = target.file.path, .target = std::move(target), .bytes = std::nullopt});
        plan_.files.push_back(std::move(file));
        return {};
      }
    }
    add_step(file, {.path = target.file.path, .target = std::move(target), .bytes = file.edit.bytes});
    plan_.files.push_back(std::move(file));
    return {};
  }

  void add_step(PlannedFile& file, FileStep step) {
    file.steps.push_back(plan_.steps.size());
    plan_.steps.push_back(std::move(step));
  }

  // A path is meant once: what two changes of it together mean, nobody could say.
  Result<void> claim(const std::string& canonical, const std::string& written) {
    const auto [place, is_first] = claimed_.emplace(canonical, written);
    if (is_first) return {};
    return fail(Errc::invalid_input, "The patch names " + written + " twice" +
                                         (place->second == written ? "" : " (as " + place->second + " too)") +
                                         ": put all its changes below one header.");
  }

  ToolIo& io_;
  Plan plan_;
  std::map<std::string, std::string> claimed_;  // canonical to how it was written
  std::size_t bytes_ = 0;
};

Result<Plan> make_plan(const Json& input, ToolIo& io) {
  const auto patches = parse_patch(patch_of(input));
  if (!patches) return std::unexpected(patches.error());
  return Planning(io).make(*patches);
}

std::string_view type_of(const PlannedFile& file) {
  switch (file.kind) {
    case FilePatch::Kind::add: return "add";
    case FilePatch::Kind::remove: return "delete";
    case FilePatch::Kind::update: break;
  }
  return file.moved_to.empty() ? "update" : "move";
}

std::string note_of_steps(const PlannedFile& file, const std::vector<StepDone>& done) {
  std::vector<std::string> notes;
  for (const std::size_t step : file.steps) {
    if (done[step].replaced) notes.push_back(in_place_note(*done[step].replaced));
    if (!done[step].cannot_undo.empty()) notes.push_back("It cannot be undone: " + done[step].cannot_undo + ".");
  }
  std::erase(notes, "");
  return join(notes, " ");
}

Json details_of(const PlannedFile& file, const std::vector<StepDone>& done) {
  const bool is_removed = file.kind == FilePatch::Kind::remove;
  const AppliedEdit& edit = file.edit;
  JsonArray patch;
  if (!is_removed) {
    const Lines old_lines = split_lines(edit.old_text);
    const Lines new_lines = split_lines(edit.new_text);
    const auto changes = file.kind == FilePatch::Kind::add ? diff_lines(old_lines, new_lines) : edit.changes;
    patch = structured_patch(old_lines, new_lines, changes, kPatchBytesMax);
  }
  JsonObject details{{"type", type_of(file)}, {"filePath", file.path}};
  if (!file.moved_to.empty()) details["movedTo"] = file.moved_to;
  details["structuredPatch"] = std::move(patch);
  if (std::string note = note_of_steps(file, done); !note.empty()) details["note"] = std::move(note);
  return details;
}

std::vector<Modifier> modifiers_of(const Plan& plan, const std::vector<StepDone>& done) {
  std::vector<Modifier> modifiers;
  for (const PlannedFile& file : plan.files) {
    for (const std::size_t number : file.steps) {
      const FileStep& step = plan.steps[number];
      if (!done[number].replaced) {
        modifiers.emplace_back(FileWasLookedAt{step.path, kFileIsGoneNs});
        continue;
      }
      FileSeen seen = seen_wholly(step.path, done[number].replaced->status, *step.bytes);
      seen.whole = file.whole_was_seen;
      seen.lines = file.lines_seen;
      modifiers.emplace_back(FileWasSeen{std::move(seen)});
    }
  }
  return modifiers;
}

std::string line_about(const Json& file) {
  const std::string path(find_string(file, "filePath").value_or(""));
  const std::string_view type = find_string(file, "type").value_or("");
  const std::string note = find_string(file, "note") ? " " + std::string(*find_string(file, "note")) : "";
  if (type == "add") return "Created " + path + "." + note;
  if (type == "delete") return "Deleted " + path + "." + note;
  const auto moved_to = find_string(file, "movedTo");
  std::string line = moved_to ? "Moved " + path + " to " + std::string(*moved_to) : "Edited " + path;
  line += "." + note;
  const JsonArray* patch = find_array(file, "structuredPatch");
  if (patch && !patch->empty()) line += " It now reads:\n" + patch_excerpt(*patch);
  return line;
}

class ApplyPatchTool final : public Tool {
 public:
  explicit ApplyPatchTool(std::shared_ptr<FileChangeObserver> observer) : observer_(std::move(observer)) {}
  const ToolSpec& spec() const override { return spec_; }

  // Of a patch that cannot be read nothing is known; it fails before anything is asked.
  std::optional<Footprint> footprint(const Json& input, const SessionView& session) const override {
    const auto patches = parse_patch(patch_of(input));
    if (!patches) return Footprint::everything();
    Footprint footprint;
    const auto add = [&](const std::string& path, bool is_read) {
      const std::string absolute = absolute_path(path, session.working_directory());
      footprint = std::move(footprint).and_writes(absolute);
      if (is_read) footprint = std::move(footprint).and_reads(absolute);
      // What it means depends on where the session is.
      if (!path.starts_with('/')) footprint = std::move(footprint).and_session(Footprint::Use::read);
    };
    for (const FilePatch& patch : *patches) {
      add(patch.path, patch.kind != FilePatch::Kind::add);
      if (!patch.move_to.empty()) add(patch.move_to, false);
    }
    return footprint;
  }

  Result<void> validate(const Json& input, ToolIo& io) const override {
    if (auto plan = make_plan(input, io); !plan) return std::unexpected(plan.error());
    return {};
  }

  Result<ToolResult> run(const Json& input, ToolIo& io) override {
    const auto plan = make_plan(input, io);
    if (!plan) return std::unexpected(plan.error());
    if (io.stop.stop_requested()) return fail(Errc::cancelled, "Cancelled; no file was changed.");
    const auto done = carry_out_steps(plan->steps, io);
    if (!done) return std::unexpected(done.error());
    JsonArray files;
    for (const PlannedFile& file : plan->files) files.push_back(details_of(file, *done));
    JsonObject details{{"files", std::move(files)}};
    if (std::string findings = look_at(*plan, io); !findings.empty()) details["diagnostics"] = std::move(findings);
    return ToolResult{.details = std::move(details), .modifiers = modifiers_of(*plan, *done)};
  }

  void map_result(const Json&, ToolResult& result) const override {
    const JsonArray* files = find_array(result.details, "files");
    if (!files) return;
    std::vector<std::string> lines;
    for (const Json& file : *files) lines.push_back(line_about(file));
    result.text = join(lines, "\n") + findings_of(result);
  }

  std::string classifier_text(const Json& input) const override { return std::string(patch_of(input)); }
  std::string render_use(const Json& input) const override {
    std::vector<std::string> paths = paths_in_patch(patch_of(input));
    const std::size_t count = paths.size();
    if (count > kPathsShownMax) {
      paths.resize(kPathsShownMax);
      paths.push_back("and " + std::to_string(count - kPathsShownMax) + " more");
    }
    return "apply_patch(" + one_line(join(paths, ", "), 100) + ")";
  }

 private:
  std::string look_at(const Plan& plan, ToolIo& io) const {
    if (!observer_) return "";
    std::vector<std::string> written;
    for (const FileStep& step : plan.steps) {
      if (step.bytes) written.push_back(step.path);
    }
    return written.empty() ? "" : observer_->look_at(written, io);
  }

  const std::shared_ptr<FileChangeObserver> observer_;
  const ToolSpec spec_{
      .name = std::string(kPatchTool),
      .aliases = {"ApplyPatch"},
      .description = std::string(kDescription),
      .input_schema = JsonObject{{"type", "object"},
                                 {"properties",
                                  {{"input",
                                    {{"type", "string"},
                                     {"minLength", 1},
                                     {"description", "The whole patch, from *** Begin Patch to *** End Patch."}}}}},
                                 {"required", JsonArray{"input"}},
                                 {"additionalProperties", false}},
      .search_hint = "edit change several files diff rename delete"};
};

}  // namespace

std::shared_ptr<Tool> make_apply_patch_tool(std::shared_ptr<FileChangeObserver> observer) {
  return std::make_shared<ApplyPatchTool>(std::move(observer));
}

bool is_trained_on_patches(std::string_view model) {
  if (const std::size_t slash = model.rfind('/'); slash != std::string_view::npos) model.remove_prefix(slash + 1);
  constexpr std::array<std::string_view, 6> kFamilies = {"gpt-5", "gpt-4.1", "codex", "o3", "o4", "gpt-oss"};
  return std::ranges::any_of(kFamilies, [&](std::string_view family) {
    const std::string_view rest = model.substr(std::min(family.size(), model.size()));
    return model.starts_with(family) && (rest.empty() || rest[0] == '-' || rest[0] == '.');
  });
}

}  // namespace deft
