#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "deft/agent/event.h"
#include "deft/agent/session.h"
#include "deft/config/price_settings.h"

namespace deft {

// What of the session the result of a turn tells.
struct ReportedSession {
  std::string id;
  const SessionUsage& usage;  // earlier runs included
  const PriceSettings& prices;
  std::size_t output_tokens_max = 0;
  std::uint64_t window_tokens = 0;                           // of a model whose window no setting tells
  std::optional<std::size_t> queued_turns = std::nullopt;    // prompts that wait; nothing: they cannot
  std::vector<std::string> messages = {};                    // of a host, that were given in the turn: their uuids
  std::optional<std::size_t> results_before = std::nullopt;  // of this run
};

// What happened in a turn, as far as its result tells it: the last line of a turn in `deft -p --output-format
// stream-json`, and the only one of json. Pure; not used from two threads at once.
class TurnReport {
 public:
  void begin();  // of a turn
  void note(const Event& event);

  // {"type":"result","subtype":…}: docs/headless.md describes each field.
  JsonObject result(const TurnEnd& end, const ReportedSession& session, std::string_view uuid) const;

  // The name of the tool that a call of this turn is to; empty: not known.
  std::string tool_of(const std::string& call_id) const;
  JsonObject model_usage(const ReportedSession& session) const;

 private:
  struct Call {
    std::string tool;
    std::string input;  // as it came: it is rarely looked at
  };
  // What the API tells beside the tokens: sums, and of words the last one.
  struct FurtherUse {
    std::uint64_t searches = 0;
    std::uint64_t fetches = 0;
    std::uint64_t thinking = 0;
    std::uint64_t written_for_minutes = 0;  // to the cache
    std::uint64_t written_for_an_hour = 0;
    std::string service_tier = "standard";
    std::string speed = "standard";
    std::string place{};
    void add(const Json& usage);
  };
  JsonObject usage() const;

  TokenUse use_;  // of this turn
  FurtherUse further_;
  std::map<std::string, std::uint64_t> searches_by_model_;  // of this process
  std::string model_;                                       // that is asked now
  std::unordered_map<std::string, Call> calls_;
  JsonArray denials_;
};

// The result of a run that ended before its first turn.
JsonObject startup_failure(std::string_view why, std::string_view session_id, std::string_view uuid);

// What a turn's end means to whoever waits for it.
struct TurnMeaning {
  std::string_view subtype;  // "success", "error_max_turns" …
  bool is_error = false;
  std::string_view terminal_reason;  // "completed", "api_error" …
};
TurnMeaning meaning_of(const TurnEnd& end);
// What a person is told who only reads text: the answer, or why there is none.
std::string text_of_result(const TurnEnd& end);

}  // namespace deft
