#pragma once

#include <cstddef>
#include <string_view>

#include "deft/base/json.h"
#include "deft/core/tool_result.h"

// What a result costs of a model's context, counted in characters.

namespace deft {

// A picture costs a model what its points cost, at most about 1,600 tokens of some four characters each, whatever its
// bytes. The same is taken for each part of any other binary block.
inline constexpr std::size_t kPictureCharacters = 6'400;
inline constexpr std::size_t kBinaryBytesPerPicture = std::size_t{100} << 10;

std::size_t block_characters(const Json& block);
std::size_t result_characters(const ToolResult& result);
std::string_view result_body(const ToolResult& result);  // its text without the engine's note
// Cuts a result that is never stored away to so many characters, the notice and the note not counted, and says so.
void cut_result(ToolResult& result, std::size_t characters_max, std::size_t message_max);

// Without counting more of it than it must.
bool has_more_characters_than(std::string_view text, std::size_t limit);

}  // namespace deft
