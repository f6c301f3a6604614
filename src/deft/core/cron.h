#pragma once

#include <bitset>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "deft/base/result.h"

// When something that is written like a line of a crontab is due: minute, hour, day of the month, month, day of the
// week, in local time. Pure: what the local time is, is said by whoever asks.
//
// Where the clocks go forward, a run at a fixed time that does not exist that day happens right after the gap; where
// they go back, one at a time that comes twice happens the first time only. Runs by the hour or by the minute ("*" in
// one of these fields) follow real time instead.

namespace deft {

using UtcSeconds = std::int64_t;  // since 1970
// How far local time is ahead of UTC at that moment, in seconds.
using UtcOffset = std::function<std::int64_t(UtcSeconds at)>;

inline constexpr std::size_t kCronBytesMax = 200;
inline constexpr std::int64_t kCronYearsMax =
    9;  // how far ahead is looked; the 29th of February is at most 8 years off

class Cron {
 public:
  // "*/5 9-17 * * 1-5". Names of months and days (jan, mon) are fine. Error: what is wrong with which field.
  static Result<Cron> parse(std::string_view text);

  // The first minute after `after` at which it is due. Nothing: there is none ("0 0 31 2 *").
  std::optional<UtcSeconds> next(UtcSeconds after, const UtcOffset& offset) const;

  // "every 5 minutes", "every day at 09:00", "Monday to Friday at 09:00"; else as it was written.
  std::string describe() const;
  const std::string& text() const { return text_; }  // with single blanks

 private:
  struct Local;
  static Local local_at(UtcSeconds at, const UtcOffset& offset);
  bool matches_day(const Local& local) const;
  bool matches(const Local& local) const;
  bool comes_again(UtcSeconds at, const UtcOffset& offset) const;
  std::optional<UtcSeconds> after_gap(UtcSeconds from, UtcSeconds to, const UtcOffset& offset) const;

  std::bitset<60> minutes_;
  std::bitset<24> hours_;
  std::bitset<32> days_;      // from 1
  std::bitset<13> months_;    // from 1
  std::bitset<7> weekdays_;   // from Sunday
  bool any_day_ = false;      // "*"
  bool any_weekday_ = false;  // "*"
  bool is_fixed_ = false;     // neither minute nor hour is a "*"
  std::string text_;
};

}  // namespace deft
