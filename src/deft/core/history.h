#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace deft {

enum class Role : std::uint8_t { user, assistant };

// One message of a conversation, as the model is told it in every request: `content` is the JSON array of its content
// blocks in the words of Anthropic's Messages API, byte for byte the same for ever, so that prompt caches hold and a
// request costs no more than putting texts together.
struct HistoryMessage {
  Role role = Role::user;
  std::string content;
  // Messages with the same one have the same content, in this process: what was found out about it once need not be
  // looked for again. 0: nothing is known. Whoever changes the content gives it another.
  std::uint64_t number = 0;
};

using History = std::vector<HistoryMessage>;

}  // namespace deft
