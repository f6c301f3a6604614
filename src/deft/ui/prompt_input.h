#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "deft/base/result.h"

namespace deft {

inline constexpr std::size_t kPipedPromptBytesMax = 10'000'000;

// What is piped into us, to be read before a prompt is carried out. With `is_optional` (there is a prompt already)
// nobody waits long for a pipe that says nothing: then nothing comes of it, and `notice` tells.
struct PipedText {
  std::string text = {};
  std::optional<std::string> notice = std::nullopt;
};
Result<PipedText> read_piped_text(int descriptor, bool is_optional);

// Both, each if there is one; nothing: there is neither.
std::optional<std::string> joined_prompt(const std::optional<std::string>& given, const std::string& piped);

}  // namespace deft
