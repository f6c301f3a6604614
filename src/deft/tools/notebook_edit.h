#pragma once

#include <memory>

#include "deft/tools/tool.h"

namespace deft {

std::shared_ptr<Tool> make_notebook_edit_tool();

}  // namespace deft
