#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "deft/base/json.h"
#include "deft/base/line_search.h"
#include "deft/base/result.h"
#include "deft/base/whole_search.h"

namespace deft {

inline constexpr std::size_t kGrepHeadLimitDefault = 250;
inline constexpr std::size_t kGrepContextLinesMax = 1'000;

enum class GrepMode : std::uint8_t { files, content, count };

// What the model asked for, checked.
struct GrepQuery {
  std::string_view pattern;
  std::optional<std::string_view> path;
  std::optional<std::string_view> glob;
  std::optional<std::string_view> type;
  GrepMode mode = GrepMode::files;
  std::size_t lines_before = 0;
  std::size_t lines_after = 0;
  bool numbers = true;
  bool ignore_case = false;
  bool only_matching = false;
  bool multiline = false;
  std::size_t head_limit = kGrepHeadLimitDefault;  // 0: no limit of its own
  std::size_t offset = 0;
};
GrepQuery parse_grep_query(const Json& input);  // which fits the schema and must outlive the query

// The pattern of a query, compiled. Just one of the two is there.
struct GrepPattern {
  std::optional<LinePattern> lines;   // a match lies within a line
  std::optional<WholePattern> whole;  // a match may go over several
};
Result<GrepPattern> compile_grep_pattern(const GrepQuery& query);

}  // namespace deft
