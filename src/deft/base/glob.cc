#include "deft/base/glob.h"

#include <algorithm>
#include <bit>
#include <optional>

#include "deft/base/text.h"
#include "deft/base/utf8_decode.h"

// The pattern becomes a small nondeterministic automaton. Its steps are the places that take a character; between them
// are nodes, and what can be reached from a node without taking anything is worked out once. A state is a set of
// steps, as bits: nearly every pattern has fewer than 64.

namespace deft {
namespace {

// Names need not be UTF-8: a byte that is no character is one of its own, behind all others.
char32_t stray_byte(unsigned char byte) { return 0x110000U + byte; }

struct OneWord {
  explicit OneWord(std::size_t) {}
  std::uint64_t word = 0;
  void add(const std::vector<std::uint64_t>& bits) { word |= bits[0]; }
  bool any() const { return word != 0; }
  bool has(std::size_t bit) const { return (word >> bit & 1U) != 0; }
  void clear() { word = 0; }
  template <class Visit>
  void each(const Visit& visit) const {
    for (std::uint64_t left = word; left != 0; left &= left - 1)
      visit(static_cast<std::size_t>(std::countr_zero(left)));
  }
};

struct ManyWords {
  explicit ManyWords(std::size_t bits) : words((bits + 63) / 64) {}
  std::vector<std::uint64_t> words;
  void add(const std::vector<std::uint64_t>& bits) {
    for (std::size_t i = 0; i < words.size(); ++i) words[i] |= bits[i];
  }
  bool any() const {
    return std::ranges::any_of(words, [](std::uint64_t word) { return word != 0; });
  }
  bool has(std::size_t bit) const { return (words[bit / 64] >> (bit % 64) & 1U) != 0; }
  void clear() { std::ranges::fill(words, 0); }
  template <class Visit>
  void each(const Visit& visit) const {
    for (std::size_t i = 0; i < words.size(); ++i) {
      for (std::uint64_t left = words[i]; left != 0; left &= left - 1) {
        visit(i * 64 + static_cast<std::size_t>(std::countr_zero(left)));
      }
    }
  }
};

struct NamedClass {
  std::string_view name;
  std::array<std::pair<char32_t, char32_t>, 4> ranges;
  std::size_t count;
};
constexpr auto kNamedClasses = std::to_array<NamedClass>({
    {"alnum", {{{'0', '9'}, {'A', 'Z'}, {'a', 'z'}}}, 3},
    {"alpha", {{{'A', 'Z'}, {'a', 'z'}}}, 2},
    {"blank", {{{'\t', '\t'}, {' ', ' '}}}, 2},
    {"cntrl", {{{0, 0x1F}, {0x7F, 0x7F}}}, 2},
    {"digit", {{{'0', '9'}}}, 1},
    {"graph", {{{'!', '~'}}}, 1},
    {"lower", {{{'a', 'z'}}}, 1},
    {"print", {{{' ', '~'}}}, 1},
    {"punct", {{{'!', '/'}, {':', '@'}, {'[', '`'}, {'{', '~'}}}, 4},
    {"space", {{{'\t', '\r'}, {' ', ' '}}}, 2},
    {"upper", {{{'A', 'Z'}}}, 1},
    {"xdigit", {{{'0', '9'}, {'A', 'F'}, {'a', 'f'}}}, 3},
});

}  // namespace

// Reads the pattern from left to right; a piece begins at a node and ends at a new one.
class GlobCompiler {
 public:
  GlobCompiler(std::string_view pattern, Glob::Syntax syntax) : pattern_(pattern) { glob_.syntax_ = syntax; }

  Result<Glob> compile() {
    if (pattern_.size() > kGlobBytesMax) {
      return fail(Errc::limit, "The pattern is longer than " + human_bytes(kGlobBytesMax) + ": use a shorter one.");
    }
    glob_.start_ = node();
    const auto end = sequence(glob_.start_, 0);
    if (!end) return fail(Errc::invalid_input, std::move(problem_));
    add_step(*end, {.takes = Takes::nothing_more});
    close_nodes();
    return std::move(glob_);
  }

 private:
  using Takes = Glob::Step::Takes;

  std::uint32_t node() {
    nodes_.emplace_back();
    return static_cast<std::uint32_t>(nodes_.size() - 1);
  }
  void add_step(std::uint32_t from, Glob::Step step) {
    nodes_[from].steps.push_back(static_cast<std::uint32_t>(glob_.steps_.size()));
    glob_.steps_.push_back(step);
  }
  std::uint32_t take(std::uint32_t from, Glob::Step step) {
    step.next = node();
    add_step(from, step);
    return step.next;
  }
  void link(std::uint32_t from, std::uint32_t to) { nodes_[from].links.push_back(to); }

  bool at_end() const { return at_ == pattern_.size(); }
  char peek() const { return at_end() ? '\0' : pattern_[at_]; }
  bool looking_at(std::string_view text) const { return pattern_.substr(at_).starts_with(text); }

