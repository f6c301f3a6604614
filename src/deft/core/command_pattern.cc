#include "deft/core/command_pattern.h"

namespace deft {
namespace {

std::vector<std::string> split_at_stars(std::string_view pattern) {
  std::vector<std::string> pieces;
  for (std::size_t start = 0;;) {
    const std::size_t star = pattern.find('*', start);
    pieces.emplace_back(pattern.substr(start, star - start));
    if (star == std::string_view::npos) return pieces;
    start = star + 1;
    while (start < pattern.size() && pattern[start] == '*') ++start;  // two stars are one
  }
}

// Blanks between words are as many as one likes; inside quotes they count.
std::string with_single_blanks(std::string_view text) {
  while (text.starts_with(' ') || text.starts_with('\t')) text.remove_prefix(1);
  if (text.find_first_of("'\"\\") != std::string_view::npos) return std::string(text);
  std::string out;
  for (const char c : text) {
    const bool is_blank = c == ' ' || c == '\t';
    if (is_blank && out.ends_with(' ')) continue;
    out += is_blank ? ' ' : c;
  }
  return out;
}

bool match_pieces(const std::vector<std::string>& pieces, std::string_view text) {
  if (pieces.size() == 1) return text == pieces[0];
  if (!text.starts_with(pieces.front())) return false;
  text.remove_prefix(pieces.front().size());
  if (!text.ends_with(pieces.back())) return false;
  text.remove_suffix(pieces.back().size());
  for (std::size_t i = 1; i + 1 < pieces.size(); ++i) {  // the leftmost place leaves the most for the rest
    const std::size_t place = text.find(pieces[i]);
    if (place == std::string_view::npos) return false;
    text.remove_prefix(place + pieces[i].size());
  }
  return true;
}

}  // namespace

Result<CommandPattern> CommandPattern::compile(std::string_view specifier) {
  std::string pattern = with_single_blanks(specifier);
  CommandPattern compiled;
  compiled.text_ = pattern;
  while (compiled.text_.ends_with(' ')) compiled.text_.pop_back();
  if (pattern.ends_with(":*")) {
    pattern.replace(pattern.size() - 2, 2, " *");
    if (pattern.size() == 2) return fail(Errc::invalid_input, "needs a command before ':*'");
  }
  if (pattern.find('*') == std::string::npos) {
    while (pattern.ends_with(' ')) pattern.pop_back();
  }
  compiled.ends_at_word_ = pattern.ends_with(" *") && pattern.size() > 2;
  compiled.pieces_ = split_at_stars(pattern);
  for (const std::string& piece : compiled.pieces_) compiled.joined_size_ += piece.size();
  if (compiled.joined_size_ == 0 && compiled.pieces_.size() == 1) {
    return fail(Errc::invalid_input, "names no command");
  }
  return compiled;
}

bool CommandPattern::matches_pieces(std::string_view command) const { return match_pieces(pieces_, command); }

bool CommandPattern::matches(std::string_view command) const {
  if (matches_pieces(command)) return true;
  // `ls *` is also `ls`: as if one blank followed.
  return ends_at_word_ && matches_pieces(std::string(command) + " ");
}

bool CommandPattern::may_match_beginning(std::string_view beginning) const {
  const std::string_view literal = pieces_.front();
  if (beginning.size() <= literal.size()) return literal.starts_with(beginning);
  return pieces_.size() > 1 && beginning.starts_with(literal);
}

std::string_view CommandPattern::first_word() const {
  const std::string_view literal = pieces_.front();
  const std::size_t blank = literal.find_first_of(" \t\n");
  if (blank != std::string_view::npos) return literal.substr(0, blank);
  return is_exact() ? literal : std::string_view();
}

bool matches_stars(std::string_view pattern, std::string_view text) {
  return match_pieces(split_at_stars(pattern), text);
}

}  // namespace deft
