#pragma once

#include <string>

#include "deft/base/json.h"
#include "deft/core/message.h"

namespace deft {

// A message without its blocks, as far as the provider has said so far: it may be asked for while the message streams.
struct MessageHead {
  std::string id{};     // the provider's own; empty: it gave none yet
  std::string model{};  // the one that answers, by its own name
  Json usage{};         // Message::usage, which is not final before the message's end
};
MessageHead head_of(const Message& message);

// Message::usage of any API in the words of the Messages API: input_tokens, output_tokens and what concerns the cache
// are always numbers; what else that API tells is there too, null where it is not known.
JsonObject messages_usage(const Json& usage);

}  // namespace deft
