#pragma once

#include <cstdint>
#include <string>

#include "deft/agent/session_store.h"
#include "deft/base/json.h"
#include "deft/base/result.h"

namespace deft {

inline constexpr std::size_t kSummaryPromptCharactersMax = 200;
inline constexpr std::size_t kSearchedBytesMax = std::size_t{1} << 20;  // of one session

// What a list says of a session.
struct SessionSummary {
  SessionPlace place;
  std::string directory;
  std::string forked_from;
  std::string title;   // that it was given; empty: none
  std::string prompt;  // the beginning of the first one
  std::string model;   // of the last message
  std::int64_t began_ms = 0;
  std::int64_t changed_ms = 0;
  std::int64_t turns = 0;
  std::int64_t messages = 0;  // of the model
  std::int64_t effects = 0;   // calls that may have changed something
  std::int64_t tokens = 0;
  double cost = 0;
};

// Reads the whole journal. `searched`: what people and the model have said, for an index; nothing: not wanted.
Result<SessionSummary> summarise_session(const SessionPlace& place, std::string* searched = nullptr);

JsonObject summary_json(const SessionSummary& summary);

}  // namespace deft
