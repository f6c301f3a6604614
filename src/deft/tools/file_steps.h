#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "deft/tools/file_change.h"

// Several files changed together: all of them, or none.

namespace deft {

// One file of several, thought through but not changed.
struct FileStep {
  std::string path;                                  // canonical
  std::optional<FileToChange> target;                // the file as it is; nothing: there is none
  std::optional<std::string> bytes;                  // its new content; nothing: it is removed
  std::optional<std::uint32_t> mode = std::nullopt;  // of a new file; nothing: as the umask says
};

struct StepDone {
  std::optional<Replaced> replaced;  // nothing: it was removed
  std::string cannot_undo;           // why; empty: it can be
};

// Carries out the steps in order; each is recorded first, to be undone. If one fails, those before it are taken back,
// and the error says so, and names every file that could not be brought back.
Result<std::vector<StepDone>> carry_out_steps(const std::vector<FileStep>& steps, ToolIo& io);

}  // namespace deft
