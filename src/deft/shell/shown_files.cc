#include <algorithm>
#include <charconv>
#include <span>
#include <string_view>

#include "deft/shell/named_files.h"
#include "deft/shell/parser.h"
#include "deft/shell/paths.h"

namespace deft::shell {
namespace {

using Words = std::span<const Argument>;

inline constexpr std::size_t kHeadLinesDefault = 10;

struct Range {
  std::size_t first = 1;
  std::size_t last = 0;
};

std::optional<std::size_t> read_count(std::string_view text) {
  std::size_t count = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), count);
  if (error != std::errc() || end != text.data() + text.size() || count == 0) return std::nullopt;
  return count;
}

// The value of -n, glued or not; `words` is left with what follows. Nothing: no such option, or one that is not read.
std::optional<std::string> take_line_count(Words& words) {
  if (words.empty()) return std::nullopt;
  const std::string& option = words[0].text;
  const bool is_separate = option == "-n" || option == "--lines";
  if (is_separate && words.size() > 1) {
    std::string value = words[1].text;
    words = words.subspan(2);
    return value;
  }
  for (const std::string_view prefix : {"--lines=", "-n"}) {
    if (!option.starts_with(prefix) || option.size() == prefix.size()) continue;
    words = words.subspan(1);
    return option.substr(prefix.size());
  }
  const bool is_number_alone = option.size() > 1 && option[0] == '-' && is_number(std::string_view(option).substr(1));
  if (!is_number_alone) return std::nullopt;
  words = words.subspan(1);
  return option.substr(1);
}

std::optional<Range> range_of_head(Words& words) {
  if (words.empty() || !words[0].text.starts_with('-')) return Range{1, kHeadLinesDefault};
  const auto value = take_line_count(words);
  if (!value) return std::nullopt;
  const auto count = read_count(*value);
  if (!count) return std::nullopt;
  return Range{1, *count};
}

std::optional<Range> range_of_tail(Words& words) {
  const auto value = take_line_count(words);
  if (!value || !value->starts_with('+')) return std::nullopt;
  const auto first = read_count(std::string_view(*value).substr(1));
  if (!first) return std::nullopt;
  return Range{*first, 0};
}

// sed -n '10,20p', '10p', '10,$p'.
std::optional<Range> range_of_sed(Words& words) {
  if (words.size() < 2 || words[0].text != "-n" || !words[1].text.ends_with('p')) return std::nullopt;
  const std::string_view script = std::string_view(words[1].text).substr(0, words[1].text.size() - 1);
  words = words.subspan(2);
  if (words.size() != 1) return std::nullopt;  // lines are counted over all files together
  const std::size_t comma = script.find(',');
  const auto first = read_count(script.substr(0, comma));
  if (!first) return std::nullopt;
  if (comma == std::string_view::npos) return Range{*first, *first};
  const std::string_view end = script.substr(comma + 1);
  if (end == "$") return Range{*first, 0};
  const auto last = read_count(end);
  if (!last) return std::nullopt;
  return Range{*first, std::max(*first, *last)};
}

std::optional<Range> range_of_whole(Words& words, std::initializer_list<std::string_view> options) {
  while (!words.empty() && std::ranges::find(options, words[0].text) != options.end()) words = words.subspan(1);
  return Range{};
}

// Takes the options off `words`; what is left are files.
std::optional<Range> take_range(const std::string& command, Words& words) {
  if (command == "cat") return range_of_whole(words, {"-n", "-b", "-u", "--number"});
  if (command == "nl") return range_of_whole(words, {"-ba", "--body-numbering=a"});
  if (command == "head") return range_of_head(words);
  if (command == "tail") return range_of_tail(words);
  if (command == "sed") return range_of_sed(words);
  return std::nullopt;
}

// Standard output is still what it was; standard error may go anywhere.
bool keeps_output(const CommandUse& use) {
  return std::ranges::all_of(use.redirections, [](const RedirectionUse& redirection) {
    return redirection.descriptor == 2 && redirection.access != Access::here;
  });
}

bool ends_the_shell(const CommandUse& use) {
  if (use.words.empty()) return false;
  const Argument& name = use.words[0];
  return !name.is_exact() || name.text == "exit" || name.text == "exec" || name.text == "return";
}

void add_files(const CommandUse& use, std::vector<ShownFile>& out) {
  const bool is_exact = std::ranges::all_of(use.words, [](const Argument& word) { return word.is_exact(); });
  if (use.words.empty() || !is_exact || !keeps_output(use)) return;
  if (!use.directory_known || use.directories.size() != 1) return;
  Words words = std::span(use.words).subspan(1);
  const auto range = take_range(use.words[0].text, words);
  if (!range) return;
  if (!words.empty() && words[0].text == "--") words = words.subspan(1);
  if (std::ranges::any_of(words, [](const Argument& word) { return word.text.starts_with('-'); })) return;
  for (const Argument& word : words) {
    if (word.text.empty()) continue;
    out.push_back({join_paths(use.directories[0], word.text), range->first, range->last});
  }
}

}  // namespace

std::vector<ShownFile> shown_files(const Commands& commands) {
  std::vector<ShownFile> files;
  const bool is_followed =
      std::ranges::all_of(commands.notes, [](const Note& note) { return note.kind == NoteKind::background; });
  if (!is_followed) return files;
  for (const CommandUse& use : commands.commands) {
    if (ends_the_shell(use)) break;
    if (use.shows_output) add_files(use, files);
  }
  return files;
}

}  // namespace deft::shell
