#include "deft/base/regex.h"

#include <algorithm>

namespace deft {
namespace {

bool holds_newline(const RegexNode& node) {
  if (node.kind == RegexNode::Kind::set) return node.set.contains('\n');
  return std::ranges::any_of(node.parts, holds_newline);
}

}  // namespace

Result<Regex> Regex::compile(std::string_view pattern, const RegexOptions& options) {
  auto tree = parse_regex(pattern, options);
  if (!tree) return std::unexpected(tree.error());
  auto forward = compile_regex(*tree, Direction::forward);
  if (!forward) return std::unexpected(forward.error());
  auto backward = compile_regex(*tree, Direction::backward);
  if (!backward) return std::unexpected(backward.error());
  Regex regex;
  regex.can_match_newline_ = holds_newline(*tree);
  regex.tree_ = std::move(*tree);
  regex.forward_ = std::move(*forward);
  regex.backward_ = std::move(*backward);
  return regex;
}

RegexSearch::RegexSearch(const Regex& regex, const std::stop_token& stop)
    : any_(regex.forward_, RegexAutomaton::Rule::earliest, stop),
      here_(regex.forward_, RegexAutomaton::Rule::earliest_here, stop),
      ends_(regex.forward_, RegexAutomaton::Rule::leftmost, stop),
      begins_(regex.backward_, RegexAutomaton::Rule::longest, stop) {}

std::optional<Span> RegexSearch::find(std::string_view text, std::size_t from) {
  const auto end = ends_.find_end(text, from);
  if (!end) return std::nullopt;
  const auto begin = begins_.find_begin(text, from, *end);
  if (!begin) return std::nullopt;  // only when stopped
  return Span{*begin, *end};
}

}  // namespace deft
