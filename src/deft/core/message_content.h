#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "deft/core/message.h"
#include "deft/core/tool_result.h"

// The content of a conversation's messages, as the JSON text that requests carry. Whatever a model or a tool gave, what
// comes out of here is accepted by the API: inputs are objects, names and ids are spelt as it wants them, no text is
// empty or blank.

namespace deft {

inline constexpr std::size_t kToolNameBytesMax = 64;

// What the model said, to be handed back as it came: thinking with its signature, inputs by their own text. A call
// whose input was no JSON object has an empty one. Thought that nothing follows is left out: the API refuses a message
// that ends in it. No JSON array but "" if nothing is left to hand back.
std::string assistant_content(const std::vector<Block>& blocks);
bool is_handed_back(const Block& block);  // if something follows it
// The same of what was written down, by others than us or in part: content that ends in something else than thought.
std::string without_thought_at_end(std::string_view content);

// One block each.
std::string text_block(std::string_view text);  // "" for a blank one: the API refuses it
std::string result_block(std::string_view call_id, const ToolResult& result);
// The same at the end of a text, and about how long it is.
void append_result_block(std::string& out, std::string_view call_id, const ToolResult& result);
std::size_t result_block_size(std::string_view call_id, const ToolResult& result);
// What a call added to the conversation: a text, a content block, or a message {"role","content"} of either.
std::vector<std::string> new_message_blocks(const JsonArray& new_messages);

// "[a,b]" from the texts of blocks, and from two contents. Empty parts are left out; "" if all are.
std::string content_of(const std::vector<std::string>& blocks);
std::string joined_content(std::string_view content, std::string_view more);

// A name or an id with nothing in it but letters, digits, '_' and '-'.
std::string api_word(std::string_view word, std::string_view if_empty);
// The id of a call as a conversation has it: the provider's own, in which '.' and ':' may stand too. There are models
// that know their calls again by such ids ("functions.read:0").
std::string call_id_word(std::string_view id);
// The same for an API that takes only words as ids. Different ids stay different.
std::string api_call_id(std::string_view id);
// The name of a tool as the APIs accept it: such a word of at most 64 bytes. A longer one is cut and ends in a hash of
// the whole, so that long names stay different.
std::string api_tool_name(std::string_view name);
std::string hashed_tool_name(std::string_view name);  // the same, with the hash in any case

}  // namespace deft
