#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "deft/core/patch.h"
#include "deft/tools/file_access.h"
#include "deft/tools/tool.h"

// Changing a file that exists, as Edit, Write and NotebookEdit do it: a plan is made from what is on the disk now and
// what the session has seen of it, without changing anything; then the plan is carried out, provided that the file is
// still what it was. Making the plan is all that can be checked before permission is given; it is made anew
// afterwards, because the world may have changed.

namespace deft {

// The file, if the session has seen it and it has not changed since. Errors: `not_read`, `stale`, and those of
// open_file().
struct FileToChange {
  OpenedFile file;
  FileSeen seen;
};
Result<FileToChange> open_for_change(std::string_view path, ToolIo& io);

// `lines` are what the change touches.
Result<void> check_lines_were_shown(std::string_view path, const FileSeen& seen, const std::vector<LineRange>& lines);
Result<void> check_all_was_shown(std::string_view path, const FileSeen& seen, std::size_t line_count);

// The changes of a plan, for the model, the screen and hosts.
inline constexpr std::size_t kPatchBytesMax = std::size_t{1} << 20;
inline constexpr std::size_t kOriginalBytesMax = std::size_t{1} << 20;
// The content before a change: null if there was none, or if it is larger than `kOriginalBytesMax`.
Json original_file(std::string_view text);
// The new lines of a patch with their numbers, a few around each change; bounded.
std::string patch_excerpt(const JsonArray& structured_patch);

// A sentence if it was written in place, else empty.
std::string in_place_note(const Replaced& replaced);

}  // namespace deft
