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

TEST(HtmlMarkdown, ShowsWhatRealPagesAreMadeOf) {
  const std::vector<std::pair<std::string_view, std::string_view>> table = {
      // A link around whole blocks: the first words in it are the link.
      {"<a href=/x><h3>Title</h3><p>Words</p></a>", "### [Title](https://h.example/x)\n\nWords"},
      {"<ul><li><a href=/x><div>Title</div></a><li>b</ul>", "- [Title](https://h.example/x)\n- b"},
      {"before <a href=/x><div> </div><p>in</p></a> after", "before\n\n[in](https://h.example/x)\n\nafter"},
      {"<a href=/x><img alt='A logo' src=l.png><p>Words</a>", "[A logo](https://h.example/x)\n\nWords"},
      {"before <a name=x><p>in</p></a> after", "before\n\nin\n\nafter"},
      {"x<sup><p>2</p></sup> <ruby>a<rt><div>b</div></rt></ruby>", "x\n\n2\n\na\n\nb"},
      // Ends of rows, sections and captions that nobody wrote.
      {"<table><tr><th>A<th>B<tbody><tr><td>1<td>2</table>", "| A | B |\n| --- | --- |\n| 1 | 2 |"},
      {"<table><colgroup><col><col><thead><tr><th>A<th>B<tbody><tr><td>1<td>2</table>",
       "| A | B |\n| --- | --- |\n| 1 | 2 |"},
      {"<table><caption>Cap<tr><td>1<td>2</table>", "Cap\n\n| 1 | 2 |\n| --- | --- |"},
      {"<table><tr><td>1<td>2</tr><td>3<td>4</table>", "| 1 | 2 |\n| --- | --- |\n| 3 | 4 |"},
      {"<table><form action=x><tr><td>a<td>b</form></table>", "| a | b |\n| --- | --- |"},
      {"<table>stray<tr><td>a<td>b</tr><p>more</table>", "stray\n\nmore\n\n| a | b |\n| --- | --- |"},
      {"<table><tr><td>a<td><table><tr><td>1<td>2</table></table>", "a\n\n| 1 | 2 |\n| --- | --- |"},
      // Code, with the numbers of its lines beside it.
      {"<table><tr><td class=linenos><pre>1\n2</pre><td class=code><pre>a\nb</pre></table>", "```\na\nb\n```"},
      {"<pre><span class='linenos'>1</span>a\r\n<span class=linenos>2</span>\tb</pre>", "```\na\n\tb\n```"},
      {"<code><pre>a\nb</pre></code>", "```\na\nb\n```"},
      {"<pre><b>a</b> &lt;b&gt; <a href=x>c</a>\n\n  d</pre>", "```\na <b> c\n\n  d\n```"},
      {"<div class='highlight-python3 notranslate'><div class=highlight><pre>x</pre></div></div>",
       "```python3\nx\n```"},
      {"<div class='highlight highlight-source-shell'><pre>x</pre></div>", "```shell\nx\n```"},
      {"<div class=highlight-default><div class=highlight><pre>x</pre></div></div>", "```\nx\n```"},
      {"<pre class='brush: js; gutter: false'>x</pre>", "```js\nx\n```"},
      {"<pre><code data-lang=rust>x</code></pre>", "```rust\nx\n```"},
      // What stands for something else.
      {"<svg><title>Icon</title><path d=x/><text>no</text></svg>yes", "yes"},
      {"<svg><path d=x><p>yes", "yes"},
      {"<svg><foreignObject><div>no</div></foreignObject><text>no</text></svg>yes", "yes"},
      {"<h3><button>Question</button></h3><p>Answer<button>Copy</button>", "### Question\n\nAnswer"},
      {"<ruby>\xE6\xBC\xA2<rp>(</rp><rt>kan</rt><rp>)</rp></ruby>", "\xE6\xBC\xA2(kan)"},
      {"<math><semantics><mi>x</mi><annotation encoding='application/x-tex'>x^2</annotation></semantics></math>",
       "$x^2$"},
      {"<ol><li value=5>five<li>six</ol>", "5. five\n6. six"},
      {"<details><summary>More</summary>text</details>", "More\n\ntext"},
      {"<figure><img src=i.png alt=Alt><figcaption>Caption</figcaption></figure>",
       "![Alt](https://h.example/a/i.png)\n\nCaption"},
      {"<dl><div><dt>a<dd>b</div></dl>", "a\n\n: b"},
      // Hidden in capitals too, and in comments of every kind.
      {"<P HIDDEN>no<P STYLE='DISPLAY :\tNONE'>no<p style='visibility: collapse'>no<!-- no --!><p>yes", "yes"},
      {"<input type=hidden value=no><p class=hidden-print style='color: red'>yes", "yes"},
      // Addresses.
      {"<a href='/a)b'>x</a> <a href='/X_(y)'>z</a>", "[x](https://h.example/a%29b) [z](https://h.example/X_(y))"},
      {"<a href='java&#10;script:x'>a</a> <a href='data:text/html,x'>b</a> <a href=' VBScript:x'>c</a>", "a b c"},
      {"<a href='/long\n  path/x'>x</a> <a href='  //o.exa\tmple/ '>y</a>",
       "[x](https://h.example/long%20%20path/x) [y](https://o.example/)"},
      // Nobody sees these.
      {"soft&shy;hyphen, zero&ZeroWidthSpace;width, &#27;[31m, &#x202E;x, n\xE2\x80\x8Bo, &#0;",
       "softhyphen, zerowidth, [31m, x, no, \xEF\xBF\xBD"},
  };
  for (const auto& [html, expected] : table) EXPECT_EQ(markdown(html), expected) << html;
}

