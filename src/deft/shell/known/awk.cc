#include <utility>

#include "deft/shell/known/command.h"
#include "deft/shell/parser.h"

// awk. The program is cut into tokens; refused are system(), getline, pipes, output to files, indirect calls and all
// that loads more code. What remains computes and prints.

namespace deft::shell {
namespace {

// Commands to run, files to open, or settings that name code.
constexpr std::string_view kRefusedNames =
    "system getline load include namespace extension PROCINFO ARGV ARGC SYMTAB FUNCTAB";
// After these the closing parenthesis of their condition begins a statement, where "/" opens a pattern.
constexpr std::string_view kConditionKeywords = "if while for switch";
constexpr std::string_view kKeywords =
    "BEGIN END BEGINFILE ENDFILE function func if else while for do break continue next nextfile exit return delete in "
    "print "
    "printf switch case default";

class AwkProgram {
 public:
  explicit AwkProgram(std::string_view text) : text_(text) {}

  Problem read() {
    if (text_.find("/inet") != std::string_view::npos) return std::string("an awk program that may open a connection");
    while (!problem_ && position_ < text_.size()) read_token();
    if (!problem_ && (!parentheses_.empty() || braces_ != 0)) fail("an awk program that is cut");
    return problem_;
  }

 private:
  // What kind of parenthesis is open, and whether print was under way before it.
  struct Parenthesis {
    bool is_condition = false;
    bool in_print = false;
  };

  char peek(std::size_t ahead = 0) const { return position_ + ahead < text_.size() ? text_[position_ + ahead] : '\0'; }
  void fail(std::string reason) {
    if (!problem_) problem_ = std::move(reason);
  }
  // An operand ended here, so that a "/" divides.
  void end_operand() { expects_operand_ = false; }
  void begin_operand() { expects_operand_ = true; }

  void read_token() {
    const char c = peek();
    if (c == ' ' || c == '\t') {
      ++position_;
    } else if (c == '#') {
      while (position_ < text_.size() && peek() != '\n') ++position_;
    } else if (c == '\\') {
      if (peek(1) != '\n') return fail("a backslash in an awk program");
      position_ += 2;
    } else if (c == '"') {
      read_string();
    } else if (c == '/' && expects_operand_) {
      read_pattern();
    } else if (is_digit(c) || (c == '.' && is_digit(peek(1)))) {
      read_number();
    } else if (is_name_start(c)) {
      read_name();
    } else {
      read_operator();
    }
  }

  // "1system(x)" is 1 and a call: a letter may not follow.
  void read_number() {
    while (is_digit(peek()) || peek() == '.') ++position_;
    const bool has_exponent = (peek() == 'e' || peek() == 'E') && (is_digit(peek(1)) || is_digit(peek(2)));
    if (has_exponent) {
      position_ += 2;
      while (is_digit(peek())) ++position_;
    }
    if (is_name_char(peek())) return fail("an unusual number in an awk program");
    end_operand();
  }

  void read_string() {
    ++position_;
    while (peek() != '"') {
      if (position_ >= text_.size() || peek() == '\n') return fail("an awk string that is not closed");
      position_ += peek() == '\\' ? 2 : 1;
    }
    ++position_;
    end_operand();
  }

  // Not all awks let a "/" stand inside brackets, so it may not, nor may the forms that hide where brackets end.
  void read_pattern() {
    ++position_;
    bool in_brackets = false;
    while (peek() != '/') {
      if (position_ >= text_.size() || peek() == '\n') return fail("an awk pattern that is not closed");
      if (in_brackets && peek() == '[' && peek(1) == ':') {  // [:alpha:]
        const std::size_t end = text_.find(":]", position_ + 2);
        if (end == std::string_view::npos) return fail("an awk pattern that is not closed");
        for (const char c : text_.substr(position_ + 2, end - position_ - 2)) {
          if (!is_letter(c)) return fail("an awk pattern that is read in two ways");
        }
        position_ = end + 2;
        continue;
      }
      if (peek() == '[' && !in_brackets) {
        in_brackets = true;
        const char first = peek(peek(1) == '^' ? 2 : 1);
        if (first == ']') return fail("an awk pattern that is read in two ways");
      } else if (peek() == ']') {
        in_brackets = false;
      }
      position_ += peek() == '\\' ? 2 : 1;
    }
    if (in_brackets) return fail("an awk pattern that is read in two ways");
    ++position_;
    end_operand();
  }

