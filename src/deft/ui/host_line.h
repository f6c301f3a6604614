#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <variant>

#include "deft/agent/turn.h"
#include "deft/base/json.h"
#include "deft/base/result.h"

// The lines that a host writes to `deft -p --input-format stream-json`, as values. Pure; docs/headless.md describes
// them.

namespace deft {

inline constexpr std::size_t kHostLineBytesMax = kJsonBytesMax;
inline constexpr std::size_t kHostWordBytesMax = 1'000;  // of an id, a subtype …

// When a message is heard that comes while a turn is under way.
enum class MessagePriority : std::uint8_t {
  now,    // the turn makes room for it
  next,   // with the next results of the turn, if there are any; else after it
  later,  // after the turn
};

// A message of the user's: a turn.
struct HostMessage {
  Prompt prompt;
  MessagePriority priority = MessagePriority::next;
  bool asks_model = true;    // "shouldQuery": false: it waits for the next one
  bool is_named = false;     // the host gave its uuid, and knows it by that
  Json message = {};         // as it came, for whoever wants it replayed
  std::string problem = {};  // what of it was not understood, and is left out
};
struct HostRequest {
  std::string id;
  std::string subtype;
  Json request;
};
struct HostResponse {
  std::string id;
  Result<Json> answer;  // what the host said to our request; an error of its own is one here
};
struct HostCancelled {  // it does not want the answer to its request any more
  std::string id;
};
struct HostIsAlive {};
using HostLine = std::variant<HostMessage, HostRequest, HostResponse, HostCancelled, HostIsAlive>;

// An error says what is wrong with the line.
Result<HostLine> parse_host_line(std::string_view line);

// Cuts what arrives into lines. One that is too long is left out, and told once.
class LineSplitter {
 public:
  explicit LineSplitter(std::size_t bytes_max = kHostLineBytesMax) : bytes_max_(bytes_max) {}
  using Take = std::function<void(Result<std::string_view> line)>;  // without its newline; blank ones are left out
  void feed(std::string_view bytes, const Take& take);
  void finish(const Take& take);  // a last line without newline counts

 private:
  void end_line(const Take& take);

  const std::size_t bytes_max_;
  std::string line_;
  bool too_long_ = false;
};

}  // namespace deft
