#include "deft/base/markdown_text.h"

#include <algorithm>
#include <utility>

namespace deft {
namespace {

bool is_space(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f'; }

// A cell is one line, and its bars are its own.
std::string cell_text(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\n') {
      while (i + 1 < text.size() && is_space(text[i + 1])) ++i;
      out += "<br>";
    } else {
      if (text[i] == '|') out += '\\';
      out += text[i];
    }
  }
  return out;
}

}  // namespace

void FlowingText::add(std::string_view text) {
  while (!text.empty()) {
    const auto* begin = std::ranges::find_if(text, [](char c) { return !is_space(c); });
    if (begin != text.begin()) space_due_ = true;
    text.remove_prefix(static_cast<std::size_t>(begin - text.begin()));
    const auto* end = std::ranges::find_if(text, is_space);
    const std::string_view word = text.substr(0, static_cast<std::size_t>(end - text.begin()));
    if (!word.empty()) add_exactly(word);
    text.remove_prefix(word.size());
  }
}

void FlowingText::add_exactly(std::string_view text) {
  if (text.empty()) return;
  if (space_due_ && !out_.empty() && out_.back() != '\n') out_ += ' ';
  space_due_ = false;
  out_ += text;
}

void FlowingText::break_line() {
  if (out_.empty()) return;
  out_ += '\n';
  space_due_ = false;
}

void FlowingText::wrap(std::size_t from, std::string_view before, std::string_view after) {
  while (from < out_.size() && is_space(out_[from])) ++from;
  if (from >= out_.size()) return;
  out_.insert(from, before);
  out_ += after;
}

std::string FlowingText::take() {
  while (!out_.empty() && is_space(out_.back())) out_.pop_back();
  space_due_ = false;
  return std::exchange(out_, {});
}

std::string joined_blocks(const std::vector<MarkdownBlock>& blocks, bool tight) {
  std::string out;
  for (const MarkdownBlock& block : blocks) {
    if (!out.empty()) out += tight && block.is_list ? "\n" : "\n\n";
    out += block.text;
  }
  return out;
}

std::string with_prefix(std::string_view text, std::string_view first, std::string_view rest) {
  std::string out(first);
  while (true) {
    const std::size_t end = text.find('\n');
    out += text.substr(0, end);
    if (end == std::string_view::npos) return out;
    out += '\n';
    text.remove_prefix(end + 1);
    // An empty line needs no blanks at its end.
    const bool is_empty = text.empty() || text.front() == '\n';
    std::string_view prefix = rest;
    while (is_empty && prefix.ends_with(' ')) prefix.remove_suffix(1);
    out += prefix;
  }
}

std::string fence_for(std::string_view text, std::size_t least) {
  std::size_t longest = 0;
  std::size_t run = 0;
  for (const char c : text) {
    run = c == '`' ? run + 1 : 0;
    longest = std::max(longest, run);
  }
  return std::string(longest >= least ? longest + 1 : least, '`');
}

std::string escaped_start(std::string text) {
  if (text.empty()) return text;
  const char first = text.front();
  const bool then_blank = text.size() == 1 || text[1] == ' ';
  if (first == '>' || ((first == '-' || first == '+' || first == '*') && then_blank)) return "\\" + text;
  if (first == '#' && text.find_first_not_of('#') < 7 && text[text.find_first_not_of('#')] == ' ') return "\\" + text;
  return text;
}

std::string markdown_table(const std::vector<std::vector<std::string>>& rows) {
  std::size_t columns = 0;
  for (const auto& row : rows) columns = std::max(columns, row.size());
  const bool is_filled_up = rows.size() * columns <= kTableCellsMax;
  std::string out;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (i > 0) out += '\n';
    out += '|';
    const std::size_t shown = is_filled_up ? columns : rows[i].size();
    for (std::size_t column = 0; column < shown; ++column) {
      out += ' ' + (column < rows[i].size() ? cell_text(rows[i][column]) : std::string()) + " |";
    }
    if (i > 0) continue;
    out += "\n|";
    for (std::size_t column = 0; column < columns; ++column) out += " --- |";
  }
  return out;
}

}  // namespace deft
