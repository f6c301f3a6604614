#include "deft/ui/meant_word.h"

#include <algorithm>
#include <optional>

#include "deft/base/nearest_file_name.h"

namespace deft {
namespace {

constexpr std::size_t kWordBytesMin = 3;  // what is shorter is near to too much

// The only one that the word is the beginning of.
std::optional<std::string> begun_word(std::string_view word, const std::vector<std::string>& known) {
  const auto is_begun = [&](const std::string& candidate) { return candidate.starts_with(word); };
  const auto found = std::ranges::find_if(known, is_begun);
  if (found == known.end() || std::find_if(std::next(found), known.end(), is_begun) != known.end()) return std::nullopt;
  return *found;
}

}  // namespace

std::string meant_word(std::string_view word, const std::vector<std::string>& known) {
  if (word.size() < kWordBytesMin) return {};
  auto meant = nearest_file_name(word, known);
  if (!meant) meant = begun_word(word, known);
  return meant ? "; is " + *meant + " meant?" : "";
}

}  // namespace deft
