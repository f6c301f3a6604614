#include "deft/core/schema_problems.h"

#include <algorithm>
#include <compare>

#include "deft/base/json.h"
#include "deft/base/utf8.h"

namespace deft::schema {
namespace {

constexpr std::size_t kPathCharactersMax = 200;
constexpr std::size_t kProblemCharactersMax = 600;
constexpr std::size_t kCombinedAlternativesMax = 5;

std::string cut(std::string text, std::size_t characters_max) {
  const std::string_view shown = first_characters(text, characters_max);
  if (shown.size() == text.size()) return text;
  return std::string(shown) + "…";
}

bool is_plain_key(std::string_view key) {
  return !key.empty() && std::ranges::all_of(key, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-' ||
           c == '$';
  });
}

}  // namespace

std::size_t Place::depth() const {
  std::size_t depth = 0;
  for (const Place* at = this; at->parent; at = at->parent) ++depth;
  return depth;
}

std::string Place::path() const {
  std::vector<const Place*> places;
  for (const Place* at = this; at->parent; at = at->parent) places.push_back(at);
  std::ranges::reverse(places);

  std::string path;
  for (const Place* place : places) {
    if (path.size() > kPathCharactersMax * 4) break;
    if (place->is_item) {
      path += "[" + std::to_string(place->index) + "]";
    } else if (is_plain_key(place->key)) {
      if (!path.empty()) path += '.';
      path += place->key;
    } else {
      path += "[" + json_quote(first_characters(place->key, kPathCharactersMax)) + "]";
    }
  }
  return cut(std::move(path), kPathCharactersMax);
}

// Compared from the first member on; less is closer.
struct Problems::Distance {
  bool wrong_type = false;  // the value itself is of another type
  std::size_t wrong_constants = 0;
  std::size_t problems = 0;

  auto operator<=>(const Distance&) const = default;
};

Problems::Distance Problems::distance_from(std::size_t depth) const {
  Distance distance{.problems = found_.size()};
  for (const Found& found : found_) {
    if (found.kind == Kind::type && found.depth <= depth) distance.wrong_type = true;
    if (found.kind == Kind::constant && found.depth <= depth + 1) ++distance.wrong_constants;
  }
  return distance;
}

void Problems::add(const Place& where, Kind kind, std::string expected, std::string got) {
  if (full()) return;
  found_.push_back(
      {{where.path(), cut(std::move(expected), kProblemCharactersMax), cut(std::move(got), kProblemCharactersMax)},
       where.depth(),
       kind});
}

void Problems::add_closest(const Place& where, std::vector<Problems> attempts) {
  std::erase_if(attempts, [](const Problems& attempt) { return attempt.found_.empty(); });
  if (attempts.empty() || full()) return;

  const std::size_t depth = where.depth();
  Distance least = attempts.front().distance_from(depth);
  for (const Problems& attempt : attempts) least = std::min(least, attempt.distance_from(depth));
  std::erase_if(attempts, [&](const Problems& attempt) { return attempt.distance_from(depth) != least; });

  const bool comparable = least.problems == 1 || least.wrong_constants > 0;
  if (attempts.size() == 1 || !comparable) {
    for (Found& found : attempts.front().found_) {
      if (!full()) found_.push_back(std::move(found));
    }
    return;
  }
  std::vector<const Found*> equally_close;
  for (const Problems& attempt : attempts) {
    const auto constant = std::ranges::find(attempt.found_, Kind::constant, &Found::kind);
    equally_close.push_back(constant != attempt.found_.end() ? &*constant : &attempt.found_.front());
  }
  add_combined(where, equally_close);
}

void Problems::add_combined(const Place& where, const std::vector<const Found*>& equally_close) {
  const Found& first = *equally_close.front();
  const bool same_path =
      std::ranges::all_of(equally_close, [&](const Found* found) { return found->problem.path == first.problem.path; });
  std::vector<std::string> alternatives;
  for (const Found* found : equally_close) {
    const SchemaProblem& problem = found->problem;
    std::string text = same_path ? problem.expected : problem.path + ": " + problem.expected;
    if (std::ranges::find(alternatives, text) == alternatives.end()) alternatives.push_back(std::move(text));
  }
  std::string expected;
  for (std::size_t i = 0; i < std::min(alternatives.size(), kCombinedAlternativesMax); ++i) {
    if (i > 0) expected += same_path ? " or " : "; or ";
    expected += alternatives[i];
  }
  if (alternatives.size() > kCombinedAlternativesMax) {
    expected += " or " + std::to_string(alternatives.size() - kCombinedAlternativesMax) + " other alternatives";
  }
  Found combined = first;
  combined.problem.expected = cut(std::move(expected), kProblemCharactersMax);
  if (!same_path) {
    combined.problem.path = where.path();
    combined.problem.got = "none of these";
    combined.kind = Kind::other;
  }
  found_.push_back(std::move(combined));
}

std::vector<SchemaProblem> Problems::take() {
  std::vector<SchemaProblem> problems;
  for (Found& found : found_) problems.push_back(std::move(found.problem));
  found_.clear();
  return problems;
}

}  // namespace deft::schema
