#pragma once

#include <memory>
#include <vector>

#include "deft/tools/bash.h"
#include "deft/tools/tool.h"

namespace deft {

struct BuiltinOptions {
  BashOptions bash{};
};

// Every tool that comes with deft, for one session.
std::vector<std::shared_ptr<Tool>> make_builtin_tools(const BuiltinOptions& options = {});

}  // namespace deft
