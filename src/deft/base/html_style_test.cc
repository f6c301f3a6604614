#include "deft/base/html_style.h"

#include <gtest/gtest.h>

namespace deft {
namespace {

bool hides(std::string_view style) { return HtmlStyles().hides("p", " style=\"" + std::string(style) + "\""); }
bool hides_by(std::string_view sheet, std::string_view attributes, std::string_view tag = "p") {
  HtmlStyles styles;
  styles.add_sheet(sheet, "");
  return styles.hides(tag, attributes);
}

TEST(HtmlStyle, KnowsTheWaysToHideAText) {
  for (const char* style : {"display:none",
                            "DISPLAY : NONE ;",
                            "d\\69splay:none",
                            "display:/**/none",
                            "color:red;visibility:hidden",
                            "visibility:collapse",
                            "opacity:0",
                            "opacity: 0.0",
                            "font-size:0",
                            "font-size:0.5px",
                            "font-size:1px",
                            "position:absolute;left:-9999px",
                            "position: fixed; top: -100em",
                            "text-indent:-9999px",
                            "color:#fff;background-color:#fff",
                            "color:transparent",
                            "height:0;overflow:hidden",
                            "width:1px;height:1px;overflow:hidden",
                            "clip-path:inset(50%)",
                            "position:absolute;clip:rect(0,0,0,0)",
                            "transform:scale(0)",
                            "display:none !important;display:block",
                            "content-visibility:hidden"}) {
    EXPECT_TRUE(hides(style)) << style;
  }
}

TEST(HtmlStyle, WhatIsOnlyStyledIsSeen) {
  for (const char* style :
       {"", "display:block", "--display:none", "display:none;display:block", "opacity:.5", "font-size:0.9em",
        "font-size:12px", "left:-9999px", "position:absolute;left:-10px", "text-indent:-1em", "color:#fff",
        "color:transparent;-webkit-background-clip:text", "height:0", "overflow:hidden", "clip:rect(0,0,0,0)",
        "opacity:0;animation:fade 1s", "content:'display:none'", "background:url(display:none)"}) {
    EXPECT_FALSE(hides(style)) << style;
  }
}

TEST(HtmlStyle, RulesOfThePageCountForTheElementsThatTheyName) {
  EXPECT_TRUE(hides_by(".a{display:none}", " class='x a'"));
  EXPECT_TRUE(hides_by("p , .b{display:none}", " class=b", "div"));
  EXPECT_TRUE(hides_by("#i{opacity:0}", " id=i"));
  EXPECT_TRUE(hides_by("p.a.b{display:none}", " class='b a'"));
  EXPECT_TRUE(hides_by("@import 'x';@layer l{.a{display:none}}", " class=a"));
  EXPECT_TRUE(hides_by("<!-- .a{display:none} -->", " class=a"));
  EXPECT_TRUE(hides_by(".a{display:none", " class=a")) << "the end of a sheet ends a rule";
  EXPECT_TRUE(hides_by(".a{content:'}';display:none}", " class=a"));
  EXPECT_TRUE(hides_by(".x{content:'\n} .a{display:none}", " class=a")) << "a text ends with its line";
  EXPECT_FALSE(hides_by("p.a.b{display:none}", " class=a"));
  EXPECT_FALSE(hides_by(".a{display:none}", " class=ab"));
  EXPECT_FALSE(hides_by(".a:hover{display:none}.x .a{display:none}div>.a{display:none}[a]{display:none}", " class=a"));
  EXPECT_FALSE(hides_by("@media print{.a{display:none}}", " class=a"));
  EXPECT_FALSE(hides_by("/* .a{display:none} */", " class=a"));
}

TEST(HtmlStyle, TheHeavierRuleWinsThenTheLaterThenTheElementsOwn) {
  EXPECT_FALSE(hides_by(".a.b{display:block}.a{display:none}", " class='a b'"));
  EXPECT_FALSE(hides_by(".a{display:none}.a{display:block}", " class=a"));
  EXPECT_FALSE(hides_by("#i{display:none}", " id=i style='display:block'"));
  EXPECT_TRUE(hides_by("#i{display:none!important}", " id=i style='display:block'"));
}

TEST(HtmlStyle, APageWithTooManyRulesShowsLessNotMore) {
  HtmlStyles styles;
  std::string sheet = ".secret{display:none}";
  for (std::size_t i = 0; i < kStyleRulesMax; ++i) sheet += ".a{display:block}";
  styles.add_sheet(sheet, "");
  EXPECT_FALSE(styles.hides("p", " class=a"));
  for (int i = 0; i < 200; ++i) styles.hides("p", " class=a");
  EXPECT_TRUE(styles.hides("p", " class='a secret'"));
  EXPECT_FALSE(styles.hides("p", ""));
}

TEST(HtmlStyle, ASheetThatNeverEndsCostsLittle) {
  HtmlStyles styles;
  std::string sheet;
  for (int i = 0; i < 100'000; ++i) sheet += "{{(\"";
  styles.add_sheet(sheet, "");
  styles.add_sheet(std::string(900'000, '@'), "");
  EXPECT_FALSE(styles.hides("p", " class=a"));
}

}  // namespace
}  // namespace deft
