#pragma once

#include <optional>
#include <string>

#include "deft/base/json.h"

namespace deft {

// What the model asked for.
struct ToolCall {
  std::string id;
  std::string name;
  Json input;
  std::string input_text;              // the JSON as it came, for whatever must pass through untouched
  std::optional<std::string> invalid;  // why input_text is unusable
};

}  // namespace deft
