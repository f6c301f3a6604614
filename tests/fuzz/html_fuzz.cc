// A page of any bytes as Markdown: it ends, it is valid UTF-8, and the same page gives the same text.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "deft/base/check.h"
#include "deft/base/html_markdown.h"
#include "deft/base/utf8.h"
#include "deft/base/web_text.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const deft::WebUrl url{.scheme = "https", .host = "h.example"};
  const std::string text = deft::web_text(bytes, deft::charset_in_html(bytes));
  DEFT_CHECK(deft::is_utf8(text));
  const deft::MarkdownPage page = deft::html_to_markdown(text, url);
  DEFT_CHECK(deft::is_utf8(page.text) && deft::is_utf8(page.title));
  DEFT_CHECK(deft::html_to_markdown(text, url).text == page.text);
  (void)deft::resolve_link(url, bytes);
  return 0;
}
