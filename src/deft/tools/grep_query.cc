#include "deft/tools/grep_query.h"

#include <algorithm>

namespace deft {
namespace {

std::size_t size_at(const Json& input, std::string_view key, std::size_t otherwise) {
  const auto value = find_int(input, key);
  return value ? static_cast<std::size_t>(std::max<std::int64_t>(*value, 0)) : otherwise;
}

GrepMode mode_of(const Json& input) {
  const auto mode = find_string(input, "output_mode");
  if (mode == "content") return GrepMode::content;
  return mode == "count" ? GrepMode::count : GrepMode::files;
}

bool asks_for_text_edges(const RegexNode& node) {
  if (node.kind == RegexNode::Kind::assertion) {
    return node.assertion == Assertion::text_start || node.assertion == Assertion::text_end;
  }
  return std::ranges::any_of(node.parts, asks_for_text_edges);
}

}  // namespace

GrepQuery parse_grep_query(const Json& input) {
  GrepQuery query;
  query.pattern = find_string(input, "pattern").value_or("");
  query.path = find_string(input, "path");
  query.glob = find_string(input, "glob");
  query.type = find_string(input, "type");
  query.mode = mode_of(input);
  const std::size_t around = size_at(input, "-C", size_at(input, "context", 0));
  query.lines_before = std::min(size_at(input, "-B", around), kGrepContextLinesMax);
  query.lines_after = std::min(size_at(input, "-A", around), kGrepContextLinesMax);
  query.numbers = find_bool(input, "-n").value_or(true);
  query.ignore_case = find_bool(input, "-i").value_or(false);
  query.only_matching = find_bool(input, "-o").value_or(false);
  query.multiline = find_bool(input, "multiline").value_or(false);
  query.head_limit = size_at(input, "head_limit", kGrepHeadLimitDefault);
  query.offset = size_at(input, "offset", 0);
  return query;
}

Result<GrepPattern> compile_grep_pattern(const GrepQuery& query) {
  GrepPattern pattern;
  if (query.multiline) {
    const RegexOptions options{.ignore_case = query.ignore_case, .dot_matches_newline = true, .by_line = false};
    auto whole = Regex::compile(query.pattern, options);
    if (!whole) return std::unexpected(whole.error());
    // What cannot match a newline is found line by line: faster, and without holding whole files.
    if (whole->can_match_newline() || asks_for_text_edges(whole->tree())) {
      pattern.whole.emplace(std::move(*whole));
      return pattern;
    }
  }
  auto by_line = Regex::compile(query.pattern, {.ignore_case = query.ignore_case});
  if (!by_line) return std::unexpected(by_line.error());
  pattern.lines.emplace(std::move(*by_line));
  return pattern;
}

}  // namespace deft
