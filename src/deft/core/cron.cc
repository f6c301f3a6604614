#include "deft/core/cron.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <cstdio>
#include <utility>
#include <vector>

#include "deft/base/json.h"

namespace deft {
namespace {

constexpr std::int64_t kMinute = 60;
constexpr std::int64_t kHour = 60 * kMinute;
constexpr std::int64_t kDay = 24 * kHour;
constexpr std::int64_t kShiftMax = 3 * kHour;  // clocks are not moved by more

constexpr std::array<std::string_view, 12> kMonths = {"jan", "feb", "mar", "apr", "may", "jun",
                                                      "jul", "aug", "sep", "oct", "nov", "dec"};
constexpr std::array<std::string_view, 7> kDays = {"sun", "mon", "tue", "wed", "thu", "fri", "sat"};
constexpr std::array<std::string_view, 7> kDayNames = {"Sunday",   "Monday", "Tuesday", "Wednesday",
                                                       "Thursday", "Friday", "Saturday"};

struct Field {
  std::string_view name;
  int first;
  int last;
};
constexpr std::array<Field, 5> kFields = {
    {{"minute", 0, 59}, {"hour", 0, 23}, {"day of the month", 1, 31}, {"month", 1, 12}, {"day of the week", 0, 7}}};

std::vector<std::string> words_of(std::string_view text) {
  std::vector<std::string> words;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t begin = text.find_first_not_of(" \t", at);
    if (begin == std::string_view::npos) break;
    const std::size_t end = std::min(text.find_first_of(" \t", begin), text.size());
    words.emplace_back(text.substr(begin, end - begin));
    at = end;
  }
  return words;
}

std::optional<int> number_in(std::string_view text) {
  int number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (text.empty() || text[0] == '-' || error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

std::optional<int> value_in(std::string_view text, const Field& field) {
  if (const auto number = number_in(text)) return number;
  std::string lower(text);
  for (char& c : lower) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  if (field.name == "month") {
    const auto* found = std::ranges::find(kMonths, lower);
    if (found != kMonths.end()) return static_cast<int>(found - kMonths.begin()) + 1;
  }
  if (field.name == "day of the week") {
    const auto* found = std::ranges::find(kDays, lower);
    if (found != kDays.end()) return static_cast<int>(found - kDays.begin());
  }
  return std::nullopt;
}

// Some crons know more: the last day, the nearest working day, the second Friday.
std::string other_dialect(std::string_view part) {
  if (part.find_first_of("LW#?") == std::string_view::npos || part.size() > 6) return "";
  return " L, W, # and ? are not known here: schedule each day, and let the prompt say on which one to do something.";
}

std::unexpected<Error> wrong_field(const Field& field, std::string_view part) {
  return fail(Errc::invalid_input, "The " + std::string(field.name) + " of a cron line is a number from " +
                                       std::to_string(field.first) + " to " + std::to_string(field.last) +
                                       ", a range (1-5), a step (*/5), a list of these (1,3) or *, not " +
                                       json_quote(part) + "." + other_dialect(part));
}

// The values of one field, each as often as it is named.
Result<std::vector<int>> values_of(std::string_view text, const Field& field) {
  std::vector<int> values;
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t end = std::min(text.find(',', at), text.size());
    const std::string_view part = text.substr(at, end - at);
    at = end + 1;
    const std::size_t slash = part.find('/');
    const std::string_view range = part.substr(0, slash);
    int step = 1;
    if (slash != std::string_view::npos) {
      const auto given = number_in(part.substr(slash + 1));
      if (!given || *given < 1 || *given > field.last) return wrong_field(field, part);
      step = *given;
    }
    int first = field.first;
    int last = field.last;
    if (range != "*") {
      const std::size_t dash = range.find('-');
      const auto from = value_in(range.substr(0, dash), field);
      auto to = dash == std::string_view::npos ? from : value_in(range.substr(dash + 1), field);
      // "fri-sun": a week that ends on Sunday.
      if (&field == &kFields.back() && from && to && *to == 0 && *from > 0) to = field.last;
      if (!from || !to || *from < field.first || *to > field.last || *from > *to) return wrong_field(field, part);
      first = *from;
      // "5/10": from 5 on.
      last = dash == std::string_view::npos && slash != std::string_view::npos ? field.last : *to;
    }
    for (int value = first; value <= last; value += step) values.push_back(value);
  }
  return values;
}

std::string clock_text(std::size_t hour, std::size_t minute) {
  std::array<char, 16> text{};
  std::snprintf(text.data(), text.size(), "%02zu:%02zu", hour, minute);
  return text.data();
}

template <std::size_t N>
std::size_t first_of(const std::bitset<N>& set) {
  std::size_t at = 0;
  while (at < N && !set[at]) ++at;
  return at;
}

}  // namespace

struct Cron::Local {
  unsigned month = 1;
  unsigned day = 1;
  unsigned weekday = 0;
  std::int64_t second_of_day = 0;
};

Cron::Local Cron::local_at(UtcSeconds at, const UtcOffset& offset) {
  const std::int64_t local = at + offset(at);
  const std::int64_t day = local >= 0 ? local / kDay : -((-local + kDay - 1) / kDay);
  const std::chrono::sys_days date{std::chrono::days(day)};
  const std::chrono::year_month_day ymd(date);
  return {.month = static_cast<unsigned>(ymd.month()),
          .day = static_cast<unsigned>(ymd.day()),
          .weekday = std::chrono::weekday(date).c_encoding(),
          .second_of_day = local - day * kDay};
}

Result<Cron> Cron::parse(std::string_view text) {
  if (text.size() > kCronBytesMax) {
    return fail(Errc::limit, "A cron line has at most " + std::to_string(kCronBytesMax) + " bytes.");
  }
  const std::vector<std::string> words = words_of(text);
  if (words.size() != kFields.size()) {
    return fail(Errc::invalid_input,
                "A cron line has five fields, minute, hour, day of the month, month and day of the week (\"0 9 * * "
                "1-5\"), not " +
                    json_quote(text) + "." +
                    (text.starts_with('@') ? " Words like @daily are not known: write them out." : ""));
  }
  Cron cron;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const auto values = values_of(words[i], kFields[i]);
    if (!values) return std::unexpected(values.error());
    for (const int value : *values) {
      const auto index = static_cast<std::size_t>(value);
      if (i == 0) cron.minutes_.set(index);
      if (i == 1) cron.hours_.set(index);
      if (i == 2) cron.days_.set(index);
      if (i == 3) cron.months_.set(index);
      if (i == 4) cron.weekdays_.set(index % 7);
    }
    cron.text_ += (i == 0 ? "" : " ") + words[i];
  }
  cron.any_day_ = words[2].starts_with('*');
  cron.any_weekday_ = words[4].starts_with('*');
  cron.is_fixed_ = !words[0].starts_with('*') && !words[1].starts_with('*');
  return cron;
}

