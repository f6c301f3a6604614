#pragma once

#include <memory>

#include "deft/tools/file_change_observer.h"
#include "deft/tools/tool.h"

namespace deft {

std::shared_ptr<Tool> make_edit_tool(std::shared_ptr<FileChangeObserver> observer = nullptr);

}  // namespace deft
