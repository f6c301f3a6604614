#include "deft/core/mentioned_files.h"

#include <algorithm>

namespace deft {
namespace {

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; }

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
  return text;
}

}  // namespace

std::vector<std::string> mentioned_files(std::string_view text) {
  std::vector<std::string> files;
  bool in_block = false;
  for (std::size_t line_at = 0; line_at < text.size();) {
    const std::size_t end = std::min(text.find('\n', line_at), text.size());
    const std::string_view line = text.substr(line_at, end - line_at);
    line_at = end + 1;
    if (trimmed(line).starts_with("```") || trimmed(line).starts_with("~~~")) {
      in_block = !in_block;
      continue;
    }
    bool in_code = false;
    for (std::size_t i = 0; i < line.size() && !in_block; ++i) {
      if (line[i] == '`') in_code = !in_code;
      const bool stands_free = i == 0 || is_blank(line[i - 1]) || line[i - 1] == '(' || line[i - 1] == '[';
      if (line[i] != '@' || in_code || !stands_free) continue;
      std::string_view name = line.substr(i + 1);
      if (name.starts_with('"')) {
        const std::size_t close = name.find('"', 1);
        if (close == std::string_view::npos) continue;
        name = name.substr(1, close - 1);
      } else {
        name = name.substr(0, static_cast<std::size_t>(std::ranges::find_if(name, is_blank) - name.begin()));
        while (!name.empty() && std::string_view(".,;:!?)]'\"").find(name.back()) != std::string_view::npos) {
          name.remove_suffix(1);
        }
      }
      if (name.find_first_of("./") == std::string_view::npos || name.find('`') != std::string_view::npos) continue;
      if (std::ranges::find(files, name) == files.end()) files.emplace_back(name);
      if (files.size() == kMentionedFilesMax) return files;
    }
  }
  return files;
}

}  // namespace deft
