#include "deft/tools/tool.h"

#include "deft/base/text.h"

namespace deft {

namespace {
constexpr std::size_t kRenderedInputCharactersMax = 60;
}

std::string Tool::render_use(const Json& input) const {
  // The first text of the input says most: a command, a path, a pattern.
  if (input.is_object()) {
    for (const auto& [key, value] : input.get_object()) {
      if (value.is_string())
        return spec().name + "(" + one_line(view(value.get_string()), kRenderedInputCharactersMax) + ")";
    }
  }
  return spec().name;
}

}  // namespace deft
