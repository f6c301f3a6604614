#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "deft/tools/file_change.h"
#include "deft/tools/file_change_observer.h"

namespace deft {

// A change of one file, thought through but not made.
struct PlannedChange {
  std::string path;                    // canonical
  std::optional<FileToChange> target;  // the file as it is; nothing: there is none
  std::string bytes;                   // its new content
  bool whole_was_seen = true;          // whether all of that counts as seen afterwards; else these lines of it
  std::vector<LineRange> lines_seen = {};
  std::string note = {};                          // what else to say about it; a sentence, or empty
  std::function<JsonObject()> details = nullptr;  // the structured result, asked for once the change is made
};

// What Edit, Write and NotebookEdit have in common: the plan is made to validate the call, and made anew to run it,
// because the world may have changed in between. Then the old content is kept for undo, the new one takes its place,
// the session remembers it as seen, and an observer, if there is one, looks at it.
class FileChangeTool : public Tool {
 public:
  const ToolSpec& spec() const final { return spec_; }
  Result<void> validate(const Json& input, ToolIo& io) const final;
  Result<ToolResult> run(const Json& input, ToolIo& io) final;

 protected:
  FileChangeTool(ToolSpec spec, std::shared_ptr<FileChangeObserver> observer)
      : spec_(std::move(spec)), observer_(std::move(observer)) {}
  virtual Result<PlannedChange> plan(const Json& input, ToolIo& io) const = 0;

 private:
  const ToolSpec spec_;
  const std::shared_ptr<FileChangeObserver> observer_;  // null: nobody looks
};

// For plans of files that do not exist yet: the canonical path, and what is there.
struct PlaceForFile {
  std::string path;
  bool exists = false;  // as a regular file; anything else is an error
};
Result<PlaceForFile> find_place(std::string_view path, ToolIo& io);

// " " and the note of a result, or nothing.
std::string note_of(const ToolResult& result);
// What the observer said, on lines of its own, or nothing.
std::string findings_of(const ToolResult& result);

}  // namespace deft
