#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <random>

#include "deft/testing/engine_bench.h"
#include "deft/tools/apply_patch.h"
#include "deft/tools/builtin.h"
#include "deft/tools/plan_mode.h"

namespace deft {
namespace {

std::string read_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return std::string(std::istreambuf_iterator<char>(file), {});
}

// Every file below the folder, with its content.
std::map<std::string, std::string> tree_of(const std::string& folder) {
  std::map<std::string, std::string> tree;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    tree[entry.path().string()] = entry.is_regular_file() ? read_file(entry.path().string()) : "";
  }
  return tree;
}

class PlanMode : public ::testing::Test {
 protected:
  static EngineBench::Options options(Mode mode, Asking asking) {
    EngineBench::Options options;
    options.mode = mode;
    options.executor.asking = asking;
    return options;
  }

  static void add_tools(EngineBench& bench) {
    for (auto& tool : make_builtin_tools()) bench.add_tool(std::move(tool));
  }

  // Calls, and waits for the answer.
  static CallAnswered run(EngineBench& bench, const std::string& tool, Json input) {
    const std::size_t count = bench.answers().size() + 1;
    bench.call("t" + std::to_string(count), tool, std::move(input));
    bench.feed(Feed(MessageEnded{}));
    return bench.frontend.wait_for<CallAnswered>(count);
  }

  static std::string plan_path(const CallAnswered& entered) {
    const std::string& text = entered.result.text;
    const std::size_t begin = text.find("write to ") + 9;
    return text.substr(begin, text.find(". When", begin) - begin);
  }
};

TEST_F(PlanMode, NothingButThePlanIsWrittenUntilThePlanIsApprovedAndThenTheModeBeforeIsBack) {
  EngineBench bench(options(Mode::accept_edits, Asking::frontend));
  add_tools(bench);
  const std::string file = bench.folder / "a.txt";
  const CallAnswered entered = run(bench, "EnterPlanMode", JsonObject{});
  ASSERT_FALSE(entered.result.is_error()) << entered.result.text;
  const std::string plan = plan_path(entered);

  EXPECT_TRUE(run(bench, "ExitPlanMode", JsonObject{}).result.is_error()) << "there is no plan yet";
  const CallAnswered refused = run(bench, "Write", JsonObject{{"file_path", file}, {"content", "x"}});
  EXPECT_EQ(refused.result.error, Errc::denied) << refused.result.text;
  EXPECT_TRUE(run(bench, "Bash", JsonObject{{"command", "touch " + file}}).result.is_error());
  const CallAnswered planned = run(bench, "Write", JsonObject{{"file_path", plan}, {"content", "do it"}});
  EXPECT_FALSE(planned.result.is_error()) << planned.result.text;

  const std::size_t count = bench.answers().size() + 1;
  bench.call("exit", "ExitPlanMode", JsonObject{{"plan", "something else"}});
  bench.feed(Feed(MessageEnded{}));
  const auto asked = bench.frontend.wait_for<PermissionAsked>();
  EXPECT_EQ(find_string(asked.call.input, "plan"), "do it") << "what stands in the file, not what the model says";
  Json edited = asked.call.input;
  edited.get_object()["plan"] = "do it well";
  PermissionAnswer answer{.id = asked.id, .verdict = Verdict::allow};
  answer.updated_input = edited;
  bench.feed(Feed(answer));
  const auto left = bench.frontend.wait_for<CallAnswered>(count);
  EXPECT_FALSE(left.result.is_error()) << left.result.text;
  EXPECT_EQ(find_bool(left.result.details, "planWasEdited"), true);
  EXPECT_EQ(read_file(plan), "do it well");
  EXPECT_FALSE(std::filesystem::exists(file));

  const CallAnswered written = run(bench, "Write", JsonObject{{"file_path", file}, {"content", "x"}});
  EXPECT_FALSE(written.result.is_error()) << written.result.text;
  bench.finish();
}