TEST(HtmlMarkdown, ReadsBrokenMarkupAsBrowsersDo) {
  const std::vector<std::pair<std::string_view, std::string_view>> table = {
      {"<a href=https://x.example/y/>slash</a> <a href=a?b=\"c>d</a>",
       "[slash](https://x.example/y/) [d](https://h.example/a/a?b=%22c)"},
      {"<p>a</p title='>'>b", "a\n\nb"},
      {"<p = \"x>a</p>\">b", "a\n\n\">b"},
      {"<script><!-- <script> </script> no --></script>yes", "yes"},
      {"<script>var a = '<!--';</script>yes", "yes"},
      {"<script><!-- no</script>yes", "yes"},
      {"<select><option>a<li>b</select>after", "after"},
      {"<select><option>a<a href=x>b</a></select>after", "after"},
      {"<select>a<input type=checkbox> b", "[ ] b"},
      {"<svg><title>t</title><style>x</style></svg>after", "after"},
      {"<svg><![CDATA[a > b]]></svg>after", "after"},
      {"<math><mi>a</mi><![CDATA[<b>]]></math>", "a<b>"},
      {"<img alt='only a word'>", "only a word"},
  };
  for (const auto& [html, expected] : table) {
    EXPECT_EQ(markdown(html), expected) << html;
  }
  EXPECT_NE(markdown("<table><tr><td><select><option>a<td>b<tr><td>c<td>d</table>").find("| c | d |"),
            std::string::npos);
}

TEST(HtmlMarkdown, AHeadingThatIsNeverEndedIsNotTheRestOfThePage) {
  const std::string text(400, 'x');
  EXPECT_EQ(markdown("<h2>Title<p>" + text + "<pre>a\nb</pre>"), "## Title\n\n" + text + "\n\n```\na\nb\n```");
  EXPECT_EQ(markdown("<h2>Title<div>and more</div></h2>"), "## Title and more");
}

TEST(HtmlMarkdown, WhatTheStyleHidesIsNotShown) {
  EXPECT_EQ(markdown("<style>.h{display:none}#z{visibility:hidden}.h.open{display:block}@media print{.p{display:none}}"
                     "@media screen{.s{display:none}}</style><p class=h>no<p class='h open'>1<p id=z>no<p class=p>2"
                     "<p class='x s'>no<p>3"),
            "1\n\n2\n\n3");
}

TEST(HtmlMarkdown, WhatIsHiddenIsNoMainPartAndAnIconHasNotThePagesTitle) {
  const std::string words(300, 'w');
  EXPECT_EQ(markdown("<div hidden><main>" + words + "</main></div>seen"), "seen");
  EXPECT_EQ(markdown("<main hidden>" + words + "</main>seen"), "seen");
  EXPECT_EQ(html_to_markdown("<svg><title>Icon</title></svg>x", {}).title, "");
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
  for (int i = 0; i < 4'000; ++i) {
    deep += "<div><blockquote><ul><li>";
    bold += "<b><i><a href=x>";
    cells += "<table><tr><td>";
    entities += "&nbsp;&#0;&#xFFFFFFFFFF;&amp";
  }
  std::string wide = "<table><tr>", spans = "<table>";
  for (int i = 0; i < 100; ++i) wide += "<td>x";
  for (int i = 0; i < 6'000; ++i) {
    wide += "<tr><td>x";
    spans += i % 1'000 == 0 ? "<tr><td>x<td colspan=99 rowspan=1000>" : "<tr><td>x";
  }
  const std::string quotes = [] {
    std::string made;
    for (int i = 0; i < 24; ++i) made += "<blockquote>";
    for (int i = 0; i < 10'000; ++i) made += "a<br>";
    return made;
  }();
  for (const std::string& page :
       {deep, bold, cells, entities, wide, spans, quotes, std::string(100'000, '<'), "<a " + std::string(100'000, '"'),
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
                          "https://h:99999999/", "https://..h/", "https://h\xCC\x81/", "file:///etc/passwd"}) {
    EXPECT_FALSE(parse_web_url(odd)) << odd;
  }
}

}  // namespace
}  // namespace deft
