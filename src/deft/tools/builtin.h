#pragma once

#include <memory>
#include <vector>

#include "deft/tools/bash.h"
#include "deft/tools/search_root.h"
#include "deft/tools/tool.h"

namespace deft {

struct BuiltinOptions {
  BashOptions bash{};
  SearchOptions search{};
};

// Every tool that comes with deft, for one session.
std::vector<std::shared_ptr<Tool>> make_builtin_tools(const BuiltinOptions& options = {});

}  // namespace deft