TEST_F(PlanMode, APlanThatIsNotApprovedLeavesPlanModeOnAndSaysWhatTheUserWants) {
  EngineBench bench(options(Mode::accept_edits, Asking::frontend));
  add_tools(bench);
  const std::string plan = plan_path(run(bench, "EnterPlanMode", JsonObject{}));
  ASSERT_FALSE(run(bench, "Write", JsonObject{{"file_path", plan}, {"content", "do it"}}).result.is_error());
  const std::size_t count = bench.answers().size() + 1;
  bench.call("exit", "ExitPlanMode", JsonObject{});
  bench.feed(Feed(MessageEnded{}));
  const auto asked = bench.frontend.wait_for<PermissionAsked>();
  bench.feed(Feed(PermissionAnswer{.id = asked.id, .feedback = "smaller steps"}));
  EXPECT_NE(bench.frontend.wait_for<CallAnswered>(count).result.text.find("smaller steps"), std::string::npos);
  const CallAnswered refused = run(bench, "Write", JsonObject{{"file_path", bench.folder / "a.txt"}, {"content", "x"}});
  EXPECT_EQ(refused.result.error, Errc::denied);
  bench.finish();
}

TEST_F(PlanMode, FiveHundredRandomCallsChangeNothing) {
  EngineBench bench(options(Mode::plan, Asking::nobody));
  const SystemClock clock;
  const std::string kept = bench.folder / "schedules.json";
  for (auto& tool : make_builtin_tools(
           {.schedule = std::make_shared<SharedSchedule>(SharedSchedule::Parts{
                .clock = clock, .offset = [](std::int64_t) { return std::int64_t{0}; }, .durable_file = kept}),
            .monitor = {.sink = [](const MonitorEvent&) {}}})) {
    bench.add_tool(std::move(tool));
  }
  bench.add_tool(make_apply_patch_tool());
  const std::string tree = bench.folder / "tree";
  std::filesystem::create_directories(tree + "/src");
  for (const char* name : {"/a.txt", "/b.txt", "/src/c.cc", "/src/n.ipynb"}) std::ofstream(tree + name) << "x\n";
  const auto before = tree_of(tree);
  std::mt19937 random(7);
  const auto pick = [&](std::initializer_list<std::string> list) { return *(list.begin() + random() % list.size()); };
  for (int i = 0; i < 500; ++i) {
    const std::string file = tree + pick({"/a.txt", "/b.txt", "/src/c.cc", "/new.txt", "/src/n.ipynb"});
    const std::string id = "t" + std::to_string(i);
    switch (random() % 9) {
      case 0: bench.call(id, "Write", JsonObject{{"file_path", file}, {"content", "y"}}); break;
      case 1: bench.call(id, "Edit", JsonObject{{"file_path", file}, {"old_string", "x"}, {"new_string", "y"}}); break;
      case 2: bench.call(id, "Read", JsonObject{{"file_path", file}}); break;
      case 3:
        bench.call(
            id, "NotebookEdit",
            JsonObject{{"notebook_path", file}, {"new_source", "y"}, {"edit_mode", "replace"}, {"cell_id", "1"}});
        break;
      case 5: {
        const std::string body = pick({"*** Update File: " + file + "\n-x\n+y\n", "*** Delete File: " + file + "\n",
                                       "*** Add File: " + tree + "/made/by/patch\n+x\n",
                                       "*** Update File: " + file + "\n*** Move to: " + tree + "/elsewhere\n"});
        bench.call(id, "apply_patch", JsonObject{{"input", "*** Begin Patch\n" + body + "*** End Patch\n"}});
        break;
      }
      case 6:
        bench.call(id, "CronCreate", JsonObject{{"cron", "0 9 * * *"}, {"prompt", "p"}, {"durable", true}});
        break;
      case 7:
        bench.call(id, "Monitor",
                   JsonObject{{"command", pick({"rm ", "tail -n1 ", "touch "}) + file}, {"description", "d"}});
        break;
      case 4: bench.call(id, "Grep", JsonObject{{"pattern", "x"}, {"path", tree}}); break;
      default: {
        const std::string command =
            pick({"rm ", "touch ", "echo y > ", "cp /dev/null ", "sed -i s/x/y/ ", "tee ", "truncate -s0 ",
                  "chmod 000 ", "mv " + tree + "/a.txt ", "bash -c 'rm '", "find " + tree + " -delete #", "make -C ",
                  "git -C " + tree + " init ", "python3 ", "dd of=", "cat "}) +
            file;
        bench.call(id, "Bash", JsonObject{{"command", command}});
      }
    }
  }
  bench.finish();
  EXPECT_EQ(bench.answers().size(), 500U);
  EXPECT_EQ(tree_of(tree), before);
  EXPECT_FALSE(std::filesystem::exists(kept));
}

