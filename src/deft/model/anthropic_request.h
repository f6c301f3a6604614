#pragma once

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "deft/model/model.h"
#include "deft/model/offered_tools.h"
#include "deft/model/refused_content.h"

// Requests of Anthropic's Messages API, as text. Pure.
//
// What stays the same from request to request keeps its bytes and its place: tools, system prompt, history. Where the
// server shall keep what it has read is marked: after the tools, after the system prompt, at the end and at the end of
// the last request, which is where it finds what it kept then, however many blocks have come since.

namespace deft {

inline constexpr std::size_t kAnthropicRequestBytesMax = 32'000'000;

struct AnthropicDialect {
  std::string cache_ttl = "5m";  // "5m", "1h"; empty: nothing is marked
  bool eager_input = false;      // inputs of calls are streamed as they are written
  bool own_models = false;       // the API of the makers: what others' models thought is not told to theirs
  RefusedUntil refused{};        // what is left out
};

// One tool, for OfferedTools.
std::string anthropic_tool(const OfferedTool& tool, const AnthropicDialect& dialect);

// What stands before the messages and is long: the same in nearly every request of a session.
struct AnthropicPreface {
  std::string tools;                                 // a member of the body, with its comma; empty: none
  std::string system;                                // the same
  std::set<std::string, std::less<>> deferred = {};  // names of tools that the API loads
};
AnthropicPreface anthropic_preface(const std::string& tools, const std::string& system,
                                   const AnthropicDialect& dialect);

// Which messages this API takes as they are: looking takes longer than copying, and a conversation is sent again with
// every request. From any thread.
class KnownContents {
 public:
  std::vector<bool> are_plain(const History& history, bool own_models);

 private:
  bool is_plain(const HistoryMessage& message, bool own_models);  // under mutex_

  std::mutex mutex_;
  std::unordered_map<std::uint64_t, bool> plain_;  // under mutex_; by the message's number
};

std::string anthropic_body(const ModelRequest& request, const AnthropicPreface& preface,
                           const AnthropicDialect& dialect, KnownContents& known);

// The content of an assistant's message without what this API does not know: thoughts and items of other providers.
// Bytes that need no change stay as they are. Empty: nothing is left.
std::string anthropic_content(std::string_view content, bool own_models);

}  // namespace deft
