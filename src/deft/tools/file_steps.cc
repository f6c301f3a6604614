#include "deft/tools/file_steps.h"

#include <utility>

#include "deft/base/path.h"
#include "deft/base/text.h"
#include "deft/os/file_changes.h"
#include "deft/os/missing_folder.h"

namespace deft {
namespace {

ContentId content_before(const FileStep& step) { return {step.target->seen.size, step.target->seen.content_hash}; }

std::string keep_for_undo(const FileStep& step, ToolIo& io) {
  if (!io.changes) return "";
  FileChange change{.path = step.path, .call_id = std::string(io.call_id)};
  std::string_view before;
  if (step.target) {
    change.before = content_before(step);
    change.mode = step.target->file.content.status.mode;
    before = step.target->file.content.bytes;
  }
  if (step.bytes) change.after = content_id(*step.bytes);
  return io.changes->keep(change, before);
}

Result<StepDone> carry_out(const FileStep& step, ToolIo& io) {
  StepDone done{.replaced = std::nullopt, .cannot_undo = keep_for_undo(step, io)};
  Files& files = io.os.files;
  if (!step.bytes) {
    if (auto removed = files.remove(step.path, content_before(step)); !removed) {
      return std::unexpected(removed.error());
    }
    return done;
  }
  const std::optional<ContentId> expected = step.target ? std::optional(content_before(step)) : std::nullopt;
  auto replaced = !expected && step.mode ? files.create(step.path, *step.bytes, *step.mode)
                                         : files.replace(step.path, *step.bytes, expected);
  if (!replaced) return std::unexpected(replaced.error());
  done.replaced = std::move(*replaced);
  return done;
}

Result<void> take_back(const FileStep& step, Files& files) {
  if (!step.target) return files.remove(step.path, content_id(*step.bytes));
  const FileContent& before = step.target->file.content;
  const auto back = step.bytes ? files.replace(step.path, before.bytes, content_id(*step.bytes))
                               : files.create(step.path, before.bytes, before.status.mode);
  if (!back) return std::unexpected(back.error());
  return {};
}

}  // namespace

Result<std::vector<StepDone>> carry_out_steps(const std::vector<FileStep>& steps, ToolIo& io) {
  std::vector<StepDone> all;
  std::vector<std::string> folders_made;  // by each step, the one that failed included
  for (const FileStep& step : steps) {
    folders_made.push_back(step.target ? "" : topmost_missing_folder(step.path));
    auto done = carry_out(step, io);
    if (done) {
      all.push_back(std::move(*done));
      continue;
    }
    std::vector<std::string> left;
    for (std::size_t i = all.size(); i > 0; --i) {
      const FileStep& earlier = steps[i - 1];
      if (auto back = take_back(earlier, io.os.files); !back)
        left.push_back(earlier.path + ": " + back.error().message);
    }
    for (std::size_t i = folders_made.size(); i > 0; --i) {
      remove_empty_folders(parent_path(steps[i - 1].path), folders_made[i - 1]);
    }
    const std::string what_now =
        left.empty() ? " No file was changed."
                     : " These files were changed before that and could not be brought back: " + join(left, "; ") +
                           " Look at them before you go on.";
    return fail(done.error().code, done.error().message + what_now);
  }
  return all;
}

}  // namespace deft
