#include "deft/tools/ask_user_question.h"

#include <gtest/gtest.h>

#include "deft/core/session_state.h"
#include "deft/testing/fake_files.h"
#include "deft/testing/tool_bench.h"

namespace deft {
namespace {

Json question(std::string_view text, std::vector<std::string> labels) {
  JsonArray options;
  for (const std::string& label : labels) options.push_back(JsonObject{{"label", label}, {"description", "d"}});
  return JsonObject{{"question", text}, {"header", "h"}, {"options", options}, {"multiSelect", false}};
}

class AskUserQuestionTest : public testing::Test {
 protected:
  std::string problem(JsonArray questions) {
    const auto fine = bench.validate(*tool, JsonObject{{"questions", std::move(questions)}});
    return fine ? "none" : fine.error().message;
  }
  ToolResult answered(JsonObject more, bool approved = true) {
    more["questions"] = JsonArray{question("Which?", {"a", "b"})};
    NoProcesses processes;
    SystemClock clock;
    const SessionState state{.working_directory = "/", .directories = {"/"}, .files = {}};
    const SessionView session(state, {});
    ToolIo io{.os = {files, processes, clock}, .session = session, .approved = approved};
    return *tool->run(more, io);
  }

  FakeFiles files;
  ToolBench bench{files};
  std::shared_ptr<Tool> tool = make_ask_user_question_tool();
};

TEST_F(AskUserQuestionTest, QuestionsAndLabelsAreToldApartByTheirWords) {
  EXPECT_EQ(problem({question("Which?", {"a", "b"}), question("Where?", {"a", "b"})}), "none");
  EXPECT_EQ(problem({question("Which?", {"a", "b"}), question("Which?", {"c", "d"})}),
            "Two questions have the same words: ask each once.");
  EXPECT_EQ(problem({question("Which?", {"a", "b"}), question("Where?", {"c", "d", "c"})}),
            "Two options of question 2 have the same label: give each one of its own.");
}

TEST_F(AskUserQuestionTest, SaysWhatThePersonChoseAndSaid) {
  EXPECT_EQ(answered({{"answers", {{"Which?", "a"}}}}).text, "The user answered:\n\"Which?\": a\n");
  const ToolResult said = answered({{"response", "neither, look at c"}, {"annotations", {{"Which?", "a note"}}}});
  EXPECT_EQ(said.text, "The user said:\nneither, look at c\nNotes to that: {\"Which?\":\"a note\"}\n");
  EXPECT_EQ(find_string(said.details, "response"), "neither, look at c");
  EXPECT_NE(find(said.details, "annotations"), nullptr);
  EXPECT_EQ(answered({}).text, "The user went on without choosing: decide by yourself, and say how you decided.");
}

TEST_F(AskUserQuestionTest, SeveralChoicesAreOneTextHoweverTheyCome) {
  const ToolResult list = answered({{"answers", {{"Which?", JsonArray{"a", "b"}}}}});
  EXPECT_EQ(list.text, "The user answered:\n\"Which?\": a, b\n");
  EXPECT_EQ(to_json(*find(list.details, "answers")), R"({"Which?":"a, b"})");
}

TEST_F(AskUserQuestionTest, NobodyElseAnswersForThePerson) {
  const ToolResult own = answered({{"answers", {{"Which?", "a"}}}, {"response", "a"}}, /*approved=*/false);
  EXPECT_EQ(own.text, "The user went on without choosing: decide by yourself, and say how you decided.");
}

TEST_F(AskUserQuestionTest, IsShownInOneLineWhateverItHolds) {
  const Json input = JsonObject{{"questions", JsonArray{question("Wh\x1b[2Jich\nof them?", {"a", "b"})}}};
  const std::string shown = tool->render_use(input);
  EXPECT_EQ(shown.find('\n'), std::string::npos);
  EXPECT_EQ(shown.find('\x1b'), std::string::npos);
}

}  // namespace
}  // namespace deft
