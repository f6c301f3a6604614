#include "deft/base/regex_literals.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "deft/base/byte_rarity.h"
#include "deft/base/utf8.h"

namespace deft {
namespace {

constexpr std::size_t kCharactersExpandedMax = 8;  // of one set
constexpr std::size_t kProductMax = 16;            // of sets in a row: four letters of either case
constexpr std::size_t kLiteralBytesMax = 64;
// A text that is expected more often than once in so many bytes is of no help: nearly every line would hold it.
constexpr double kBytesBetweenMin = 100;

using Texts = std::vector<std::string>;

// What is known of a part of the pattern.
struct Known {
  std::optional<Texts> all;  // everything that it can match
  Texts required;            // any match holds one of these; none: nothing known
  Texts first = {};          // any match begins with one of these; none, or an empty one: nothing known
};

void remove_repeats(Texts& texts) {
  std::ranges::sort(texts);
  texts.erase(std::ranges::unique(texts).begin(), texts.end());
}

// How many bytes of ordinary text lie between two of them, as a guess. Nothing helps that may be empty.
double bytes_between(const Texts& texts) {
  double share = 0;
  for (const std::string& text : texts) share += std::exp2(-text_rarity(text));
  return texts.empty() ? 0 : 1 / share;
}

void keep_better(Texts& best, Texts other) {
  if (bytes_between(other) > bytes_between(best)) best = std::move(other);
}

Known known_of(const RegexNode& node);

Known known_of_set(const CodePointSet& set) {
  if (set.is_empty() || set.size() > kCharactersExpandedMax) return {};
  Texts texts;
  for (const CodePointRange& range : set.ranges()) {
    for (char32_t point = range.low; point <= range.high; ++point) append_utf8(texts.emplace_back(), point);
  }
  return {.all = texts, .required = texts, .first = texts};
}

// Every text of the one with every text of the other behind it; nothing if that is too much.
std::optional<Texts> product(const Texts& first, const Texts& second) {
  if (first.size() * second.size() > std::max({kProductMax, first.size(), second.size()})) return std::nullopt;
  Texts out;
  for (const std::string& a : first) {
    for (const std::string& b : second) {
      if (a.size() + b.size() > kLiteralBytesMax) return std::nullopt;
      out.push_back(a + b);
    }
  }
  return out;
}

Known known_of_sequence(const std::vector<RegexNode>& parts) {
  Texts best;
  Texts first;
  Texts run = {""};  // what the last parts together can match
  bool whole = true;
  for (const RegexNode& part : parts) {
    Known known = known_of(part);
    keep_better(best, std::move(known.required));
    auto longer = known.all ? product(run, *known.all) : std::nullopt;
    if (longer) {
      run = std::move(*longer);
      continue;
    }
    if (whole) {
      auto begun = known.first.empty() ? std::nullopt : product(run, known.first);
      first = begun ? std::move(*begun) : run;
    }
    whole = false;
    keep_better(best, std::move(run));
    run = known.all ? std::move(*known.all) : Texts{""};
  }
  keep_better(best, run);
  if (whole) first = run;
  return {.all = whole ? std::optional(std::move(run)) : std::nullopt,
          .required = std::move(best),
          .first = std::move(first)};
}

Known known_of_choice(const std::vector<RegexNode>& parts) {
  Known out{.all = Texts{}};
  bool all_required = true;
  bool all_first = true;
  for (const RegexNode& part : parts) {
    Known known = known_of(part);
    if (out.all && known.all) {
      out.all->insert(out.all->end(), known.all->begin(), known.all->end());
      if (out.all->size() > kLiteralsMax) out.all.reset();
    } else {
      out.all.reset();
    }
    all_required = all_required && !known.required.empty();
    out.required.insert(out.required.end(), known.required.begin(), known.required.end());
    if (out.required.size() > kLiteralsMax * 2) all_required = false;
    if (!all_required) out.required.clear();
    all_first = all_first && !known.first.empty() && out.first.size() <= kLiteralsMax;
    out.first.insert(out.first.end(), known.first.begin(), known.first.end());
    if (!all_first) out.first.clear();
  }
  remove_repeats(out.required);
  if (out.required.size() > kLiteralsMax) out.required.clear();
  return out;
}

Known known_of_repeat(const RegexNode& node) {
  if (node.most == 0) return {.all = Texts{""}};
  Known inner = known_of(node.parts.front());
  if (node.least == 0) {
    if (node.most != 1 || !inner.all || inner.all->size() == kLiteralsMax) return {};
    inner.all->emplace_back();
    return {.all = std::move(inner.all)};
  }
  if (node.most == 1) return inner;
  if (node.least != node.most || !inner.all) {
    return {.required = std::move(inner.required), .first = std::move(inner.first)};
  }
  std::optional<Texts> all = inner.all;
  for (std::uint32_t i = 1; i < node.least && all; ++i) {
    all = product(*all, *inner.all);
    if (all && all->size() == 1 && all->front().empty()) break;
  }
  if (!all) return {.required = std::move(inner.required), .first = std::move(inner.first)};
  Texts required = *all;
  return {.all = all, .required = std::move(required), .first = std::move(*all)};
}

Known known_of(const RegexNode& node) {
  switch (node.kind) {
    case RegexNode::Kind::empty:
    case RegexNode::Kind::assertion: return {.all = Texts{""}};
    case RegexNode::Kind::set: return known_of_set(node.set);
    case RegexNode::Kind::sequence: return known_of_sequence(node.parts);
    case RegexNode::Kind::choice: return known_of_choice(node.parts);
    case RegexNode::Kind::repeat: return known_of_repeat(node);
  }
  return {};
}

bool has_assertion(const RegexNode& node) {
  return node.kind == RegexNode::Kind::assertion || std::ranges::any_of(node.parts, has_assertion);
}

bool is_useful(const Texts& texts) { return bytes_between(texts) >= kBytesBetweenMin; }

}  // namespace

RequiredLiterals required_literals(const RegexNode& root) {
  Known known = known_of(root);
  const bool holds_empty = known.all && std::ranges::any_of(*known.all, &std::string::empty);
  if (known.all && !holds_empty && !has_assertion(root)) {
    remove_repeats(*known.all);
    // One text alone is always worth it: there is nothing left for the automaton to do.
    if (known.all->size() == 1 || is_useful(*known.all)) return {.any_of = std::move(*known.all), .exact = true};
  }
  if (!is_useful(known.required)) return {};
  remove_repeats(known.required);
  return {.any_of = std::move(known.required)};
}

std::vector<std::string> literals_at_begin(const RegexNode& root) {
  Texts first = known_of(root).first;
  remove_repeats(first);
  const bool may_be_empty = std::ranges::any_of(first, &std::string::empty);
  if (may_be_empty || first.size() > kLiteralsMax || !is_useful(first)) return {};
  return first;
}

}  // namespace deft
