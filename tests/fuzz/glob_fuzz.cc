// A pattern and paths, a line each: whatever the pattern, it ends, a match means that the folders above may hold one,
// and a pattern without anything special matches itself and nothing else.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "deft/base/check.h"
#include "deft/base/glob.h"
#include "deft/os/walker.h"
#include "deft/tools/path_filter.h"

namespace {

std::string_view take_line(std::string_view& text) {
  const std::size_t end = std::min(text.find('\n'), text.size());
  const std::string_view line = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  return line;
}

bool is_plain(std::string_view pattern) { return pattern.find_first_of("*?[]{},\\") == std::string_view::npos; }

void try_glob(std::string_view pattern, std::string_view paths, deft::Glob::Syntax syntax) {
  const auto glob = deft::Glob::compile(pattern, syntax);
  DEFT_CHECK(glob || !glob.error().message.empty());
  if (!glob) return;
  if (is_plain(pattern)) DEFT_CHECK(glob->matches(pattern));
  while (!paths.empty()) {
    const std::string_view path = take_line(paths);
    const bool matches = glob->matches(path);
    if (is_plain(pattern)) DEFT_CHECK(matches == (path == pattern));
    for (std::size_t slash = path.find('/'); matches && slash != std::string_view::npos;
         slash = path.find('/', slash + 1)) {
      if (slash > 0) DEFT_CHECK(glob->may_match_below(path.substr(0, slash)));
    }
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string_view text(reinterpret_cast<const char*>(data), size);
  const std::string_view pattern = take_line(text);
  try_glob(pattern, text, {});
  try_glob(pattern, text, {.braces = false, .characters = false});

  const auto filter = deft::PathFilter::parse(pattern, "below/");
  if (!filter) return 0;
  while (!text.empty()) {
    const std::string_view path = take_line(text);
    // What is chosen can be reached: no folder around it is left out unless a pattern says so.
    const bool chosen = filter->wish(path, false) == deft::WalkWish::take;
    const std::size_t slash = path.rfind('/');
    const bool reachable = slash == std::string_view::npos || slash == 0 ||
                           pattern.find('!') != std::string_view::npos ||
                           filter->wish(path.substr(0, slash), true) != deft::WalkWish::skip;
    DEFT_CHECK(!chosen || reachable);
  }
  return 0;
}
