#pragma once

#include <span>
#include <string>

#include "deft/tools/tool.h"

namespace deft {

// Somebody who looks at files when a tool has changed them: language servers do. Asked by every tool that changes
// files, once for each call, when the new contents are on the disk. Any thread may call.
class FileChangeObserver {
 public:
  virtual ~FileChangeObserver() = default;
  // What the model should know about the new contents, as lines; empty: nothing. Takes bounded time, and next to none
  // where there is nothing to look with. The paths are canonical.
  virtual std::string look_at(std::span<const std::string> paths, ToolIo& io) = 0;
};

}  // namespace deft
