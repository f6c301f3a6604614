#include "deft/agent/workshop.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "deft/agent/engine.h"
#include "deft/testing/engine_bench.h"

namespace deft {
namespace {

std::string text_of_file(const std::string& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

// Two agents of one session, each with a tool of its own name.
struct TwoAgents {
  TwoAgents() {
    auto opened = Workshop::open({.session_folder = folder.path() + "/session", .hooks = &hooks});
    EXPECT_TRUE(opened.has_value());
    workshop = std::move(*opened);
    main = open("", "");
    child = open("a1", "Explore");
  }

  std::unique_ptr<Engine> open(std::string id, std::string type) {
    auto opened = Engine::open({.working_directory = folder.path(),
                                .mode = Mode::bypass,
                                .workshop = workshop.get(),
                                .agent_id = std::move(id),
                                .agent_type = std::move(type)},
                               frontend);
    EXPECT_TRUE(opened.has_value());
    EXPECT_TRUE((*opened)
                    ->add_tool(std::make_shared<LambdaTool>(LambdaTool::Parts{
                        .spec = {.name = "Act", .input_schema = any_object_schema()},
                        .run = [](const Json&, ToolIo&) -> Result<ToolResult> { return ToolResult{.text = "done"}; }}))
                    .has_value());
    return std::move(*opened);
  }

  static void run(Engine& engine, std::string call_id) {
    engine.feed(Feed(CallArrived{
        {.id = std::move(call_id), .name = "Act", .input = JsonObject(), .input_text = "{}", .invalid = {}}}));
    engine.feed(Feed(InputEnded{}));
    engine.run();
  }

  TempFolder folder;
  RecordingFrontend frontend;
  LambdaHooks hooks;
  std::unique_ptr<Workshop> workshop;
  std::unique_ptr<Engine> main, child;
};

TEST(Workshop, EachAgentWritesAJournalOfItsOwnInTheFolderOfTheSession) {
  TwoAgents agents;
  TwoAgents::run(*agents.main, "of_main");
  TwoAgents::run(*agents.child, "of_child");
  const std::string session = agents.folder.path() + "/session";
  const std::string main_journal = text_of_file(session + "/journal.jsonl");
  const std::string child_journal = text_of_file(session + "/subagents/agent-a1.jsonl");
  EXPECT_NE(main_journal.find("of_main"), std::string::npos);
  EXPECT_EQ(main_journal.find("of_child"), std::string::npos);
  EXPECT_NE(child_journal.find("of_child"), std::string::npos);
  const auto mode = std::filesystem::status(session + "/subagents/agent-a1.jsonl").permissions();
  EXPECT_EQ(mode, std::filesystem::perms::owner_read | std::filesystem::perms::owner_write);
}

TEST(Workshop, HooksAreToldWhichAgentMakesTheCall) {
  TwoAgents agents;
  std::vector<std::string> told;
  agents.hooks.on[HookEvent::pre_tool_use] = [&](const HookMoment& moment, std::stop_token) {
    told.push_back(moment.agent_id + "/" + moment.agent_type);
    return HookOutcome{};
  };
  TwoAgents::run(*agents.main, "of_main");
  TwoAgents::run(*agents.child, "of_child");
  EXPECT_EQ(told, (std::vector<std::string>{"/", "a1/Explore"}));
}

TEST(Workshop, IdsOfCallsAreTakenApartBetweenAgents) {
  TwoAgents agents;
  EXPECT_EQ(agents.main->workshop().ids().take("call_0"), "call_0");
  EXPECT_EQ(agents.child->workshop().ids().take("call_0"), "call_0-2");
}

}  // namespace
}  // namespace deft
