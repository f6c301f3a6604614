// A page of 2 MB as Markdown, against what libxml2 alone needs to read it (target: at most twice that).
#include <dlfcn.h>

#include <cstdlib>
#include <string>

#include "deft/base/html_markdown.h"
#include "measure.h"

namespace {

constexpr std::size_t kPageBytes = 2'000'000;

std::string page() {
  std::string html = "<!DOCTYPE html><html><head><title>A page</title></head><body><main>";
  for (int i = 0; html.size() < kPageBytes; ++i) {
    const std::string number = std::to_string(i);
    html += "<h2 id=s" + number + ">Section " + number + "</h2>\n<p>Words with <a href=\"/page/" + number +
            "?a=1&amp;b=2\">a link</a>, <b>bold</b> and <code>code</code> &mdash; and so on, for a line or two of text "
            "that is "
            "read by nobody.</p>\n<ul><li>one<li>two<ul><li>inner</ul></ul><div "
            "class='box'><div><span>deep</span></div></div>\n";
    if (i % 10 == 0) {
      html +=
          "<table><tr><th>A<th>B</tr><tr><td>1<td>2</tr></table><pre><code class=language-cpp>int a = 1;\nint "
          "b;</code></pre>";
    }
  }
  return html + "</main></body></html>";
}

// libxml2 by its name: whoever measures has it, nobody else needs it.
double libxml_seconds(const std::string& html) {
  void* library = ::dlopen("libxml2.so.2", RTLD_NOW);
  if (!library) return 0;
  using Read = void* (*)(const char*, int, const char*, const char*, int);
  using Free = void (*)(void*);
  const auto read = reinterpret_cast<Read>(::dlsym(library, "htmlReadMemory"));
  const auto release = reinterpret_cast<Free>(::dlsym(library, "xmlFreeDoc"));
  if (!read || !release) return 0;
  constexpr int kQuietRecover = 1 | 32 | 64;
  return bench::fastest(
      10, [&] { release(read(html.data(), static_cast<int>(html.size()), "u", "utf-8", kQuietRecover)); });
}

}  // namespace

int main() {
  const std::string html = page();
  const deft::WebUrl url{.scheme = "https", .host = "h.example"};
  std::size_t written = 0;
  const double ours = bench::fastest(10, [&] { written = deft::html_to_markdown(html, url).text.size(); });
  if (written == 0) std::abort();
  const double floor = libxml_seconds(html);
  if (floor > 0) {
    bench::print_ratio("a page of 2 MB as Markdown", ours, "libxml2 reading it", floor);
  } else {
    std::printf("a page of 2 MB as Markdown: %.2f ms; install libxml2 to compare\n", ours * 1e3);
  }
}
