#include <algorithm>

#include "deft/base/regex_cursor.h"
#include "deft/base/text.h"
#include "deft/base/utf8.h"
#include "deft/base/utf8_decode.h"

namespace deft {
namespace {

constexpr std::size_t kShownCharactersMax = 20;

RegexNode node_of(Assertion assertion) { return {.kind = RegexNode::Kind::assertion, .assertion = assertion}; }

RegexNode join_parts(RegexNode::Kind kind, std::vector<RegexNode> parts) {
  if (parts.empty()) return {};
  if (parts.size() == 1) return std::move(parts.front());
  return {.kind = kind, .parts = std::move(parts)};
}

std::u32string decode_pattern(std::string_view pattern) {
  std::u32string text;
  const auto* at = reinterpret_cast<const unsigned char*>(pattern.data());
  const auto* end = at + pattern.size();
  while (at < end) {
    const Decoded character = decode_forward(at, end);
    text += character.length == 0 ? U'\uFFFD' : character.point;
    at += std::max<std::uint32_t>(character.length, 1);
  }
  return text;
}

bool is_blank(char32_t c) { return c != RegexCursor::kEnd && unicode_set(CharacterKind::space).contains(c); }

struct Repetition {
  std::uint32_t least;
  std::uint32_t most;
};

// A number, with blanks around it. Nothing if there is none.
std::optional<std::uint32_t> take_number(RegexCursor& cursor) {
  while (is_blank(cursor.peek())) cursor.advance();
  std::uint64_t value = 0;
  bool any = false;
  for (; cursor.peek() >= '0' && cursor.peek() <= '9'; cursor.advance(), any = true) {
    value = std::min<std::uint64_t>(value * 10 + (cursor.peek() - '0'), kRepeatNoLimit - 1);
  }
  while (is_blank(cursor.peek())) cursor.advance();
  return any ? std::optional(static_cast<std::uint32_t>(value)) : std::nullopt;
}

// {n}, {n,}, {n,m} or {,m}. Nothing, and not moved, if the brace is just a brace.
std::optional<Repetition> take_counted_repetition(RegexCursor& cursor) {
  const std::size_t start = cursor.position();
  cursor.advance();
  const auto least = take_number(cursor);
  if (least && cursor.take(U"}")) return Repetition{*least, *least};
  if (cursor.take(U",")) {
    const auto most = take_number(cursor);
    if ((least || most) && cursor.take(U"}")) return Repetition{least.value_or(0), most.value_or(kRepeatNoLimit)};
  }
  cursor.rewind(start);
  return std::nullopt;
}

class RegexParser {
 public:
  RegexParser(std::string_view pattern, const RegexOptions& options)
      : cursor_(decode_pattern(pattern)), by_line_(options.by_line) {
    first_flags_.ignore_case = options.ignore_case;
    first_flags_.dot_matches_newline = options.dot_matches_newline;
  }

  Result<RegexNode> parse() {
    auto root = group_content(first_flags_, 0);
    if (root && !cursor_.at_end()) {  // it stopped at a parenthesis
      cursor_.report(cursor_.position(), "a closing parenthesis without an opening one",
                     R"(Write \) to search for a parenthesis.)");
    }
    if (cursor_.failed()) return std::unexpected(cursor_.error());
    return std::move(*root);
  }

 private:
  // Everything up to the end of the group. Flags that are set in it hold until its end, also in later alternatives.
  std::optional<RegexNode> group_content(RegexFlags flags, std::size_t depth) {
    if (depth > kRegexDepthMax) {
      return cursor_.report(cursor_.position(), "groups nested too deeply", "Use a simpler pattern.");
    }
    std::vector<RegexNode> alternatives;
    std::vector<RegexNode> items;
    std::size_t repeats = 0;  // of the last item
    bool can_repeat = false;  // is there an item for a repetition to follow?
    while (true) {
      cursor_.skip_blanks(flags);
      if (cursor_.at_end() || cursor_.peek() == ')') break;
      if (cursor_.take(U"|")) {
        alternatives.push_back(join_parts(RegexNode::Kind::sequence, std::exchange(items, {})));
        can_repeat = false;
        continue;
      }
      const std::size_t at = cursor_.position();
      if (const auto repetition = take_repetition()) {
        if (!can_repeat) {
          return cursor_.report(at, "there is nothing to repeat",
                                "Put something before it, or a backslash to search for it.");
        }
        if (++repeats > kRegexRepeatsMax) {
          return cursor_.report(at, "repetitions nested too deeply", "Use a simpler pattern.");
        }
        if (!repeat(items.back(), *repetition, flags, at)) return std::nullopt;
        continue;
      }
      if (cursor_.failed()) return std::nullopt;
      if (takes_flags_only(flags)) {
        if (cursor_.failed()) return std::nullopt;
        can_repeat = false;
        continue;
      }
      auto item = cursor_.peek() == '(' ? group(flags, depth) : atom(flags);
      if (!item) return std::nullopt;
      items.push_back(std::move(*item));
      can_repeat = true;
      repeats = 0;
    }
    alternatives.push_back(join_parts(RegexNode::Kind::sequence, std::move(items)));
    return join_parts(RegexNode::Kind::choice, std::move(alternatives));
  }