const Json kQuestions = *parse_json(R"json({"questions":[{"question":"Which one?","header":"One","multiSelect":false,
  "options":[{"label":"A","description":"a"},{"label":"B","description":"b"}]}],"answers":{"Which one?":"A"}})json");

TEST_F(PlanMode, OnlyAPersonAnswersAQuestion) {
  EngineBench bench(options(Mode::bypass, Asking::frontend));
  add_tools(bench);
  bench.call("q", "AskUserQuestion", kQuestions);
  const auto asked = bench.frontend.wait_for<PermissionAsked>();
  EXPECT_EQ(find(asked.call.input, "answers"), nullptr) << "what the model put there is gone";
  Json answered = asked.call.input;
  answered.get_object()["answers"] = JsonObject{{"Which one?", "B"}};
  PermissionAnswer answer{.id = asked.id, .verdict = Verdict::allow};
  answer.updated_input = answered;
  bench.feed(Feed(answer));
  const auto result = bench.frontend.wait_for<CallAnswered>().result;
  EXPECT_NE(result.text.find("B"), std::string::npos) << result.text;
  EXPECT_EQ(find_string(*find(result.details, "answers"), "Which one?"), "B");
  bench.finish();
}

TEST_F(PlanMode, WhereNobodyIsAQuestionIsAnsweredAtOnce) {
  EngineBench bench(options(Mode::bypass, Asking::nobody));
  add_tools(bench);
  bench.call("q", "AskUserQuestion", kQuestions);
  const auto result = bench.frontend.wait_for<CallAnswered>().result;
  EXPECT_EQ(result.error, Errc::denied);
  EXPECT_NE(result.text.find("nobody can be asked"), std::string::npos) << result.text;
  bench.finish();
}

TEST_F(PlanMode, APersonMayChangeTheModeButNotToBypassUnlessItWasThereAtTheStart) {
  EngineBench bench(options(Mode::normal, Asking::nobody));
  add_tools(bench);
  const Json write = JsonObject{{"file_path", bench.folder / "a.txt"}, {"content", "x"}};
  bench.feed(Feed(ModeWanted{Mode::bypass}));
  EXPECT_EQ(run(bench, "Write", write).result.error, Errc::denied);
  bench.feed(Feed(ModeWanted{Mode::accept_edits}));
  EXPECT_FALSE(run(bench, "Write", write).result.is_error());
  bench.finish();
}

TEST(PlanFile, EachAgentHasItsOwn) {
  EXPECT_EQ(plan_file_in("/s"), "/s/plan.md");
  EXPECT_NE(plan_file_in("/s", "a1"), plan_file_in("/s", "a2"));
  EXPECT_EQ(plan_file_in("/s", "../x").find(".."), std::string::npos);
}

TEST(ExitPlanMode, WhereSomebodyCanJudgeItWishesOfShellsAreGrantsAndShownAsSuch) {
  const auto tool = make_exit_plan_mode_tool(/*grants_by_meaning=*/true);
  const Json input = *parse_json(R"json({"allowedPrompts":[{"tool":"Bash","prompt":"run the tests"},
    {"tool":"Write","prompt":"change it"},{"tool":"Bash","prompt":"two\nlines"}]})json");
  EXPECT_EQ(
      tool->render_use(input),
      "ExitPlanMode(allows in this session: Bash: run the tests | would like to: Write: change it; Bash: two lines)");
}

TEST(ExitPlanMode, WhatThePlanWouldLikeToBeAllowedIsShown) {
  const auto tool = make_exit_plan_mode_tool();
  EXPECT_EQ(tool->render_use(JsonObject{{"plan", "long"}}), "ExitPlanMode");
  EXPECT_EQ(tool->render_use(
                JsonObject{{"allowedPrompts", {{{"tool", "Bash"}, {"prompt", "run the tests"}}, "commit\nit", 5}}}),
            "ExitPlanMode(would like to: Bash: run the tests; commit it)");
}

}  // namespace
}  // namespace deft
