#include "deft/core/skill_text.h"

#include <algorithm>
#include <charconv>
#include <optional>

#include "deft/base/text.h"

namespace deft {
namespace {

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool begins_name(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool is_word(char c) { return begins_name(c) || is_digit(c); }
bool is_name(char c) { return is_word(c) || c == '-'; }

std::size_t length_while(std::string_view text, bool (*fits)(char)) {
  return static_cast<std::size_t>(std::ranges::find_if_not(text, fits) - text.begin());
}

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
  return text;
}

// --- where commands stand ---

struct Span {
  std::string_view text;
  bool is_command = false;
};

// "```!", perhaps indented.
bool opens_commands(std::string_view line) { return trimmed(line) == "```!" && line.find('`') <= 3; }
bool closes_commands(std::string_view line) { return trimmed(line) == "```"; }

std::size_t end_of_line(std::string_view text, std::size_t from) {
  const std::size_t end = text.find('\n', from);
  return end == std::string_view::npos ? text.size() : end + 1;
}

class Spans {
 public:
  explicit Spans(std::string_view body) : body_(body) {}

  std::vector<Span> take() {
    while (at_ < body_.size()) {
      const std::size_t end = end_of_line(body_, at_);
      if (!take_block(end)) take_line(end);
    }
    add_text(body_.size());
    return std::move(spans_);
  }

 private:
  void add_text(std::size_t end) {
    if (end > text_from_) spans_.push_back({body_.substr(text_from_, end - text_from_)});
    text_from_ = end;
  }

  // One that is never closed is text.
  bool take_block(std::size_t first_line_end) {
    if (!opens_commands(body_.substr(at_, first_line_end - at_))) return false;
    for (std::size_t line = first_line_end; line < body_.size();) {
      const std::size_t end = end_of_line(body_, line);
      if (closes_commands(body_.substr(line, end - line))) {
        add_text(at_);
        spans_.push_back({body_.substr(first_line_end, line - first_line_end), true});
        const bool has_newline = body_[end - 1] == '\n';
        text_from_ = has_newline ? end - 1 : end;  // the line's end stays
        at_ = end;
        return true;
      }
      line = end;
    }
    return false;
  }

  void take_line(std::size_t end) {
    const std::size_t begin = at_;
    while (at_ < end) {
      const std::size_t mark = body_.substr(0, end).find("!`", at_);
      if (mark == std::string_view::npos) break;
      const std::size_t close = body_.substr(0, end).find('`', mark + 2);
      const bool stands_free = mark == begin || is_blank(body_[mark - 1]);
      if (!stands_free || close == std::string_view::npos || close == mark + 2) {
        at_ = mark + 2;
        continue;
      }
      add_text(mark);
      spans_.push_back({body_.substr(mark + 2, close - mark - 2), true});
      text_from_ = at_ = close + 1;
    }
    at_ = end;
  }

  std::string_view body_;
  std::size_t at_ = 0;
  std::size_t text_from_ = 0;
  std::vector<Span> spans_;
};

// --- what is put in place ---

class Filling {
 public:
  explicit Filling(const SkillValues& values) : values_(values), words_(split_arguments(values.arguments)) {}

  std::string fill(std::string_view text) {
    std::string filled;
    while (!text.empty()) {
      const std::size_t mark = text.find('$');
      if (mark == std::string_view::npos) break;
      const bool is_escaped = mark > 0 && text[mark - 1] == '\\';
      filled += text.substr(0, is_escaped ? mark - 1 : mark);
      text.remove_prefix(mark + 1);
      if (is_escaped) {
        filled += '$';
      } else {
        filled += value_after_dollar(text);
      }
    }
    return filled += text;
  }

  bool took_arguments() const { return took_arguments_; }

 private:
  // What stands for the dollar sign and what it takes of the text.
  std::string value_after_dollar(std::string_view& text) {
    if (text.starts_with('{')) return variable(text);
    if (!text.empty() && is_digit(text[0])) {
      const std::size_t length = length_while(text, is_digit);
      return one_argument(text, "$", 0, length, 0);
    }
    if (text.empty() || !begins_name(text[0])) return "$";
    constexpr std::string_view kAll = "ARGUMENTS";
    const std::size_t length = length_while(text, is_word);
    if (text.substr(0, length) != kAll) return named(text, length_while(text, is_name));
    const std::string_view rest = text.substr(length);
    const std::size_t digits = rest.starts_with('[') ? length_while(rest.substr(1), is_digit) : 0;
    if (digits > 0 && rest.substr(1 + digits).starts_with(']')) {
      return one_argument(text, "$", length + 1, digits, 1);
    }
    took_arguments_ = true;
    text.remove_prefix(length);
    return values_.arguments;
  }

