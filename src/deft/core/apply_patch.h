#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "deft/base/result.h"
#include "deft/core/edit.h"

// The patch format that many models write by themselves. Pure: text in, text out.
//
//   *** Begin Patch
//   *** Add File: new.txt
//   +its first line
//   *** Update File: src/a.cc
//   *** Move to: src/b.cc
//   @@ int main() {
//    a line that stays
//   -a line that goes
//   +a line that comes
//   *** Delete File: old.txt
//   *** End Patch
//
// A chunk of an update says what to look for (lines that stay and lines that go) and what comes; "@@ text" names a line
// above it, to find the right one of several alike; "*** End of File" says that it is at the end. Chunks are in the
// order of the file. Lines match exactly, but for blanks at their ends; where nothing matches so, the plain forms of
// dashes, quotes and blanks match the fine ones. Whatever could be meant in two ways is an error. A patch may be
// wrapped as models do it: a here-document of a shell, a block of Markdown.

namespace deft {

inline constexpr std::string_view kPatchTool = "apply_patch";
inline constexpr std::size_t kPatchTextBytesMax = std::size_t{4} << 20;
inline constexpr std::size_t kPatchFilesMax = 200;

struct PatchLine {
  enum class Kind : std::uint8_t { stays, goes, comes };
  Kind kind = Kind::stays;
  std::string text;  // without its end
};

struct PatchChunk {
  std::vector<std::string> anchors = {};  // what stood behind "@@", the outer one first; not empty
  std::vector<PatchLine> lines = {};
  bool at_end = false;
  std::size_t line_number = 0;  // in the patch, for errors
};

struct FilePatch {
  enum class Kind : std::uint8_t { add, remove, update };
  Kind kind = Kind::update;
  std::string path;                     // as written; so is move_to
  std::string move_to = {};             // of an update; empty: it stays where it is
  std::string content = {};             // of an added file
  std::vector<PatchChunk> chunks = {};  // of an update; empty: it is only moved
};

// Error `invalid_input`: it is not a patch, and which line says so.
Result<std::vector<FilePatch>> parse_patch(std::string_view text);

// Every path that it names, as written, in order; also of a patch that is broken further on.
std::vector<std::string> paths_in_patch(std::string_view text);

// The file with all chunks applied. `replaced` are the lines that each chunk was found at. Errors as for apply_edit();
// `not_found` and `invalid_input` name the chunk by its line in the patch.
Result<AppliedEdit> apply_chunks(std::string_view bytes, const std::vector<PatchChunk>& chunks);

}  // namespace deft
