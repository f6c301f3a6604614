#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

// Pieces of Markdown, put together by whoever reads a document (html_markdown.cc).

namespace deft {

// Text that flows: white space is folded, and stands neither at the start nor at the end of a line.
class FlowingText {
 public:
  void add(std::string_view text);
  void add_exactly(std::string_view text);  // no folding inside; a blank that is due comes before it
  void break_line();
  // Around what was added since `from`, if that is anything; blanks at its ends stay outside.
  std::size_t mark() const { return out_.size(); }
  void wrap(std::size_t from, std::string_view before, std::string_view after);
  // Nothing, if all was taken since then.
  std::string_view since(std::size_t from) const { return std::string_view(out_).substr(std::min(from, out_.size())); }
  void cut(std::size_t from) { out_.resize(std::min(from, out_.size())); }

  bool empty() const { return out_.empty(); }
  std::string take();

 private:
  std::string out_;
  bool space_due_ = false;
};

struct MarkdownBlock {
  std::string text;
  bool is_list = false;
};

// Blocks, separated by empty lines; in a `tight` list item a list follows without one.
std::string joined_blocks(const std::vector<MarkdownBlock>& blocks, bool tight);
// Every line after the first begins with `rest`, the first with `first`.
std::string with_prefix(std::string_view text, std::string_view first, std::string_view rest);
// A run of backticks that does not occur in the text, at least so long.
std::string fence_for(std::string_view text, std::size_t least);
// A paragraph whose first characters would make it something else.
std::string escaped_start(std::string text);

// Cells of one table that only fill it up: of a larger one the ends of short rows stay open.
inline constexpr std::size_t kTableCellsMax = 100'000;

// Rows of cells, all as one line each; the first row is the head.
std::string markdown_table(const std::vector<std::vector<std::string>>& rows);

}  // namespace deft
