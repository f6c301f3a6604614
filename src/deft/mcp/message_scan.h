#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

#include "deft/base/json_rpc.h"

// A look at the text of a message without reading it: how much it would become in memory, and whose answer it was meant
// to be if it cannot be read. Pure.

namespace deft {

// Numbers, texts, lists and objects in one message, or in one list of messages: each takes memory, however short it is
// written.
inline constexpr std::size_t kMcpMessageValuesMax = 1'000'000;

struct MessageScan {
  std::size_t values = 0;     // about; never far less than there are
  std::optional<RpcId> id{};  // of the message, where it stands in plain characters
  bool has_method = false;    // it was meant to be a request or a notification
  bool is_too_much() const { return values > kMcpMessageValuesMax; }
};

// Of any text, JSON or not.
MessageScan scan_message(std::string_view text);
// Nobody needs to look at a text that is too short for more.
inline bool is_surely_little(std::string_view text) { return text.size() <= kMcpMessageValuesMax; }

}  // namespace deft
