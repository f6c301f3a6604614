#include <algorithm>
#include <charconv>
#include <span>

#include "deft/shell/walker.h"

// What a few commands are known to print, so that $(…) of them may stand where any text may not.

namespace deft::shell {
namespace {

inline constexpr long kPrintedNumbersMax = 64;

using Words = std::span<const Argument>;

bool are_exact(Words words) {
  return std::ranges::all_of(words, [](const Argument& word) { return word.is_exact(); });
}
// Words that come back as they are when they name nothing must not be more than one.
bool are_plain(Words words) {
  return std::ranges::all_of(words, [](const Argument& word) { return is_plain_text(word.text); });
}
bool is_option(const Argument& word) { return word.text.starts_with('-') && word.text.size() > 1; }
bool is_one_of(std::string_view text, std::initializer_list<std::string_view> list) {
  return std::ranges::find(list, text) != list.end();
}

Value number() {
  Value value = Value::integer(/*can_be_negative=*/false);
  value.may_be_empty = true;  // if the command fails
  return value;
}

// One or more words like object names or program paths: never an option, nothing to split inside.
Value plain_words() {
  Value value;
  value.dashless = value.plain = true;
  return value;
}

Value path(std::string begin) {
  Value value = Value::beginning(std::move(begin));
  value.dashless = true;
  return value;
}

Value printed_by_git(Words words) {
  if (words.empty()) return Value::anything();
  const std::string& command = words[0].text;
  words = words.subspan(1);
  if (command == "merge-base") return std::ranges::none_of(words, is_option) ? plain_words() : Value::anything();
  if (command != "rev-parse") return Value::anything();
  if (words.size() == 1 && is_one_of(words[0].text, {"--show-toplevel", "--absolute-git-dir", "--git-dir"}))
    return path("");
  bool has_revision = false;
  for (const Argument& word : words) {
    if (is_option(word) && !is_one_of(word.text, {"--short", "--verify", "-q", "--quiet"})) return Value::anything();
    has_revision = has_revision || !is_option(word);
  }
  return has_revision && are_plain(words) ? plain_words() : Value::anything();
}

Value printed_by_seq(Words words) {
  long bounds[2] = {1, 1};
  if (words.empty() || words.size() > 2) return Value::anything();
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string& text = words[i].text;
    if (!is_integer_text(text) || text.size() > 6 || !words[i].dashless || text[0] == '+') return Value::anything();
    std::from_chars(text.data(), text.data() + text.size(), bounds[words.size() == 1 ? 1 : i]);
  }
  if (bounds[1] - bounds[0] > kPrintedNumbersMax) return number();
  std::string all;
  for (long i = bounds[0]; i <= bounds[1]; ++i) all += (all.empty() ? "" : "\n") + std::to_string(i);
  return Value::exactly(all);
}

Value printed_by_echo(Words words) {
  if (!words.empty() && words[0].text.starts_with('-')) return Value::anything();
  std::string all;
  for (const Argument& word : words) all += (&word == &words[0] ? "" : " ") + word.text;
  while (all.ends_with('\n')) all.pop_back();
  if (all.find('\\') != std::string::npos) return Value::anything();
  return Value::exactly(all);
}

bool counts_lines(Words words) {
  return words.size() == 1 && is_one_of(words[0].text, {"-l", "-w", "-c", "-m", "--lines", "--words", "--bytes"});
}

bool counts_matches(Words words) {
  if (words.size() < 2 || words.size() > 3) return false;
  if (!is_one_of(words[0].text, {"-c", "-ci", "-ic", "-cE", "-Ec", "-cw", "-cv", "-vc"})) return false;
  return std::ranges::none_of(words.subspan(1), is_option);
}

}  // namespace

Value printed_by(const CommandUse& command) {
  if (command.words.empty() || !are_exact(command.words)) return Value::anything();
  for (const RedirectionUse& redirection : command.redirections) {
    if (redirection.access == Access::duplicate) return Value::anything();  // 2>&1 mixes errors in
  }
  const std::string& name = command.words[0].text;
  const Words words = Words(command.words).subspan(1);
  if (name == "git") return printed_by_git(words);
  if (name == "seq") return printed_by_seq(words);
  if (name == "echo") return printed_by_echo(words);
  if (name == "wc") return counts_lines(words) ? number() : Value::anything();
  if (name == "grep") return counts_matches(words) ? number() : Value::anything();
  if (name == "nproc" && words.empty()) return number();
  if (name == "pwd" && words.empty()) return path("/");
  if (name == "date" && words.size() == 1)
    return is_one_of(words[0].text, {"+%s", "+%Y"}) ? number() : Value::anything();
  if (name == "id" && words.size() == 1) return is_one_of(words[0].text, {"-u", "-g"}) ? number() : Value::anything();
  if (name == "which" && std::ranges::none_of(words, is_option) && are_plain(words)) return plain_words();
  const bool looks_up = name == "command" && words.size() == 2 && words[0].text == "-v" && !is_option(words[1]);
  if (looks_up && are_plain(words)) return plain_words();
  return Value::anything();
}

}  // namespace deft::shell
