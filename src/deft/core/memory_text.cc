#include "deft/core/memory_text.h"

#include <algorithm>
#include <optional>

namespace deft {
namespace {

constexpr std::string_view kBlanks = " \t\r";

std::string_view trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(kBlanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kBlanks) - first + 1);
}

// The next line with its newline; `rest` goes on after it.
std::string_view take_line(std::string_view& rest) {
  const std::size_t end = rest.find('\n');
  const std::string_view line = rest.substr(0, end == std::string_view::npos ? rest.size() : end + 1);
  rest.remove_prefix(line.size());
  return line;
}

std::string_view without_newline(std::string_view line) {
  while (line.ends_with('\n') || line.ends_with('\r')) line.remove_suffix(1);
  return line;
}

// --- front matter ---

std::string_view unquoted(std::string_view text) {
  text = trimmed(text);
  const bool is_quoted =
      text.size() >= 2 && (text.front() == '"' || text.front() == '\'') && text.back() == text.front();
  return is_quoted ? text.substr(1, text.size() - 2) : text;
}

// At commas outside quotes and braces.
std::vector<std::string_view> split_list(std::string_view text) {
  std::vector<std::string_view> parts;
  std::size_t begin = 0;
  int depth = 0;
  char quote = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (quote != 0) {
      if (c == quote) quote = 0;
    } else if (c == '"' || c == '\'') {
      quote = c;
    } else if (c == '{') {
      ++depth;
    } else if (c == '}') {
      depth = std::max(0, depth - 1);
    } else if (c == ',' && depth == 0) {
      parts.push_back(text.substr(begin, i - begin));
      begin = i + 1;
    }
  }
  parts.push_back(text.substr(begin));
  return parts;
}

// `a, b`, `["a", "b"]`, and "a, b" in one pair of quotes.
void add_paths(std::string_view value, std::vector<std::string>& paths) {
  value = trimmed(value);
  if (value.starts_with('[') && value.ends_with(']')) value = trimmed(value.substr(1, value.size() - 2));
  const bool is_one_text = !value.empty() && value.find(value.front(), 1) == value.size() - 1;
  for (const std::string_view part : split_list(is_one_text ? unquoted(value) : value)) {
    const std::string_view path = unquoted(part);
    if (!path.empty() && paths.size() < kRulePathsMax) paths.emplace_back(path);
  }
}

std::vector<std::string> paths_of(std::string_view front_matter) {
  std::vector<std::string> paths;
  bool in_list = false;
  while (!front_matter.empty()) {
    const std::string_view line = without_newline(take_line(front_matter));
    const std::string_view word = trimmed(line);
    if (in_list && word.starts_with("- ")) {
      add_paths(word.substr(2), paths);
      continue;
    }
    if (word.empty() || word.starts_with('#')) continue;
    in_list = line.starts_with("paths:");
    if (in_list) add_paths(line.substr(6), paths);
  }
  return paths;
}

// What stands between the dashes; nothing if the text does not begin with it. `rest` then goes on after it.
std::optional<std::string_view> take_front_matter(std::string_view& rest) {
  std::string_view text = rest;
  if (trimmed(without_newline(take_line(text))) != "---") return std::nullopt;
  const std::string_view begin = text;
  while (!text.empty()) {
    const std::size_t length = begin.size() - text.size();
    const std::string_view line = trimmed(without_newline(take_line(text)));
    if (line != "---") continue;
    rest = text;
    return begin.substr(0, length);
  }
  return std::nullopt;
}

// --- the text, line by line ---

// Which lines are code: between ``` and ```, or ~~~ and ~~~.
class Fences {
 public:
  // Is this line code, the fences included?
  bool take(std::string_view line) {
    const std::size_t indent = std::min(line.find_first_not_of(' '), line.size());
    const std::string_view word = line.substr(indent);
    const char mark = word.empty() ? '\0' : word[0];
    const std::size_t length = mark == '`' || mark == '~' ? std::min(word.find_first_not_of(mark), word.size()) : 0;
    if (open_ == 0) {
      const bool opens =
          indent <= 3 && length >= 3 && (mark == '~' || word.find('`', length) == std::string_view::npos);
      if (!opens) return false;
      open_ = length;
      mark_ = mark;
      return true;
    }
    const bool closes = indent <= 3 && mark == mark_ && length >= open_ && trimmed(word.substr(length)).empty();
    if (closes) open_ = 0;
    return true;
  }

 private:
  std::size_t open_ = 0;  // how long the opening one was; 0: none is
  char mark_ = 0;
};

bool begins_comment(std::string_view line) {
  const std::size_t indent = line.find_first_not_of(' ');
  return indent <= 3 && line.substr(indent).starts_with("<!--");
}

// Where the code that begins with these backticks ends; nothing if they stand for themselves.
std::optional<std::size_t> end_of_code(std::string_view line, std::size_t begin) {
  const std::size_t after = std::min(line.find_first_not_of('`', begin), line.size());
  const std::size_t length = after - begin;
  for (std::size_t at = line.find('`', after); at != std::string_view::npos; at = line.find('`', at)) {
    const std::size_t end = std::min(line.find_first_not_of('`', at), line.size());
    if (end - at == length) return end;
    at = end;
  }
  return std::nullopt;
}

bool is_space(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; }

// From after the "@" to the next blank.
std::string import_at(std::string_view line, std::size_t& at) {
  std::string path;
  for (++at; at < line.size() && !is_space(line[at]) && line[at] != '`'; ++at) {
    if (line[at] == '\\' && at + 1 < line.size() && line[at + 1] == ' ') ++at;
    path += line[at];
  }
  return path;
}

void find_imports(std::string_view line, std::vector<std::string>& imports) {
  for (std::size_t at = 0; at < line.size();) {
    if (line[at] == '`') {
      const auto end = end_of_code(line, at);
      at = end ? *end : std::min(line.find_first_not_of('`', at), line.size());
      continue;
    }
    if (line[at] != '@' || (at > 0 && !is_space(line[at - 1]))) {
      ++at;
      continue;
    }
    std::string path = import_at(line, at);
    if (path.empty() || path.find('\0') != std::string::npos || imports.size() == kImportsPerFileMax) continue;
    if (std::ranges::find(imports, path) == imports.end()) imports.push_back(std::move(path));
  }
}

}  // namespace

MemoryText read_memory_text(std::string_view text) {
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
  MemoryText memory;
  if (const auto front_matter = take_front_matter(text)) memory.paths = paths_of(*front_matter);
  Fences fences;
  while (!text.empty()) {
    const std::string_view before = text;
    const std::string_view line = take_line(text);
    if (fences.take(without_newline(line))) {
      memory.text += line;
      continue;
    }
    if (begins_comment(line)) {
      const std::size_t end = before.find("-->", before.find("<!--") + 4);
      if (end != std::string_view::npos) {  // one that never ends is text
        text = before.substr(end + 3);
        const std::string_view after = take_line(text);
        if (!trimmed(without_newline(after)).empty()) text = before.substr(end + 3);
        continue;
      }
    }
    find_imports(line, memory.imports);
    memory.text += line;
  }
  return memory;
}

std::string_view without_punctuation(std::string_view path) {
  while (!path.empty() && std::string_view(".,;:!?)]}>\"'*_").find(path.back()) != std::string_view::npos) {
    path.remove_suffix(1);
  }
  return path;
}

}  // namespace deft
