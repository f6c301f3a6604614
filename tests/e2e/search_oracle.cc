#include "search_oracle.h"

#include <sys/stat.h>

#include <algorithm>
#include <cstdlib>
#include <stdexcept>

#include "deft/base/utf8.h"
#include "deft/testing/run_command.h"
#include "deft/testing/split.h"
#include "deft/tools/glob_tool.h"
#include "deft/tools/grep.h"
#include "deft/tools/grep_results.h"
#include "deft/tools/grep_writer.h"

namespace deft::testing {
namespace {

constexpr std::size_t kPagesMax = 4;  // of what Grep shows; the totals are compared whatever there is

std::size_t size_of(const Json& object, std::string_view key) {
  return static_cast<std::size_t>(find_int(object, key).value_or(0));
}

bool is_content(const JsonObject& input) { return find_string(Json(input), "output_mode") == "content"; }

// ripgrep prints "path", a zero byte, "12:text"; between matches that are apart "--".
ExpectedLine expected_line(std::string_view printed, bool numbers) {
  const std::size_t zero = printed.find('\0');
  if (zero == std::string_view::npos) {
    const std::size_t binary = printed.find(": WARNING: stopped searching binary file");
    const std::size_t matches = printed.find(": binary file matches");
    const std::size_t end = std::min(binary, matches);
    if (end == std::string_view::npos) return {.text = to_valid_utf8(printed)};
    return {.text = to_valid_utf8(printed.substr(0, end)) + ": binary", .is_beginning = true};
  }
  std::string_view rest = printed.substr(zero + 1);
  const std::size_t digits = numbers ? std::min(rest.find_first_not_of("0123456789"), rest.size()) : 0;
  if (rest.ends_with('\r')) rest.remove_suffix(1);
  const char mark = digits > 0 && digits < rest.size() ? rest[digits] : ':';
  ExpectedLine line{.text = to_valid_utf8(printed.substr(0, zero)) + mark + to_valid_utf8(rest)};
  const std::string shown = to_valid_utf8(rest.substr(digits == 0 ? 0 : std::min(digits + 1, rest.size())));
  if (count_characters(shown) <= kGrepLineCharactersMax) return line;
  return {
      .text = to_valid_utf8(printed.substr(0, zero)) + mark + std::string(rest.substr(0, digits == 0 ? 0 : digits + 1)),
      .is_beginning = true};
}

// As Grep takes them, for ripgrep. The order is that of a walk by names, so there is just one right answer.
std::vector<std::string> ripgrep_arguments(const Json& input) {
  const char* other = std::getenv("DEFT_RIPGREP");  // to compare with another version than the installed one
  std::vector<std::string> arguments = {
      other ? other : "rg", "--no-config",     "--hidden", "--glob=!.git",  "--sort=path",         "--color=never",
      "--no-heading",       "--with-filename", "--null",   "--no-messages", "--no-ignore-messages"};
  const auto mode = find_string(input, "output_mode").value_or("files_with_matches");
  if (mode == "files_with_matches") arguments.emplace_back("--files-with-matches");
  if (mode == "count") arguments.emplace_back("--count");
  if (mode == "content") arguments.emplace_back(find_bool(input, "-n").value_or(true) ? "-n" : "-N");
  for (const char* flag : {"-A", "-B", "-C"}) {
    if (const auto lines = find_int(input, flag)) arguments.push_back(flag + std::to_string(*lines));
  }
  for (const char* flag : {"-i", "-o"}) {
    if (find_bool(input, flag).value_or(false)) arguments.emplace_back(flag);
  }
  if (find_bool(input, "-o").value_or(false) && mode == "count") arguments.emplace_back("--count-matches");
  if (find_bool(input, "multiline").value_or(false)) {
    arguments.insert(arguments.end(), {"--multiline", "--multiline-dotall"});
  }
  if (const auto glob = find_string(input, "glob")) arguments.push_back("--glob=" + std::string(*glob));
  if (const auto type = find_string(input, "type")) arguments.push_back("--type=" + std::string(*type));
  arguments.push_back("--regexp=" + std::string(find_string(input, "pattern").value_or("")));
  arguments.emplace_back("--");
  if (const auto path = find_string(input, "path")) arguments.emplace_back(*path);
  return arguments;
}

bool file_exists(const std::string& path, struct stat& status) {
  return ::stat(path.c_str(), &status) == 0 && S_ISREG(status.st_mode);
}

}  // namespace

SearchOracle::SearchOracle(std::string tree, std::string home)
    : tree_(std::move(tree)), home_(std::move(home)), bench_(files_, tree_), grep_(make_grep_tool()) {
  for (const char* name : {"HOME", "XDG_CONFIG_HOME"}) {
    if (const char* value = std::getenv(name)) old_environment_[name] = value;
    ::unsetenv(name);
  }
  ::setenv("HOME", home_.c_str(), 1);
}

SearchOracle::~SearchOracle() {
  ::unsetenv("HOME");
  for (const auto& [name, value] : old_environment_) ::setenv(name.c_str(), value.c_str(), 1);
}

SearchOracle::Answer SearchOracle::ask_grep(JsonObject input) {
  Answer answer;
  input["head_limit"] = 0;
  for (std::size_t page = 0; page < kPagesMax; ++page) {
    input["offset"] = answer.lines.size();
    const auto result = bench_.call(*grep_, input);
    if (!result) throw std::runtime_error(result.error().message);
    const Json details = result->details;
    const bool by_file = !find_string(details, "content");
    std::vector<std::string> lines;
    if (by_file) {
      for (const Json& name : *find_array(details, "filenames")) lines.emplace_back(name.get_string());
    } else {
      lines = split(*find_string(details, "content"), '\n');
    }
    answer.lines.insert(answer.lines.end(), lines.begin(), lines.end());
    answer.files = size_of(details, "totalFiles");
    answer.matches = size_of(details, "numMatches");
    answer.lines_in_all = is_content(input) ? size_of(details, "totalLines") : answer.files;
    answer.is_complete = answer.lines.size() == answer.lines_in_all;
    if (answer.is_complete || lines.empty()) break;
  }
  return answer;
}

std::vector<ExpectedLine> SearchOracle::ask_ripgrep(const JsonObject& input) const {
  std::vector<std::string> arguments = ripgrep_arguments(input);
  arguments.insert(arguments.begin(), {"env", "HOME=" + home_});
  const CommandOutput answer = run_command(arguments, tree_, "ripgrep");
  // 2: something could not be read, which is part of some trees here.
  if (!answer.errors.empty() || answer.exit_code > 2) {
    throw std::runtime_error("rg: " + answer.errors);
  }
  std::vector<ExpectedLine> lines;
  if (find_string(Json(input), "output_mode").value_or("files_with_matches") == "files_with_matches") {
    for (const std::string& path : split(answer.output, '\0')) lines.push_back({.text = to_valid_utf8(path)});
    return lines;
  }
  const bool numbers = find_bool(Json(input), "-n").value_or(true);
  for (const std::string& line : split(answer.output, '\n')) lines.push_back(expected_line(line, numbers));
  return lines;
}

std::string SearchOracle::grep_difference(const JsonObject& input) {
  const std::vector<ExpectedLine> expected = ask_ripgrep(input);
  const Answer answer = ask_grep(input);
  for (std::size_t i = 0; i < std::min(expected.size(), answer.lines.size()); ++i) {
    if (expected[i].is_shown_by(answer.lines[i])) continue;
    return "line " + std::to_string(i + 1) + "\n  Grep: " + answer.lines[i] + "\n  rg:   " + expected[i].text;
  }
  if (answer.lines_in_all == expected.size()) return {};
  std::string text = "Grep has " + std::to_string(answer.lines_in_all) + " lines, rg " +
                     std::to_string(expected.size()) + "; the first beyond those that both have is ";
  const std::size_t shared = std::min(expected.size(), answer.lines.size());
  return text + (shared < expected.size() ? "rg's " + expected[shared].text
                                          : "Grep's " + (shared < answer.lines.size() ? answer.lines[shared] : "?"));
}

ToolResult SearchOracle::glob(const JsonObject& input, bool respect_ignore) {
  const auto tool = make_glob_tool({.respect_ignore = respect_ignore});
  auto result = bench_.call(*tool, input);
  if (!result) throw std::runtime_error(result.error().message);
  return std::move(*result);
}

std::string SearchOracle::glob_difference(std::string_view pattern, std::string_view in_bash) {
  const std::string script = "shopt -s globstar dotglob nullglob extglob; for f in " + std::string(in_bash) +
                             "; do printf '%s\\0' \"$f\"; done";
  const CommandOutput found = run_command({"bash", "-c", script}, tree_, "bash");
  using Aged = std::pair<std::int64_t, std::string>;
  std::set<Aged> newest_first;
  for (const std::string& path : split(found.output, '\0')) {
    struct stat status{};
    if (path.starts_with(".git/") || path.find("/.git/") != std::string::npos) continue;
    if (!file_exists(tree_ + "/" + path, status)) continue;
    newest_first.emplace(-(status.st_mtim.tv_sec * 1'000'000'000 + status.st_mtim.tv_nsec), path);
  }
  std::vector<Aged> sorted(newest_first.begin(), newest_first.end());
  std::ranges::sort(sorted, [](const Aged& a, const Aged& b) {
    return a.first != b.first ? a.first < b.first : PathOrder()(a.second, b.second);
  });

  const Json details = glob({{"pattern", pattern}}).details;
  if (size_of(details, "totalMatches") != sorted.size()) {
    return "Glob counts " + std::to_string(size_of(details, "totalMatches")) + " files, bash " +
           std::to_string(sorted.size());
  }
  const JsonArray& names = *find_array(details, "filenames");
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (names[i].get_string() == to_valid_utf8(sorted[i].second)) continue;
    return "file " + std::to_string(i + 1) + "\n  Glob: " + std::string(names[i].get_string()) +
           "\n  bash: " + sorted[i].second;
  }
  return names.size() == std::min(sorted.size(), kGlobFilesMax) ? "" : "Glob shows too few";
}

}  // namespace deft::testing