  std::optional<Repetition> take_repetition() {
    if (cursor_.take(U"*")) return Repetition{0, kRepeatNoLimit};
    if (cursor_.take(U"+")) return Repetition{1, kRepeatNoLimit};
    if (cursor_.take(U"?")) return Repetition{0, 1};
    if (cursor_.peek() == '{') return take_counted_repetition(cursor_);
    return std::nullopt;
  }

  bool repeat(RegexNode& item, Repetition repetition, const RegexFlags& flags, std::size_t at) {
    if (repetition.least > repetition.most) {
      cursor_.report(at, "a repetition whose least is more than its most", "Exchange the two numbers.");
      return false;
    }
    const bool lazy = cursor_.take(U"?") != flags.swap_greed;
    RegexNode inner = std::move(item);
    item = {.kind = RegexNode::Kind::repeat, .greedy = !lazy, .least = repetition.least, .most = repetition.most};
    item.parts.push_back(std::move(inner));
    return true;
  }

  // "(?i)" changes the flags for the rest of the group. False, and not moved: it is something else.
  bool takes_flags_only(RegexFlags& flags) {
    const std::size_t start = cursor_.position();
    if (!cursor_.take(U"(?")) return false;
    const char32_t c = cursor_.peek();
    if (c == ':' || c == 'P' || c == '<' || c == '=' || c == '!') {
      cursor_.rewind(start);
      return false;
    }
    RegexFlags changed = flags;
    if (!parse_flags(changed)) return true;
    if (cursor_.take(U")")) {
      flags = changed;
      return true;
    }
    cursor_.rewind(start);
    return false;
  }

  std::optional<RegexNode> group(RegexFlags flags, std::size_t depth) {
    const std::size_t start = cursor_.position();
    cursor_.advance();
    if (cursor_.take(U"?") && !group_head(flags, start)) return std::nullopt;
    auto content = group_content(flags, depth + 1);
    if (!content) return std::nullopt;
    if (!cursor_.take(U")")) {
      return cursor_.report(start, "a group that is never closed",
                            "Add a closing parenthesis, or write \\( to search for one.");
    }
    return content;
  }

  // After "(?".
  bool group_head(RegexFlags& flags, std::size_t start) {
    if (cursor_.looking_at(U"=") || cursor_.looking_at(U"!") || cursor_.looking_at(U"<=") ||
        cursor_.looking_at(U"<!")) {
      cursor_.report(start, "look-around is not supported",
                     "Search for the text with what stands around it, then look at the lines that are found.");
      return false;
    }
    if (cursor_.take(U"P<") || cursor_.take(U"<")) return group_name(start);
    if (!parse_flags(flags)) return false;
    if (cursor_.take(U":")) return true;
    cursor_.report(start, "a group whose kind is not known", "Use (…) or (?:…).");
    return false;
  }

  bool group_name(std::size_t start) {
    std::size_t length = 0;
    for (; !cursor_.at_end() && cursor_.peek() != '>'; ++length) {
      const char32_t c = cursor_.next();
      const bool inner = length > 0 && ((c >= '0' && c <= '9') || c == '.' || c == '[' || c == ']');
      const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c > 0x7F;
      if (!inner && !letter) break;
    }
    if (length > 0 && cursor_.take(U">")) return true;
    cursor_.report(start, "a group with a bad name", "Use letters, digits and underscores, as in (?P<name>…).");
    return false;
  }

  // Letters, a minus sign, letters; up to ':' or ')'.
  bool parse_flags(RegexFlags& flags) {
    const std::size_t start = cursor_.position();
    bool on = true;
    bool named_one = false;  // since the beginning or the minus sign
    while (!cursor_.at_end() && cursor_.peek() != ':' && cursor_.peek() != ')') {
      const char32_t letter = cursor_.next();
      if (letter == '-') {
        if (!on) return bad_flags(start);
        on = false;
        named_one = false;
        continue;
      }
      bool* const flag = flag_named(letter, flags);
      if (!flag) return bad_flags(start);
      *flag = on;
      named_one = true;
    }
    const bool is_plain_group = on && cursor_.peek() == ':';  // (?:…)
    return !cursor_.at_end() && (named_one || is_plain_group) ? true : bad_flags(start);
  }

