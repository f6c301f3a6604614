#include <array>

#include "deft/base/regex_cursor.h"

// Bracket expressions: [a-z_], [^\s"], [[:alpha:]--[aeiou]], [\w&&[^\d]].

namespace deft {
namespace {

struct AsciiClass {
  std::u32string_view name;
  std::array<CodePointRange, 4> ranges;
  std::size_t count;
};

constexpr auto kAsciiClasses = std::to_array<AsciiClass>({
    {U"alnum", {{{'0', '9'}, {'A', 'Z'}, {'a', 'z'}}}, 3},
    {U"alpha", {{{'A', 'Z'}, {'a', 'z'}}}, 2},
    {U"ascii", {{{0, 0x7F}}}, 1},
    {U"blank", {{{'\t', '\t'}, {' ', ' '}}}, 2},
    {U"cntrl", {{{0, 0x1F}, {0x7F, 0x7F}}}, 2},
    {U"digit", {{{'0', '9'}}}, 1},
    {U"graph", {{{'!', '~'}}}, 1},
    {U"lower", {{{'a', 'z'}}}, 1},
    {U"print", {{{' ', '~'}}}, 1},
    {U"punct", {{{'!', '/'}, {':', '@'}, {'[', '`'}, {'{', '~'}}}, 4},
    {U"space", {{{'\t', '\r'}, {' ', ' '}}}, 2},
    {U"upper", {{{'A', 'Z'}}}, 1},
    {U"word", {{{'0', '9'}, {'A', 'Z'}, {'_', '_'}, {'a', 'z'}}}, 4},
    {U"xdigit", {{{'0', '9'}, {'A', 'F'}, {'a', 'f'}}}, 3},
});

// [:alpha:] or [:^alpha:]. Nothing, and not moved, if it is not one: then it is an ordinary nested class.
std::optional<CodePointSet> take_ascii_class(RegexCursor& cursor, const RegexFlags& flags) {
  const std::size_t start = cursor.position();
  if (!cursor.take(U"[:")) return std::nullopt;
  const bool negated = cursor.take(U"^");
  for (const AsciiClass& known : kAsciiClasses) {
    const std::size_t name = cursor.position();
    if (cursor.take(known.name) && cursor.take(U":]")) {
      CodePointSet set(std::span(known.ranges).first(known.count));
      if (flags.ignore_case) set = set.with_other_cases();  // before it is negated: "no letter" holds no letter
      return negated ? set.complement() : set;
    }
    cursor.rewind(name);
  }
  cursor.rewind(start);
  return std::nullopt;
}

class ClassParser {
 public:
  ClassParser(RegexCursor& cursor, const RegexFlags& flags, std::size_t depth)
      : cursor_(cursor), flags_(flags), depth_(depth), start_(cursor.position()) {}

  std::optional<CodePointSet> parse() {
    if (depth_ > kRegexDepthMax) return cursor_.report(start_, "classes nested too deeply", "Use simpler classes.");
    cursor_.advance();
    blanks();
    const bool negated = cursor_.take(U"^");
    blanks();
    while (cursor_.take(U"-")) {  // at the beginning they stand for themselves
      items_.push_back({'-', '-'});
      blanks();
    }
    if (items_.empty() && cursor_.take(U"]")) items_.push_back({']', ']'});
    while (true) {
      blanks();
      if (cursor_.at_end()) {
        return cursor_.report(start_, "a class that is never closed",
                              R"(Add "]", or write \[ to search for a bracket.)");
      }
      if (cursor_.take(U"]")) break;
      if (!operation() && !item()) return std::nullopt;
    }
    apply_pending();
    if (!negated) return std::move(left_);
    if (!flags_.unicode) {
      return cursor_.report(start_, "a class that also holds bytes which are no characters",
                            "Leave (?-u) out: text is searched by its characters, not by its bytes.");
    }
    return left_.complement();
  }

 private:
  enum class Operation : std::uint8_t { unite, intersect, subtract, differ };

  void blanks() { cursor_.skip_blanks(flags_); }

  bool operation() {
    Operation found = Operation::unite;
    if (cursor_.looking_at(U"&&")) found = Operation::intersect;
    if (cursor_.looking_at(U"--")) found = Operation::subtract;
    if (cursor_.looking_at(U"~~")) found = Operation::differ;
    if (found == Operation::unite) return false;
    cursor_.advance(2);
    apply_pending();
    pending_ = found;
    return true;
  }

  // What was gathered since the last operation is the right side of that one.
  void apply_pending() {
    CodePointSet right(std::exchange(items_, {}));
    if (flags_.ignore_case) right = right.with_other_cases();
    right = right | std::exchange(nested_, {});
    switch (pending_) {
      case Operation::unite: left_ = std::move(right); break;
      case Operation::intersect: left_ = left_ & right; break;
      case Operation::subtract: left_ = left_ - right; break;
      case Operation::differ: left_ = (left_ | right) - (left_ & right); break;
    }
  }

  bool item() {
    if (cursor_.peek() == '[') {
      if (const auto named = take_ascii_class(cursor_, flags_)) return add(*named);
      const auto nested = parse_regex_class(cursor_, flags_, depth_ + 1);
      if (nested) nested_ = nested_ | *nested;  // has its other cases already
      return nested.has_value();
    }
    const std::size_t at = cursor_.position();
    const auto first = member();
    if (!first) return false;
    blanks();
    if (!begins_range()) return add(*first);
    cursor_.advance();
    blanks();
    const auto last = cursor_.at_end() ? std::nullopt : member();
    if (cursor_.failed()) return false;
    const auto* low = std::get_if<char32_t>(&*first);
    const auto* high = last ? std::get_if<char32_t>(&*last) : nullptr;
    if (!low || !high) {
      cursor_.report(at, "a range needs a character at both ends", "Put a minus sign first or last, or write \\-.");
      return false;
    }
    if (*low > *high) {
      cursor_.report(at, "a range that ends before it begins", "Exchange the two ends.");
      return false;
    }
    items_.push_back({*low, *high});
    return true;
  }

  bool begins_range() const {
    return cursor_.peek() == '-' && cursor_.peek(1) != ']' && cursor_.peek(1) != '-' && !cursor_.at_end();
  }

  std::optional<std::variant<char32_t, CodePointSet>> member() {
    if (cursor_.peek() != '\\') return cursor_.next();
    const std::size_t at = cursor_.position();
    auto escape = parse_regex_escape(cursor_, flags_);
    if (!escape) return std::nullopt;
    if (const auto* c = std::get_if<char32_t>(&*escape)) return *c;
    if (auto* set = std::get_if<CodePointSet>(&*escape)) return std::move(*set);
    return cursor_.report(at, "a class holds characters, and this is a place", "Write it outside of the brackets.");
  }

  bool add(const CodePointSet& set) {
    items_.insert(items_.end(), set.ranges().begin(), set.ranges().end());
    return true;
  }
  bool add(const std::variant<char32_t, CodePointSet>& one) {
    if (const auto* set = std::get_if<CodePointSet>(&one)) return add(*set);
    const char32_t c = std::get<char32_t>(one);
    items_.push_back({c, c});
    return true;
  }

  RegexCursor& cursor_;
  const RegexFlags flags_;
  const std::size_t depth_;
  const std::size_t start_;
  std::vector<CodePointRange> items_;
  CodePointSet nested_;
  CodePointSet left_;
  Operation pending_ = Operation::unite;
};

}  // namespace

std::optional<CodePointSet> parse_regex_class(RegexCursor& cursor, const RegexFlags& flags, std::size_t depth) {
  return ClassParser(cursor, flags, depth).parse();
}

}  // namespace deft
