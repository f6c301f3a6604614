#include "deft/core/pattern_matches.h"

#include <string_view>
#include <utility>

#include "deft/base/glob.h"

namespace deft {
namespace {

std::string lower(std::string_view text) {
  std::string out(text);
  for (char& c : out) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return out;
}

bool is_wild(std::string_view segment) {
  for (std::size_t i = 0; i < segment.size(); ++i) {
    if (segment[i] == '\\') {
      ++i;
    } else if (segment[i] == '*' || segment[i] == '?' || segment[i] == '[') {
      return true;
    }
  }
  return false;
}

std::string plain(std::string_view segment) {
  std::string out;
  for (std::size_t i = 0; i < segment.size(); ++i) {
    if (segment[i] == '\\' && i + 1 < segment.size()) ++i;
    out += segment[i];
  }
  return out;
}

std::vector<std::string_view> segments_of(std::string_view glob) {
  std::vector<std::string_view> segments;
  for (std::size_t start = 0; start < glob.size();) {
    const std::size_t slash = std::min(glob.find('/', start), glob.size());
    if (slash > start) segments.push_back(glob.substr(start, slash - start));
    start = slash + 1;
  }
  return segments;
}

// Brackets mean something else in every locale: what holds one takes every name.
std::optional<Glob> compiled(std::string_view segment) {
  const std::string text = segment.find('[') == std::string_view::npos ? lower(segment) : "*";
  auto glob = Glob::compile(text, {.braces = false, .characters = true});
  if (!glob) return std::nullopt;
  return std::move(*glob);
}

}  // namespace

std::optional<std::vector<std::string>> expand_pattern(const std::string& glob, const ListFolder& list) {
  std::vector<std::string> paths = {""};
  std::size_t folders = 0;
  for (const std::string_view segment : segments_of(glob)) {
    std::vector<std::string> next;
    if (!is_wild(segment)) {
      for (const std::string& path : paths) next.push_back(path + "/" + plain(segment));
      paths = std::move(next);
      continue;
    }
    const auto pattern = compiled(segment);
    if (!pattern) return std::nullopt;
    for (const std::string& path : paths) {
      if (++folders > kPatternFoldersMax) return std::nullopt;
      const auto names = list(path.empty() ? "/" : path);
      if (!names) return std::nullopt;
      for (const std::string& name : *names) {
        if (pattern->matches(lower(name))) next.push_back(path + "/" + name);
        if (next.size() > kPatternMatchesMax) return std::nullopt;
      }
    }
    paths = std::move(next);
  }
  return paths;
}

}  // namespace deft