  void read_name() {
    const std::size_t start = position_;
    while (is_name_char(peek())) ++position_;
    const std::string_view name = text_.substr(start, position_ - start);
    if (is_among_words(name, kRefusedNames)) return fail("awk with " + std::string(name));
    // "length / 2" and "length /x/" look alike.
    std::size_t next = position_;
    while (next < text_.size() && (text_[next] == ' ' || text_[next] == '\t')) ++next;
    if (name == "length" && next < text_.size() && text_[next] == '/')
      return fail("an awk program that is read in two ways");
    after_print_ = name == "print" || name == "printf";
    if (after_print_) in_print_ = true;
    keeps_condition_ = is_among_words(name, kConditionKeywords);
    if (is_among_words(name, kKeywords)) {
      begin_operand();
    } else {
      end_operand();
    }
  }

  void read_operator() {
    const char c = peek();
    const bool condition_follows = std::exchange(keeps_condition_, false);
    if (c != '\n') after_print_ = false;
    switch (c) {
      case '(':
        parentheses_.push_back({condition_follows, in_print_});
        in_print_ = false;  // inside parentheses ">" compares
        begin_operand();
        break;
      case ')':
        if (parentheses_.empty()) return fail("an awk program with a ) too many");
        in_print_ = parentheses_.back().in_print;
        parentheses_.back().is_condition ? begin_operand() : end_operand();
        parentheses_.pop_back();
        break;
      case '{':
        ++braces_;
        in_print_ = false;
        begin_operand();
        break;
      case '}':
        if (--braces_ < 0) return fail("an awk program with a } too many");
        in_print_ = false;
        begin_operand();
        break;
      case ';':
      case '\n':
        // After a comma or an operator the statement goes on in the next line.
        if (c == '\n' && in_print_ && expects_operand_ && !after_print_) return fail("an awk print over several lines");
        in_print_ = false;
        begin_operand();
        break;
      case ']': end_operand(); break;
      case '+':
      case '-':
        // x++ / 2 divides; "+ /x/" does not.
        if (peek(1) == c) {
          if (expects_operand_ && peek(2) == '/') return fail("an awk program that is read in two ways");
          ++position_;
        } else {
          begin_operand();
        }
        break;
      case '|':
        if (peek(1) != '|') return fail("awk with a pipe");
        ++position_;
        begin_operand();
        break;
      case '>':
        if (in_print_) return fail("awk that prints to a file");
        begin_operand();
        break;
      case '$':
      case '[':
      case ',':
      case '!':
      case '~':
      case '=':
      case '<':
      case '&':
      case '*':
      case '/':
      case '%':
      case '^':
      case '?':
      case ':': begin_operand(); break;
      default: return fail("an unusual character in an awk program");
    }
    ++position_;
  }

  std::string_view text_;
  std::size_t position_ = 0;
  std::vector<Parenthesis> parentheses_;
  int braces_ = 0;
  bool expects_operand_ = true;
  bool in_print_ = false;
  bool keeps_condition_ = false;  // the last token was one of kConditionKeywords
  bool after_print_ = false;      // the last token was print
  Problem problem_;
};

bool is_connection(const Argument& file) {
  constexpr std::string_view kNetwork = "/inet";
  if (file.text.starts_with(kNetwork)) return true;
  if (file.is_exact()) return false;
  return file.text.empty() ? !file.rootless : kNetwork.starts_with(file.text);
}

}  // namespace

Problem judge_awk(Words words, const Situation&) {
  static constexpr CommandRule kRule = {"awk", Operands::files, kOptionsFirst,
                                        "-F: -v: --posix --re-interval --traditional"};
  Invocation invocation;
  if (Problem problem = read_options("awk", kRule, words, invocation)) return problem;
  if (invocation.operands.empty()) {
    if (invocation.has("--version") || invocation.has("--help")) return std::nullopt;
    return std::string("awk without a program");
  }
  const Argument& program = *invocation.operands[0];
  if (!program.is_exact()) return "an awk program that is not known: " + quoted(program.source);
  for (const GivenOption& option : invocation.options) {
    const bool sets = option.name == "-v" || option.name == "--assign";
    const std::string name = option.value_text.substr(0, option.value_text.find('='));
    if (sets && (option.value_text.find('=') == std::string::npos || is_among_words(name, kRefusedNames))) {
      return "awk -v " + quoted(option.value_text);
    }
  }
  for (std::size_t i = 1; i < invocation.operands.size(); ++i) {
    const Argument& file = *invocation.operands[i];
    if (is_connection(file) || file.extent == Extent::spread)
      return "awk may open a connection for " + quoted(file.source);
    if (Problem problem = judge_read_file(file)) return problem;
  }
  return AwkProgram(program.text).read();
}

}  // namespace deft::shell