  static bool* flag_named(char32_t letter, RegexFlags& flags) {
    switch (letter) {
      case 'i': return &flags.ignore_case;
      case 'm': return &flags.multi_line;
      case 's': return &flags.dot_matches_newline;
      case 'U': return &flags.swap_greed;
      case 'u': return &flags.unicode;
      case 'x': return &flags.verbose;
      default: return nullptr;
    }
  }

  bool bad_flags(std::size_t start) {
    cursor_.report(start, "flags that are not known", "Use i, m, s, U, u or x, as in (?i) or (?i-s:…).");
    return false;
  }

  std::optional<RegexNode> atom(const RegexFlags& flags) {
    const std::size_t at = cursor_.position();
    switch (cursor_.peek()) {
      case '[': {
        auto set = parse_regex_class(cursor_, flags);
        return set ? set_node(std::move(*set), at) : std::nullopt;
      }
      case '\\': {
        auto escape = parse_regex_escape(cursor_, flags);
        if (!escape) return std::nullopt;
        if (const auto* place = std::get_if<Assertion>(&*escape)) return place_node(*place);
        if (auto* set = std::get_if<CodePointSet>(&*escape)) return set_node(with_cases(*set, flags), at);
        return set_node(with_cases(CodePointSet::of(std::get<char32_t>(*escape)), flags), at);
      }
      case '.':
        cursor_.advance();
        if (!flags.unicode) {
          return cursor_.report(at, "a dot that also matches bytes which are no characters",
                                "Leave (?-u) out: text is searched by its characters, not by its bytes.");
        }
        if (flags.dot_matches_newline) return set_node(CodePointSet::everything(), at);
        return set_node(CodePointSet::of('\n').complement(), at);
      case '^': cursor_.advance(); return place_node(flags.multi_line ? Assertion::line_start : Assertion::text_start);
      case '$': cursor_.advance(); return place_node(flags.multi_line ? Assertion::line_end : Assertion::text_end);
      default: return set_node(with_cases(CodePointSet::of(cursor_.next()), flags), at);
    }
  }

  static CodePointSet with_cases(const CodePointSet& set, const RegexFlags& flags) {
    return flags.ignore_case ? set.with_other_cases() : set;
  }

  RegexNode place_node(Assertion place) const {
    if (by_line_ && place == Assertion::text_start) return node_of(Assertion::line_start);
    if (by_line_ && place == Assertion::text_end) return node_of(Assertion::line_end);
    return node_of(place);
  }

  std::optional<RegexNode> set_node(CodePointSet set, std::size_t at) {
    static const CodePointSet kNewline = CodePointSet::of('\n');
    if (by_line_ && set == kNewline) {
      return cursor_.report(at, "a newline can be matched only in multiline mode", "Set multiline to true.");
    }
    if (by_line_ && set.contains('\n')) set = set - kNewline;
    return RegexNode{.kind = RegexNode::Kind::set, .set = std::move(set)};
  }

  RegexCursor cursor_;
  const bool by_line_;
  RegexFlags first_flags_;
};

}  // namespace

std::string to_utf8(std::u32string_view text) {
  std::string out;
  for (const char32_t c : text) append_utf8(out, c);
  return out;
}

void RegexCursor::skip_blanks(const RegexFlags& flags) {
  if (!flags.verbose) return;
  while (!at_end()) {
    if (peek() == '#') {
      while (!at_end() && peek() != '\n') advance();
    } else if (is_blank(peek())) {
      advance();
    } else {
      return;
    }
  }
}

std::nullopt_t RegexCursor::report(std::size_t at, std::string_view problem, std::string_view hint) {
  if (error_) return std::nullopt;
  const std::string near =
      one_line(to_utf8(std::u32string_view(text_).substr(std::min(at, text_.size()))), kShownCharactersMax);
  std::string message = "The regular expression is not valid at character " + std::to_string(at + 1);
  if (!near.empty()) message += ", `" + near + "`";
  message += ": " + std::string(problem) + ". " + std::string(hint);
  error_ = Error{Errc::invalid_input, std::move(message)};
  return std::nullopt;
}

Result<RegexNode> parse_regex(std::string_view pattern, const RegexOptions& options) {
  if (pattern.size() > kRegexBytesMax) {
    return fail(Errc::limit, "The regular expression is longer than " + human_bytes(kRegexBytesMax) +
                                 ": search for a shorter part of it.");
  }
  return RegexParser(pattern, options).parse();
}

}  // namespace deft
