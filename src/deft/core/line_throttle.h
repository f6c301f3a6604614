#pragma once

#include <cstddef>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "deft/base/clock.h"
#include "deft/base/terminal_text.h"

namespace deft {

inline constexpr std::size_t kEventLinesMax = 20;
inline constexpr std::size_t kEventLineCharactersMax = 500;
inline constexpr Duration kEventGather = std::chrono::milliseconds(200);  // lines that come together are one event
inline constexpr Duration kEventIntervalMax = std::chrono::seconds(30);

// The lines that a program prints, gathered into events for somebody who has other things to do: the first soon after
// it came; as long as there is more to say each time, ever rarer; the newest lines of each, and how many were left out.
// Pure: what time it is, is said by whoever calls.
class LineThrottle {
 public:
  void add(std::string_view bytes, TimePoint now);

  // When the next event is ready; nothing: there is nothing to say.
  std::optional<TimePoint> ready_at() const;
  struct Batch {
    std::vector<std::string> lines;  // valid UTF-8, without control characters
    std::size_t left_out = 0;        // earlier ones
  };
  // Nothing, if none is ready.
  std::optional<Batch> take(TimePoint now);
  // No more comes: what is left, also a last line that did not end.
  std::optional<Batch> finish();

 private:
  void add_line(std::string_view line, TimePoint now);
  Batch take_all();

  TerminalText cleaner_;
  std::string unfinished_;
  std::deque<std::string> lines_;
  std::size_t left_out_ = 0;
  std::optional<TimePoint> first_;  // when the oldest of the lines came
  std::optional<TimePoint> last_event_;
  Duration interval_ = kEventGather;
};

}  // namespace deft
