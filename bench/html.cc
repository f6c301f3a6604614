// Pages of 2 MB as Markdown, against what a parser alone needs to read them: libxml2 and gumbo, whichever is faster
// (target: at most twice that). Whoever measures has them (libxml2, libgumbo1); nobody else needs them.
#include <dlfcn.h>

#include <cstdlib>
#include <string>

#include "deft/base/html_markdown.h"
#include "measure.h"

namespace {

constexpr std::size_t kPageBytes = 2'000'000;
constexpr int kRuns = 10;

template <class Part>
std::string page(Part part) {
  std::string html = "<!DOCTYPE html><html><head><title>A page</title></head><body><main>";
  for (int i = 0; html.size() < kPageBytes; ++i) html += part(std::to_string(i));
  return html + "</main></body></html>";
}

std::string article(const std::string& number) {
  std::string html = "<h2 id=\"s" + number + "\">Section " + number + "</h2>\n<p>Words with <a href=\"/page/" + number +
                     "?a=1&amp;b=2\">a link</a>, <b>bold</b> and <code>code</code> &mdash; and so on, for a line or "
                     "two of text that is "
                     "read by nobody.</p>\n<ul><li>one</li><li>two<ul><li>inner</li></ul></li></ul><div "
                     "class=\"box\"><div><span>deep</span></div></div>\n";
  if (number.back() == '0') {
    html +=
        "<table><tr><th>A</th><th>B</th></tr><tr><td>1</td><td>2</td></tr></table><pre><code "
        "class=\"language-cpp\">int a = 1;\nint b;</code></pre>";
  }
  return html;
}

// As people write it: what may be left out is left out, quotes too.
std::string careless(const std::string& number) {
  return "<h2 id=s" + number + ">Section " + number +
         "</h2><p>Words &mdash; and <b>bold<i>both</b>one</i><ul><li>one<li>two" +
         "<ul><li>inner</ul></ul><table><tr><th>A<th>B<tr><td>1<td>2</table><p>more<br>words<img src=a.png>";
}

std::string prose(const std::string& number) {
  std::string html = "<p>";
  for (int i = 0; i < 20; ++i)
    html += "Long paragraphs of plain words, with hardly a tag among them, number " + number + ". ";
  return html + "</p>\n";
}

void* symbol(const char* library, const char* name) {
  void* handle = ::dlopen(library, RTLD_NOW);
  return handle ? ::dlsym(handle, name) : nullptr;
}

// 0: it is not here.
double libxml_seconds(const std::string& html) {
  using Read = void* (*)(const char*, int, const char*, const char*, int);
  using Free = void (*)(void*);
  const auto read = reinterpret_cast<Read>(symbol("libxml2.so.2", "htmlReadMemory"));
  const auto release = reinterpret_cast<Free>(symbol("libxml2.so.2", "xmlFreeDoc"));
  if (!read || !release) return 0;
  constexpr int kQuietRecover = 1 | 32 | 64;
  return bench::fastest(
      kRuns, [&] { release(read(html.data(), static_cast<int>(html.size()), "u", "utf-8", kQuietRecover)); });
}

double gumbo_seconds(const std::string& html) {
  using Parse = void* (*)(const void*, const char*, std::size_t);
  using Free = void (*)(const void*, void*);
  const auto parse = reinterpret_cast<Parse>(symbol("libgumbo.so.1", "gumbo_parse_with_options"));
  const auto release = reinterpret_cast<Free>(symbol("libgumbo.so.1", "gumbo_destroy_output"));
  const void* options = symbol("libgumbo.so.1", "kGumboDefaultOptions");
  if (!parse || !release || !options) return 0;
  return bench::fastest(kRuns, [&] { release(options, parse(options, html.data(), html.size())); });
}

void compare(const char* what, const std::string& html) {
  const deft::WebUrl url{.scheme = "https", .host = "h.example"};
  std::size_t written = 0;
  const double ours = bench::fastest(kRuns, [&] { written = deft::html_to_markdown(html, url).text.size(); });
  if (written == 0) std::abort();
  const double libxml = libxml_seconds(html);
  const double gumbo = gumbo_seconds(html);
  if (libxml > 0) bench::print_ratio(what, ours, "libxml2 reading it", libxml);
  if (gumbo > 0) bench::print_ratio(what, ours, "gumbo reading it", gumbo);
  if (libxml == 0 && gumbo == 0) {
    std::printf("%s: %.2f ms; install libxml2 or libgumbo1 to compare\n", what, ours * 1e3);
  }
}

}  // namespace

int main() {
  compare("an article of 2 MB as Markdown", page(article));
  compare("a careless page of 2 MB", page(careless));
  compare("2 MB of prose", page(prose));
}