  // Up to the end, or to the comma or brace that ends an alternative.
  std::optional<std::uint32_t> sequence(std::uint32_t from, std::size_t depth) {
    std::size_t begin = at_;  // of this alternative
    while (!at_end()) {
      const char c = peek();
      if (depth > 0 && (c == ',' || c == '}')) return from;
      if (c == '*') {
        from = stars(from, at_ == begin || pattern_[at_ - 1] == '/');
        continue;
      }
      std::optional<std::uint32_t> next;
      if (c == '{' && glob_.syntax_.braces) {
        next = braces(from, depth + 1);
      } else if (c == '[') {
        next = bracket(from);
      } else if (c == '?') {
        ++at_;
        next = take(from, {.takes = Takes::not_slash});
      } else {
        next = literal(from);
      }
      if (!next) return std::nullopt;
      from = *next;
    }
    return from;
  }

  std::uint32_t stars(std::uint32_t from, bool at_folder) {
    const std::size_t first = at_;
    while (peek() == '*') ++at_;
    const bool doubled = at_ - first >= 2;
    const bool ends = at_end() || (glob_.syntax_.braces && (peek() == ',' || peek() == '}'));
    const auto slash = looking_at("/") ? 1U : looking_at("\\/") ? 2U : 0U;
    if (doubled && at_folder && (ends || slash > 0)) {
      at_ += slash;
      return ends ? any_number(from, Takes::anything) : folders(from);
    }
    return any_number(from, Takes::not_slash);
  }

  std::uint32_t any_number(std::uint32_t from, Takes what) {
    const auto loop = node();
    link(from, loop);
    add_step(loop, {.takes = what, .next = loop});
    return loop;
  }

  // "**/": nothing, or anything that ends with a slash.
  std::uint32_t folders(std::uint32_t from) {
    const auto end = any_number(from, Takes::anything);
    const auto behind = take(end, {.takes = Takes::unit, .unit = '/'});
    link(from, behind);
    return behind;
  }

  std::optional<std::uint32_t> literal(std::uint32_t from) {
    if (peek() == '\\') {
      ++at_;
      if (at_end()) return report(at_ - 1, "a backslash at the very end", R"(Write \\ for a backslash itself.)");
    }
    return take(from, {.takes = Takes::unit, .unit = unit()});
  }

  // The next character, or in git's way the next byte.
  char32_t unit() {
    const auto* at = reinterpret_cast<const unsigned char*>(pattern_.data()) + at_;
    if (glob_.syntax_.characters) {
      const Decoded character = decode_forward(at, at + (pattern_.size() - at_));
      if (character.length > 0) {
        at_ += character.length;
        return character.point;
      }
    }
    ++at_;
    return glob_.syntax_.characters && *at >= 0x80 ? stray_byte(*at) : *at;
  }

  std::optional<std::uint32_t> braces(std::uint32_t from, std::size_t depth) {
    const std::size_t start = at_;
    if (depth > kGlobNestingMax) return report(start, "braces nested too deeply", "Use a simpler pattern.");
    const auto end = node();
    do {
      ++at_;                      // the brace or the comma
      const auto begin = node();  // of its own, so that a ** in it does not loop back into the others
      link(from, begin);
      const auto alternative = sequence(begin, depth);
      if (!alternative) return std::nullopt;
      link(*alternative, end);
    } while (peek() == ',' && !at_end());
    if (at_end()) return report(start, "a brace that is never closed", R"(Add "}", or write \{ for the brace itself.)");
    ++at_;
    return end;
  }

