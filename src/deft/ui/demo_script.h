#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace deft {

// The project that the demonstration works on, and what its model says (docs/scripted-model.md).
struct DemoFile {
  std::string_view path;
  std::string_view text;
};
const std::vector<DemoFile>& demo_files();
std::string_view demo_prompt();
std::string_view demo_script();

}  // namespace deft
