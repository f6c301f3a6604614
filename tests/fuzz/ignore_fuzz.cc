// The text of an ignore file, a line "---", and paths: every line alone decides as it does among the others, so the
// shortcuts for plain names and endings never change what the last matching rule says.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "deft/base/check.h"
#include "deft/base/git_config.h"
#include "deft/base/ignore.h"
#include "deft/testing/split.h"

namespace {

constexpr std::string_view kBetween = "\n---\n";
constexpr std::size_t kPathsMax = 50;  // every rule is tried on each of them

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using deft::IgnoreVerdict;
  const std::string_view input(reinterpret_cast<const char*>(data), size);
  static_cast<void>(deft::git_config_value(input, "core", "excludesFile"));

  const std::size_t between = std::min(input.find(kBetween), input.size());
  const std::string_view text = input.substr(0, between);
  std::vector<deft::IgnoreFile> alone;
  for (const std::string& line : deft::testing::split(text, '\n')) {
    // A byte order mark is one only at the beginning of the file.
    alone.push_back(deft::IgnoreFile::parse(alone.empty() ? line : "\n" + line));
  }
  const auto together = deft::IgnoreFile::parse(text);

  auto paths = deft::testing::split(input.substr(std::min(between + kBetween.size(), input.size())), '\n');
  if (paths.size() > kPathsMax) paths.resize(kPathsMax);
  for (const std::string& path : paths) {
    for (const bool is_folder : {false, true}) {
      auto expected = IgnoreVerdict::no_rule;
      for (const auto& rule : alone) {
        const auto verdict = rule.match(path, is_folder);
        if (verdict != IgnoreVerdict::no_rule) expected = verdict;
      }
      DEFT_CHECK(together.match(path, is_folder) == expected);
    }
  }
  return 0;
}
