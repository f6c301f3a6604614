#include "deft/shell/known/command.h"
#include "deft/shell/parser.h"

// sed. Its script is read command by command: w, W, e and the flags of s that write or run are refused, and so is
// whatever GNU and BSD sed read in different ways.

namespace deft::shell {
namespace {

class SedScript {
 public:
  explicit SedScript(std::string_view text) : text_(text) {}

  bool reads_files() const { return reads_files_; }

  Problem read() {
    while (true) {
      skip_any("; \t\n");
      if (at_end()) return depth_ == 0 ? std::nullopt : Problem("a sed script with an open {");
      if (peek() == '#') {
        skip_line();
      } else if (!read_addresses() || !read_command()) {
        return problem_;
      }
    }
  }

 private:
  bool at_end() const { return position_ >= text_.size(); }
  char peek() const { return at_end() ? '\0' : text_[position_]; }
  void skip_any(std::string_view characters) {
    while (!at_end() && characters.find(peek()) != std::string_view::npos) ++position_;
  }
  bool fail(std::string reason) {
    if (!problem_) problem_ = std::move(reason);
    return false;
  }
  void skip_line() {
    while (!at_end() && peek() != '\n') ++position_;
  }
  // Text of a, i, c: up to a line end that no backslash precedes.
  void skip_text() {
    while (!at_end() && peek() != '\n') position_ += peek() == '\\' ? 2 : 1;
    if (position_ > text_.size()) position_ = text_.size();
  }
  void skip_digits() {
    while (is_digit(peek())) ++position_;
  }

  // After the opening delimiter, up to and over the closing one.
  bool skip_delimited(char delimiter, bool is_regex) {
    bool in_brackets = false;
    while (!at_end()) {
      const char c = peek();
      if (c == '\n' && is_regex) return fail("a sed pattern with a line end");
      if (c == '\\') {
        position_ += 2;
        continue;
      }
      // GNU sed ends the pattern at a delimiter inside brackets, BSD sed does not.
      if (c == delimiter && in_brackets) return fail("a sed pattern that is read in two ways");
      if (c == delimiter) {
        ++position_;
        return true;
      }
      if (is_regex && c == '[') in_brackets = true;
      if (is_regex && c == ']') in_brackets = false;
      ++position_;
    }
    return fail("a sed script that is cut");
  }

  bool read_address() {
    if (is_digit(peek())) {
      skip_digits();
      if (peek() == '~') {
        ++position_;
        skip_digits();
      }
      return true;
    }
    if (peek() == '$') {
      ++position_;
      return true;
    }
    char delimiter = '/';
    if (peek() == '\\') {
      ++position_;
      delimiter = peek();
      if (delimiter == '\0' || delimiter == '\n' || delimiter == '\\') return fail("an unusual sed address");
    }
    ++position_;
    if (!skip_delimited(delimiter, /*is_regex=*/true)) return false;
    skip_any("IM");
    return true;
  }

  bool at_address() const { return is_digit(peek()) || peek() == '$' || peek() == '/' || peek() == '\\'; }

  bool read_addresses() {
    if (at_address()) {
      if (!read_address()) return false;
      skip_any(" \t");
      if (peek() == ',') {
        ++position_;
        skip_any(" \t");
        if (peek() == '+' || peek() == '~') {
          ++position_;
          skip_digits();
        } else if (!at_address() || !read_address()) {
          return fail("an unusual sed address");
        }
      }
    }
    skip_any(" \t");
    while (peek() == '!') {
      ++position_;
      skip_any(" \t");
    }
    return true;
  }

  bool read_command() {
    const char command = peek();
    ++position_;
    switch (command) {
      case '{': ++depth_; return true;
      case '}':
        if (--depth_ < 0) return fail("a sed script with a } too many");
        return end_command();
      case '=':
      case 'd':
      case 'D':
      case 'g':
      case 'G':
      case 'h':
      case 'H':
      case 'n':
      case 'N':
      case 'p':
      case 'P':
      case 'x':
      case 'z':
      case 'F': return end_command();
      case 'l':
      case 'q':
      case 'Q':
        skip_any(" \t");
        skip_digits();
        return end_command();
      case 'a':
      case 'i':
      case 'c': skip_text(); return true;
      case 'r':
      case 'R':
        reads_files_ = true;
        skip_line();
        return true;
      case ':':
      case 'b':
      case 't':
      case 'T': return read_label();
      case 's': return read_substitution();
      case 'y': {
        const char delimiter = peek();
        if (delimiter == '\0' || delimiter == '\n' || delimiter == '\\') return fail("an unusual sed command");
        ++position_;
        return skip_delimited(delimiter, false) && skip_delimited(delimiter, false) && end_command();
      }
      default: return fail("the sed command " + quoted(std::string_view(&command, 1)) + " may write or run something");
    }
  }

  bool read_label() {
    skip_any(" \t");
    while (is_name_char(peek())) ++position_;
    return end_command(/*may_close=*/false);
  }

  bool read_substitution() {
    const char delimiter = peek();
    if (delimiter == '\0' || delimiter == '\n' || delimiter == '\\' || is_name_char(delimiter)) {
      return fail("an unusual sed command");
    }
    ++position_;
    if (!skip_delimited(delimiter, true) || !skip_delimited(delimiter, false)) return false;
    while (!at_end() && std::string_view("gpiImM0123456789").find(peek()) != std::string_view::npos) ++position_;
    const char flag = peek();
    if (flag == 'w' || flag == 'e') return fail(std::string("the sed flag ") + flag + " writes or runs something");
    return end_command();
  }

  bool end_command(bool may_close = true) {
    skip_any(" \t");
    const char c = peek();
    if (at_end() || c == ';' || c == '\n' || c == '#') return true;
    if (c == '}' && may_close) return true;
    return fail("a sed script that is not plain");
  }

  std::string_view text_;
  std::size_t position_ = 0;
  int depth_ = 0;
  bool reads_files_ = false;
  Problem problem_;
};

}  // namespace

bool sed_script_names_files(std::string_view script) {
  SedScript reader(script);
  return reader.read() || reader.reads_files();
}

Problem judge_sed(Words words, const Situation&) {
  // Not -i, -f.
  static constexpr CommandRule kRule = {
      "sed", Operands::files, kPlain,
      "-Enrsuz -e: --debug --expression= --line-length= --null-data --posix --quiet --regexp-extended --sandbox "
      "--separate --silent --unbuffered --zero-terminated"};
  Invocation invocation;
  if (Problem problem = read_options("sed", kRule, words, invocation)) return problem;
  std::string script;
  bool has_script = false;
  const auto add = [&](std::string_view text) {
    if (has_script) script += '\n';
    script += text;
    has_script = true;
  };
  for (const GivenOption& option : invocation.options) {
    if (option.name != "-e" && option.name != "--expression") continue;
    if (!option.value_exact) return std::string("a sed script that is not known");
    add(option.value_text);
  }
  std::span<const Argument* const> files = invocation.operands;
  const bool asks = files.empty() && (invocation.has("--help") || invocation.has("--version"));
  if (!has_script && !asks) {
    if (files.empty()) return std::string("sed without a script");
    if (!files[0]->is_exact()) return "a sed script that is not known: " + quoted(files[0]->source);
    add(files[0]->text);
    files = files.subspan(1);
  }
  for (const Argument* file : files) {
    if (Problem problem = judge_read_file(*file)) return problem;
  }
  return SedScript(script).read();
}

}  // namespace deft::shell