  std::optional<std::uint32_t> bracket(std::uint32_t from) {
    const std::size_t start = at_++;
    Glob::Set set;
    if (peek() == '!' || peek() == '^') {
      set.negated = true;
      ++at_;
    }
    for (bool first = true; first || peek() != ']'; first = false) {
      if (at_end())
        return report(start, "a bracket that is never closed", R"(Add "]", or write \[ for the bracket itself.)");
      if (!member(set, start)) return std::nullopt;
    }
    ++at_;
    glob_.sets_.push_back(std::move(set));
    return take(from, {.takes = Takes::set, .set = static_cast<std::uint16_t>(glob_.sets_.size() - 1)});
  }

  bool member(Glob::Set& set, std::size_t start) {
    if (looking_at("[:")) {
      const std::size_t close = pattern_.find(":]", at_ + 2);
      const std::string_view name = close == std::string_view::npos ? "" : pattern_.substr(at_ + 2, close - at_ - 2);
      const auto* const known = std::ranges::find(kNamedClasses, name, &NamedClass::name);
      if (known != kNamedClasses.end()) {
        set.ranges.insert(set.ranges.end(), known->ranges.begin(), known->ranges.begin() + known->count);
        at_ = close + 2;
        return true;
      }
      // In git a class that it does not know makes the whole pattern match nothing.
      if (!glob_.syntax_.braces && close != std::string_view::npos && name.find(']') == std::string_view::npos) {
        report(start, "a class that does not exist", "Use [:alpha:], [:digit:] and their like.");
        return false;
      }
    }
    const auto low = class_unit(start);
    if (!low) return false;
    const bool range = peek() == '-' && at_ + 1 < pattern_.size() && pattern_[at_ + 1] != ']';
    if (!range) {
      set.ranges.emplace_back(*low, *low);
      return true;
    }
    ++at_;
    const auto high = class_unit(start);
    if (!high) return false;
    set.ranges.emplace_back(*low, *high);
    return true;
  }

  std::optional<char32_t> class_unit(std::size_t start) {
    if (peek() == '\\') {
      ++at_;
      if (at_end())
        return report(start, "a bracket that is never closed", R"(Add "]", or write \[ for the bracket itself.)");
    }
    return unit();
  }

  std::nullopt_t report(std::size_t at, std::string_view problem, std::string_view hint) {
    problem_ = "The glob pattern is not valid at character " + std::to_string(at + 1) + ", `" +
               one_line(pattern_.substr(at), 20) + "`: " + std::string(problem) + ". " + std::string(hint);
    return std::nullopt;
  }

  // For each node, the steps that can be reached from it over links.
  void close_nodes() {
    const std::size_t words = (glob_.steps_.size() + 63) / 64;
    std::vector<bool> is_target(nodes_.size());
    is_target[glob_.start_] = true;
    for (const Glob::Step& step : glob_.steps_) is_target[step.next] = true;
    glob_.reached_.resize(nodes_.size());
    std::vector<std::uint32_t> seen_in(nodes_.size(), kNever);
    std::vector<std::uint32_t> stack;
    for (std::uint32_t origin = 0; origin < nodes_.size(); ++origin) {
      if (!is_target[origin]) continue;
      Glob::Bits& bits = glob_.reached_[origin];
      bits.assign(words, 0);
      stack.push_back(origin);
      while (!stack.empty()) {
        const std::uint32_t at = stack.back();
        stack.pop_back();
        if (seen_in[at] == origin) continue;
        seen_in[at] = origin;
        for (const std::uint32_t step : nodes_[at].steps) bits[step / 64] |= std::uint64_t{1} << (step % 64);
        stack.insert(stack.end(), nodes_[at].links.begin(), nodes_[at].links.end());
      }
    }
  }

  static constexpr std::uint32_t kNever = 0xFFFFFFFF;
  struct Node {
    std::vector<std::uint32_t> steps;
    std::vector<std::uint32_t> links;  // to other nodes, without taking anything
  };

  std::string_view pattern_;
  std::size_t at_ = 0;
  Glob glob_;
  std::vector<Node> nodes_;
  std::string problem_;
};

Result<Glob> Glob::compile(std::string_view pattern, Syntax syntax) { return GlobCompiler(pattern, syntax).compile(); }

bool Glob::Set::contains(char32_t unit) const {
  const bool listed =
      std::ranges::any_of(ranges, [&](const auto& range) { return range.first <= unit && unit <= range.second; });
  return listed != negated;
}

bool Glob::takes(const Step& step, char32_t unit) const {
  switch (step.takes) {
    case Step::Takes::unit: return step.unit == unit;
    case Step::Takes::not_slash: return unit != '/';
    case Step::Takes::anything: return true;
    case Step::Takes::set: return unit != '/' && sets_[step.set].contains(unit);
    case Step::Takes::nothing_more: return false;
  }
  return false;
}

template <class State>
void Glob::advance(const State& from, char32_t unit, State& to) const {
  to.clear();
  from.each([&](std::size_t number) {
    if (takes(steps_[number], unit)) to.add(reached_[steps_[number].next]);
  });
}

template <class State>
State Glob::run(std::string_view path) const {
  State state(steps_.size());
  State next(steps_.size());
  state.add(reached_[start_]);
  const auto* at = reinterpret_cast<const unsigned char*>(path.data());
  const auto* end = at + path.size();
  while (at < end && state.any()) {
    char32_t unit = *at;
    std::uint32_t length = 1;
    if (syntax_.characters && unit >= 0x80) {
      const Decoded character = decode_forward(at, end);
      unit = character.length == 0 ? stray_byte(*at) : character.point;
      length = std::max(character.length, 1U);
    }
    advance(state, unit, next);
    std::swap(state, next);
    at += length;
  }
  return state;
}

bool Glob::matches(std::string_view path) const {
  const std::size_t last = steps_.size() - 1;
  return steps_.size() <= 64 ? run<OneWord>(path).has(last) : run<ManyWords>(path).has(last);
}

bool Glob::may_match_below(std::string_view folder) const {
  const std::string prefix = folder.empty() ? "" : std::string(folder) + "/";
  return steps_.size() <= 64 ? run<OneWord>(prefix).any() : run<ManyWords>(prefix).any();
}

}  // namespace deft
