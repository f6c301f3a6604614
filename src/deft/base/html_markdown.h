#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "deft/base/url.h"

namespace deft {

inline constexpr std::size_t kMarkdownBytesMax = std::size_t{16} << 20;  // the rest is left out

struct MarkdownPage {
  std::string title;
  std::string text;
  bool is_cut = false;  // the document was too large
};

// A page as Markdown: headings, paragraphs, lists, tables, code, quotes, links by their whole address. What a reader
// does not see (scripts, styles, hidden parts, controls) is left out; of a page with a main part, all but that.
// `document` is UTF-8.
MarkdownPage html_to_markdown(std::string_view document, const WebUrl& page);

}  // namespace deft
