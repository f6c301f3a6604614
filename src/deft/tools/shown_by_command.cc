#include "deft/tools/shown_by_command.h"

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <string>

#include "deft/os/files.h"
#include "deft/shell/commands.h"
#include "deft/shell/named_files.h"
#include "deft/shell/parse.h"
#include "deft/tools/file_access.h"

namespace deft {
namespace {

constexpr std::size_t kFileBytesLookedAtMax = std::size_t{1} << 20;  // more than is ever shown whole

// The lines first..last of a text; last 0: to its end. `last_line` becomes the number of the last one.
std::string_view lines_of(std::string_view text, std::size_t first, std::size_t last, std::size_t& last_line) {
  std::size_t begin = text.size();
  std::size_t number = 0;
  std::size_t at = 0;
  while (at < text.size() && (last == 0 || number < last)) {
    ++number;
    if (number == first) begin = at;
    const std::size_t newline = text.find('\n', at);
    at = newline == std::string_view::npos ? text.size() : newline + 1;
  }
  last_line = number;
  return begin < at ? text.substr(begin, at - begin) : std::string_view();
}

// `cat -n`: each line after its number and a tab.
std::string without_line_numbers(std::string_view output) {
  std::string text;
  while (!output.empty()) {
    const std::size_t tab = output.find('\t');
    const std::string_view number = output.substr(0, tab);
    const bool is_number =
        tab != std::string_view::npos && !number.empty() &&
        std::all_of(number.begin(), number.end(), [](char c) { return c == ' ' || std::isdigit(c); });
    if (!is_number) return {};
    output.remove_prefix(tab + 1);
    const std::size_t length = std::min(output.find('\n'), output.size() - 1) + 1;
    text += output.substr(0, output.empty() ? 0 : length);
    output.remove_prefix(std::min(output.size(), length));
  }
  return text;
}

}  // namespace

std::vector<FileSeen> shown_by_command(std::string_view command, std::string_view output, const ToolIo& io) {
  const auto script = shell::parse(command);
  if (!script || output.empty()) return {};
  const char* home = std::getenv("HOME");
  const auto commands =
      shell::commands_of(*script, {.cwd = std::string(io.session.working_directory()), .home = home ? home : ""});
  std::vector<FileSeen> seen;
  std::string expected;
  for (const shell::ShownFile& file : shell::shown_files(commands)) {
    const auto path = io.os.files.canonical(file.path);
    if (!path) return {};
    const auto content = io.os.files.read(*path, kFileBytesLookedAtMax);
    if (!content) return {};
    std::size_t last_line = 0;
    expected += lines_of(content->bytes, file.first_line, file.last_line, last_line);
    if (expected.size() > output.size()) return {};
    std::size_t all_lines = 0;
    lines_of(content->bytes, 1, 0, all_lines);
    FileSeen its = seen_wholly(*path, content->status, content->bytes);
    its.whole = file.first_line == 1 && last_line == all_lines;
    if (!its.whole) its.lines = {{file.first_line, last_line}};
    seen.push_back(std::move(its));
  }
  if (seen.empty() || (output != expected && without_line_numbers(output) != expected)) return {};
  return seen;
}

}  // namespace deft
