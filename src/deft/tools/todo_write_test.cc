#include "deft/tools/todo_write.h"

#include <gtest/gtest.h>

#include "deft/testing/agent_bench.h"

namespace deft {
namespace {

Json todo(std::string content, std::string status) {
  return JsonObject{{"content", std::move(content)}, {"status", std::move(status)}};
}
Json todos(std::initializer_list<Json> list) { return JsonObject{{"todos", JsonArray(list.begin(), list.end())}}; }

class TodoWrite : public ::testing::Test {
 protected:
  TodoWrite() { bench.add_tool(make_todo_write_tool()); }
  ToolResult write(Json input) {
    bench.model.will_answer({call_of_model(std::to_string(++calls_), "TodoWrite", std::move(input))});
    bench.model.will_answer({text_of_model("done")});
    bench.turn("go");
    return bench.frontend.all<CallAnswered>().back().result;
  }
  const TodoList& list() { return bench.agent().engine().session().todos; }

  AgentBench bench;

 private:
  int calls_ = 0;
};

TEST_F(TodoWrite, ReplacesTheListAsAWholeAndSaysWhatItWasBefore) {
  write(todos({todo("a", "in_progress"), todo("b", "pending")}));
  const ToolResult result = write(todos({todo("c", "pending")}));
  EXPECT_FALSE(result.is_error());
  EXPECT_EQ(to_json(result.details), R"({"oldTodos":[{"content":"a","status":"in_progress","activeForm":"a"},)"
                                     R"({"content":"b","status":"pending","activeForm":"b"}],)"
                                     R"("newTodos":[{"content":"c","status":"pending","activeForm":"c"}]})");
  EXPECT_EQ(list(), (TodoList{{.content = "c"}}));
}

TEST_F(TodoWrite, AtMostOneIsInProgress) {
  const ToolResult result = write(todos({todo("a", "in_progress"), todo("b", "in_progress")}));
  EXPECT_EQ(result.error, Errc::invalid_input);
  EXPECT_NE(result.text.find("At most one"), std::string::npos);
  EXPECT_TRUE(list().empty());
}

TEST_F(TodoWrite, SaysWhichEntryIsWrong) {
  EXPECT_NE(write(todos({todo("a", "pending"), todo("  ", "pending")})).text.find("todos[1].content"),
            std::string::npos);
  EXPECT_NE(write(todos({todo(std::string(3'000, 'x'), "pending")})).text.find("todos[0] is too long"),
            std::string::npos);
  EXPECT_TRUE(write(todos({todo("a", "later")})).is_error());
}

TEST_F(TodoWrite, AListThatIsDoneIsPutAway) {
  write(todos({todo("a", "completed")}));
  EXPECT_TRUE(list().empty());
}

TEST_F(TodoWrite, NeedsNoPermissionInAnyMode) {
  for (const Mode mode : {Mode::normal, Mode::plan, Mode::dont_ask}) {
    bench.options.engine.mode = mode;
    bench.reopen();
    EXPECT_FALSE(write(todos({todo("a", "pending")})).is_error());
  }
}

TEST_F(TodoWrite, TheListOutlivesTheProcess) {
  write(todos({todo("a", "in_progress"), todo("b", "pending")}));
  bench.reopen();
  EXPECT_EQ(list(), (TodoList{{.content = "a", .status = Todo::Status::in_progress}, {.content = "b"}}));
}

TEST_F(TodoWrite, IsShownToPeopleInALineAndAsAList) {
  const auto tool = make_todo_write_tool();
  EXPECT_EQ(tool->render_use(todos({todo("a", "completed"), todo("b", "pending")})), "TodoWrite(1 of 2 done)");
  EXPECT_EQ(tool->render_result(write(todos({todo("a", "completed"), todo("b", "in_progress"), todo("c", "pending")}))),
            "[x] a\n[>] b\n[ ] c");
}

}  // namespace
}  // namespace deft