// As ever with cron: of two days that are both named, one is enough.
bool Cron::matches_day(const Local& local) const {
  if (!months_[local.month]) return false;
  const bool day = days_[local.day];
  const bool weekday = weekdays_[local.weekday];
  return any_day_ || any_weekday_ ? day && weekday : day || weekday;
}

bool Cron::matches(const Local& local) const {
  return matches_day(local) && hours_[static_cast<std::size_t>(local.second_of_day / kHour)] &&
         minutes_[static_cast<std::size_t>(local.second_of_day % kHour / kMinute)];
}

// The same local time was there before, because the clocks went back.
bool Cron::comes_again(UtcSeconds at, const UtcOffset& offset) const {
  const std::int64_t before = offset(at - kShiftMax);
  const std::int64_t back = before - offset(at);
  return back > 0 && offset(at - back) == before;
}

// The clocks went forward between the two moments, and a time that was left out was meant: the first minute after.
std::optional<UtcSeconds> Cron::after_gap(UtcSeconds from, UtcSeconds to, const UtcOffset& offset) const {
  const std::int64_t before = offset(from);
  const std::int64_t gap = offset(to) - before;
  if (gap <= 0 || gap > kShiftMax) return std::nullopt;
  std::int64_t low = from / kMinute;
  std::int64_t high = to / kMinute;  // the first minute of the new time is in (low, high]
  while (high - low > 1) {
    const std::int64_t middle = low + (high - low) / 2;
    (offset(middle * kMinute) == before ? low : high) = middle;
  }
  const UtcSeconds first = high * kMinute;
  const UtcOffset as_before = [before](UtcSeconds) { return before; };
  for (UtcSeconds missing = first; missing < first + gap; missing += kMinute) {
    if (matches(local_at(missing, as_before))) return first;
  }
  return std::nullopt;
}

std::optional<UtcSeconds> Cron::next(UtcSeconds after, const UtcOffset& offset) const {
  const UtcSeconds end = after + kCronYearsMax * 366 * kDay;
  UtcSeconds at = after - ((after % kMinute) + kMinute) % kMinute;
  std::int64_t step = kMinute;
  while (at < end) {
    const UtcSeconds from = at;
    at += step;
    if (is_fixed_) {
      if (const auto first = after_gap(from, at, offset); first && *first > after) return first;
    }
    const Local local = local_at(at, offset);
    const std::int64_t second_of_hour = local.second_of_day % kHour;
    step = kMinute;
    if (!matches_day(local)) {
      // To the next day; its first hours by single steps, as the clocks may be moved there.
      const std::int64_t rest = kDay - local.second_of_day;
      step = rest > 2 * kShiftMax ? rest - kShiftMax - (rest - kShiftMax) % kHour : kHour - second_of_hour;
    } else if (!hours_[static_cast<std::size_t>(local.second_of_day / kHour)]) {
      step = kHour - second_of_hour;
    } else if (matches(local) && !(is_fixed_ && comes_again(at, offset))) {
      return at;
    }
  }
  return std::nullopt;
}

std::string Cron::describe() const {
  const bool every_day = any_day_ && any_weekday_ && days_.count() == 31 && weekdays_.all() && months_.count() == 12;
  const bool by_weekday = any_day_ && days_.count() == 31 && months_.count() == 12 && !weekdays_.all();
  if (minutes_.count() == 1 && hours_.count() == 1 && (every_day || by_weekday)) {
    const std::string at = " at " + clock_text(first_of(hours_), first_of(minutes_));
    if (every_day) return "every day" + at;
    if (weekdays_.to_ulong() == 0b0111110) return "Monday to Friday" + at;
    if (weekdays_.count() == 1) return "every " + std::string(kDayNames[first_of(weekdays_)]) + at;
  }
  if (every_day && hours_.all()) {
    if (minutes_.all()) return "every minute";
    if (minutes_.count() == 1) return "every hour at minute " + std::to_string(first_of(minutes_));
    for (const std::size_t step : {2U, 3U, 4U, 5U, 6U, 10U, 12U, 15U, 20U, 30U}) {
      std::bitset<60> regular;
      for (std::size_t minute = 0; minute < 60; minute += step) regular.set(minute);
      if (minutes_ == regular) return "every " + std::to_string(step) + " minutes";
    }
  }
  return "cron " + text_;
}

}  // namespace deft
