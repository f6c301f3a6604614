#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "deft/base/json.h"
#include "deft/base/result.h"
#include "deft/core/cron.h"

// Prompts that are to be given at certain times. Pure: what time it is, is said by whoever asks.
//
// A prompt is given at most once for all the times that have passed since somebody last asked. Times before `since`
// were missed, because nobody was there to give it: then one that repeats waits for its next time, and what was to
// happen just once is made up for.

namespace deft {

inline constexpr std::size_t kSchedulesMax = 50;
inline constexpr std::size_t kScheduledPromptCharactersMax = 20'000;
inline constexpr std::int64_t kScheduleDaysMax = 7;  // after that a prompt that repeats is given no more

struct ScheduledPrompt {
  std::string id;
  Cron cron;
  std::string prompt;
  bool recurring = true;
  UtcSeconds created = 0;
  UtcSeconds done_until = 0;  // times up to this one are done with
};

struct DuePrompt {
  std::string id;
  std::string prompt;
  UtcSeconds due = 0;      // the last time that it was due
  std::size_t missed = 0;  // how often it was due before `since`, as far as was counted
  std::size_t times = 0;   // how often it was due since then
  bool runs_now = false;   // false: only missed
  bool is_last = false;    // it will not be given again
};

class Schedule {
 public:
  // Errors: `limit`; `invalid_input` for a cron line that cannot be read or never comes.
  Result<ScheduledPrompt> create(std::string id, std::string_view cron, std::string prompt, bool recurring,
                                 UtcSeconds now, const UtcOffset& offset);
  bool remove(std::string_view id);
  const std::vector<ScheduledPrompt>& all() const { return prompts_; }
  const ScheduledPrompt* find(std::string_view id) const;

  // When the next one is due; may be over already. Nothing: none is.
  std::optional<UtcSeconds> next_due(const UtcOffset& offset) const;
  static std::optional<UtcSeconds> next_due(const ScheduledPrompt& prompt, const UtcOffset& offset);
  // What is due by now, and is done with from now on. Those whose days are over are removed.
  std::vector<DuePrompt> take_due(UtcSeconds now, UtcSeconds since, const UtcOffset& offset);

  Json to_json_value() const;
  // What cannot be read is left out.
  static Schedule from_json(const Json& json);

 private:
  std::vector<ScheduledPrompt> prompts_;  // in the order they were made
};

}  // namespace deft