  // The digits are at `from`; `after` more characters belong to it.
  std::string one_argument(std::string_view& text, std::string_view before, std::size_t from, std::size_t digits,
                           std::size_t after) {
    took_arguments_ = true;
    const std::string_view written = text.substr(0, from + digits + after);
    std::size_t index = 0;
    const char* first = text.data() + from;
    const bool is_number = std::from_chars(first, first + digits, index).ec == std::errc();
    text.remove_prefix(written.size());
    if (is_number && index < words_.size()) return words_[index];
    return std::string(before) + std::string(written);
  }

  // The longest name that it begins with: in "$file-list" that may be "file".
  std::string named(std::string_view& text, std::size_t length) {
    for (; length > 0; --length) {
      const auto name = std::ranges::find(values_.names, text.substr(0, length));
      if (name == values_.names.end()) continue;
      const bool ends_there = length == text.size() || !is_word(text[length]);
      if (!ends_there) continue;
      took_arguments_ = true;
      text.remove_prefix(length);
      const auto index = static_cast<std::size_t>(name - values_.names.begin());
      return index < words_.size() ? words_[index] : "";
    }
    return "$";
  }

  std::string variable(std::string_view& text) {
    const std::size_t close = text.find('}');
    if (close == std::string_view::npos) return "$";
    const std::string_view name = text.substr(1, close - 1);
    for (const auto& [known, value] : values_.variables) {
      if (known != name) continue;
      text.remove_prefix(close + 1);
      return value;
    }
    return "$";
  }

  const SkillValues& values_;
  std::vector<std::string> words_;
  bool took_arguments_ = false;
};

}  // namespace

std::vector<std::string> split_arguments(std::string_view text) {
  std::vector<std::string> words;
  std::optional<std::string> word;
  char quote = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (quote == 0 && is_blank(c)) {
      if (word) words.push_back(*std::exchange(word, std::nullopt));
      continue;
    }
    if (!word) word.emplace();
    const bool escapes =
        c == '\\' && quote != '\'' && i + 1 < text.size() && (quote == 0 || text[i + 1] == '"' || text[i + 1] == '\\');
    if (escapes) {
      *word += text[++i];
    } else if (quote == 0 && (c == '"' || c == '\'') && text.find(c, i + 1) != std::string_view::npos) {
      quote = c;
    } else if (quote != 0 && c == quote) {
      quote = 0;
    } else {
      *word += c;
    }
  }
  if (word) words.push_back(*word);
  return words;
}

Result<std::vector<SkillPiece>> expand_skill_text(std::string_view body, const SkillValues& values) {
  if (values.arguments.size() > kSkillArgumentsBytesMax) {
    return fail(Errc::limit, "the arguments are longer than " + human_bytes(kSkillArgumentsBytesMax));
  }
  std::vector<SkillPiece> pieces;
  std::size_t commands = 0;
  std::size_t bytes = 0;
  Filling filling(values);
  for (const Span& span : Spans(body).take()) {
    pieces.push_back({filling.fill(span.text), span.is_command});
    bytes += pieces.back().text.size();
    commands += span.is_command ? 1 : 0;
    if (commands > kSkillCommandsMax) {
      return fail(Errc::limit, "it has more than " + std::to_string(kSkillCommandsMax) + " commands to run");
    }
    if (bytes > kSkillTextBytesMax) {
      return fail(Errc::limit, "with its arguments it is longer than " + human_bytes(kSkillTextBytesMax));
    }
  }
  if (!filling.took_arguments() && !trimmed(values.arguments).empty()) {
    const bool ends_line = pieces.empty() || pieces.back().is_command || pieces.back().text.ends_with('\n');
    pieces.push_back({std::string(ends_line ? "" : "\n") + "\nARGUMENTS: " + values.arguments});
  }
  return pieces;
}

}  // namespace deft
