#include "deft/lsp/answers.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "deft/testing/fake_files.h"
#include "deft/testing/tool_bench.h"
#include "deft/testing/virtual_clock.h"

namespace deft::lsp {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;

struct LspAnswers : ::testing::Test {
  LspAnswers() {
    files.put("/p/a.cc", "int a;\n  int 😀b;\n");
    session.working_directory = "/p";
    session.directories = {"/p"};
  }
  static Json json(std::string_view text) { return parse_json(text).value(); }
  static std::string place(std::string_view uri, int line, int character) {
    const std::string start =
        R"({"line":)" + std::to_string(line) + R"(,"character":)" + std::to_string(character) + "}";
    return R"({"uri":")" + std::string(uri) + R"(","range":{"start":)" + start + R"(,"end":)" + start + "}}";
  }

  FakeFiles files;
  NoProcesses processes;
  VirtualClock clock;
  SessionState session;
  SessionView session_view{session, {}};
  ToolIo io{.os = {files, processes, clock}, .session = session_view, .stop = {}, .progress = nullptr};
  SourceView view{io, ColumnUnit::utf16};
};

TEST_F(LspAnswers, ALocationIsAloneInAListOrALink) {
  const std::string expected = "a.cc:2:8: int 😀b;";
  const std::string one = place("file:///p/a.cc", 1, 8);
  EXPECT_EQ(answer_locations(json(one), view).text, expected);
  EXPECT_EQ(answer_locations(json("[" + one + "," + one + "]"), view).text, expected) << "twice the same is once";
  const std::string range = R"({"start":{"line":1,"character":8}})";
  EXPECT_EQ(answer_locations(json(R"([{"targetUri":"file:///p/a.cc","targetRange":{"start":{"line":0,"character":0}},
                                       "targetSelectionRange":)" +
                                  range + "}]"),
                             view)
                .text,
            expected);
  EXPECT_THAT(answer_locations(json("null"), view).text, IsEmpty());
}

TEST_F(LspAnswers, PlacesAreSortedAndThoseOutsideAreNamedInFull) {
  const Answer answer = answer_locations(
      json("[" + place("file:///p/a.cc", 1, 2) + "," + place("file:///p/a.cc", 0, 4) + "," +
           place("file:///elsewhere/b.cc", 4, 2) + "," + place("jdt://contents/String.class", 7, 0) + "]"),
      view);
  EXPECT_EQ(answer.text, "jdt://contents/String.class:8:1\n/elsewhere/b.cc:5:3\na.cc:1:5: int a;\na.cc:2:3: int 😀b;");
  EXPECT_EQ(answer.results, 4U);
  EXPECT_EQ(answer.files, 3U);
}

TEST_F(LspAnswers, WhatIsNoPlaceIsLeftOut) {
  EXPECT_THAT(answer_locations(json(R"([1,null,{},{"uri":3},"x"])"), view).text, IsEmpty());
  EXPECT_EQ(answer_locations(json(place("file:///p/a.cc", 99, 99)), view).text, "a.cc:100:1");
}

TEST_F(LspAnswers, AHoverIsTextInAnyOfItsForms) {
  EXPECT_EQ(answer_hover(json(R"({"contents":"plain"})")).text, "plain");
  EXPECT_EQ(answer_hover(json(R"({"contents":{"kind":"markdown","value":"**x**"}})")).text, "**x**");
  EXPECT_EQ(answer_hover(json(R"({"contents":[{"language":"c","value":"int x"},"about x",""]})")).text,
            "```c\nint x\n```\n\nabout x");
  EXPECT_EQ(answer_hover(json("null")).results, 0U);
  EXPECT_EQ(answer_hover(json(R"({"contents":" \n"})")).results, 0U);
  const std::string text(2 * kHoverCharactersMax, 'x');
  EXPECT_THAT(answer_hover(JsonObject{{"contents", text}}).text, EndsWith("x\n… (cut)"));
}

TEST_F(LspAnswers, SymbolsOfAFileAreATreeOrAList) {
  const std::string at =
      R"("selectionRange":{"start":{"line":0,"character":4}},"range":{"start":{"line":0,"character":0}})";
  const std::string method = R"({"name":"f","kind":6,"detail":"int",)" + at + "}";
  EXPECT_EQ(answer_document_symbols(json(R"([{"name":"A","kind":5,)" + at + R"(,"children":[)" + method +
                                         R"(]},{"name":"x","kind":99,)" + at + "}]"),
                                    "/p/a.cc", view)
                .text,
            "1:5 class A\n  1:5 method f : int\n1:5 symbol x");
  EXPECT_EQ(answer_document_symbols(json(R"([{"name":"g","kind":12,"containerName":"N","location":)" +
                                         place("file:///p/a.cc", 1, 2) + "}]"),
                                    "/p/a.cc", view)
                .text,
            "2:3 function g in N");
  EXPECT_THAT(answer_document_symbols(json(R"([{"kind":5},7])"), "/p/a.cc", view).text, IsEmpty());
}

TEST_F(LspAnswers, ATreeIsNeitherTooDeepNorTooLong) {
  const std::string at = R"("range":{"start":{"line":0,"character":0}})";
  std::string deep = R"({"name":"x","kind":1,)" + at + "}";
  for (int i = 0; i < 50; ++i) deep = R"({"name":"x","kind":1,)" + at + R"(,"children":[)" + deep + "]}";
  EXPECT_EQ(answer_document_symbols(json("[" + deep + "]"), "/p/a.cc", view).results, kSymbolDepthMax + 1);
  JsonArray many(1'000, json(R"({"name":"x","kind":1,)" + at + "}"));
  EXPECT_THAT(answer_document_symbols(many, "/p/a.cc", view).text, EndsWith("\n… and 800 more"));
}

TEST_F(LspAnswers, NamesOfTheProjectSayWhatTheyAreAndWhere) {
  EXPECT_EQ(answer_workspace_symbols(
                json(R"([{"name":"f","kind":12,"containerName":"n","location":)" + place("file:///p/a.cc", 0, 4) + R"(},
                                          {"name":"C","kind":5,"location":{"uri":"file:///p/b.cc"}}])"),
                view)
                .text,
            "a.cc:1:5: function f in n\nb.cc:1:1: class C");
}

TEST_F(LspAnswers, CallsNameTheFunctionAndEachPlace) {
  const std::string item = R"({"name":"f","kind":12,"uri":"file:///p/a.cc",
      "selectionRange":{"start":{"line":0,"character":4}}})";
  const std::string ranges = R"([{"start":{"line":1,"character":8}},{"start":{"line":1,"character":9}}])";
  const Json incoming = json(R"([{"from":)" + item + R"(,"fromRanges":)" + ranges + "}]");
  EXPECT_EQ(answer_incoming_calls(incoming.get_array(), view).text, "a.cc:1:5: function f, called at 2:8, 2:9");
  const Json outgoing = json(R"([{"to":)" + item + R"(,"fromRanges":)" + ranges + "}]");
  EXPECT_EQ(answer_outgoing_calls(outgoing.get_array(), "/p/none.cc", view).text,
            "a.cc:1:5: function f, called at 2:9, 2:10")
      << "in a file that cannot be read, columns are units";
}

TEST_F(LspAnswers, AFileNameCannotPretendToBeAnotherLine) {
  const Answer answer = answer_locations(json(place("file:///p/x%0Aa.cc:1:1:%20fine", 0, 0)), view);
  EXPECT_THAT(answer.text, StartsWith("x a.cc"));
  EXPECT_EQ(answer.text.find('\n'), std::string::npos);
}

}  // namespace
}  // namespace deft::lsp
