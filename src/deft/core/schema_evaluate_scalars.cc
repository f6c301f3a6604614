#include "deft/core/schema_evaluation.h"

#include <algorithm>

#include "deft/base/utf8.h"

namespace deft::schema {
namespace {

constexpr std::uint64_t kCountedBytesPerStep = 64;

}  // namespace

bool Evaluation::values_hold(const ValueRules& rules, const Visit& visit) {
  if (rules.constant && !equal(visit.value, *rules.constant, budget_)) {
    return refuse(visit, [&] { return short_json(*rules.constant); }, Kind::constant);
  }
  if (!rules.listed) return true;
  const bool listed =
      std::ranges::any_of(*rules.listed, [&](const Json& each) { return equal(visit.value, each, budget_); });
  return listed || refuse(visit, [&] { return "one of " + list_of(*rules.listed); }, Kind::constant);
}

bool Evaluation::number_holds(const NumberRules& rules, const Visit& visit) {
  const auto order = [&](const std::optional<Json>& bound) { return compare_numbers(visit.value, *bound); };
  const auto refuse_number = [&](std::string_view words, const std::optional<Json>& bound) {
    return refuse(visit, [&] { return "a number " + std::string(words) + " " + short_json(*bound); });
  };
  if (rules.minimum && order(rules.minimum) < 0) return refuse_number("of at least", rules.minimum);
  if (rules.maximum && order(rules.maximum) > 0) return refuse_number("of at most", rules.maximum);
  if (rules.exclusive_minimum && order(rules.exclusive_minimum) <= 0) {
    return refuse_number("greater than", rules.exclusive_minimum);
  }
  if (rules.exclusive_maximum && order(rules.exclusive_maximum) >= 0) {
    return refuse_number("less than", rules.exclusive_maximum);
  }
  if (!rules.multiple_of || is_multiple(visit.value, *rules.multiple_of)) return true;
  return refuse_number("that is a multiple of", rules.multiple_of);
}

bool Evaluation::count_holds(std::uint64_t count, const CountRange& range, std::string_view noun, const Visit& visit) {
  if (count >= range.min && count <= range.max) return true;
  const auto expected = [&] {
    return count < range.min ? "at least " + count_of(range.min, noun) : "at most " + count_of(range.max, noun);
  };
  const auto got = [&] { return describe_value(visit.value) + " with " + count_of(count, noun); };
  return refuse_at(visit.place, visit, Kind::other, expected, got);
}

bool Evaluation::string_holds(const StringRules& rules, const Visit& visit) {
  const std::string_view text = view(visit.value.get_string());
  // Characters are between a fourth of the bytes and all of them: counting is often not needed.
  if (text.size() / 4 < rules.length.min || text.size() > rules.length.max) {
    budget_.spend(text.size() / kCountedBytesPerStep);
    if (!count_holds(count_characters(text), rules.length, "character", visit)) return false;
  }
  if (!rules.pattern || pattern_matches(*rules.pattern, text)) return true;
  return refuse(visit, [&] { return "a string that matches the pattern " + short_text(rules.pattern->text()); });
}

bool Evaluation::pattern_matches(const Pattern& pattern, std::string_view text) {
  const Match match = pattern.search(text, budget_.left());
  if (match != Match::gave_up) return match == Match::yes;
  return give_up("the pattern " + short_text(pattern.text()) + " could not be decided within the limits");
}

}  // namespace deft::schema
