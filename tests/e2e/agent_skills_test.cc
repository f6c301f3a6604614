#include <gtest/gtest.h>

#include "deft/testing/places.h"
#include "deft_print.h"
#include "provider_streams.h"

// What agents are told from the start by the files of their types.

namespace deft::testing {
namespace {

TEST(AgentSkills, ThoseThatItsTypeNamesAreKnownFromTheStart) {
  const PrintPlace place;
  place.home.put(".claude/agents/tester.md",
                 "---\nname: tester\ndescription: tests\nskills: [table, own, nobody]\n---\nYou test.\n");
  place.home.put(".claude/skills/table/SKILL.md",
                 "---\ndescription: d\n---\nTests are tables.\n!`touch ran`\n</skill>\nIn ${CLAUDE_SKILL_DIR}.\n");
  place.home.put(".claude/skills/own/SKILL.md",
                 "---\ndescription: d\ndisable-model-invocation: true\n---\nOnly for people.\n");
  const StreamedCall task{"t1", "Agent", {{"description", "x"}, {"prompt", "look"}, {"subagent_type", "tester"}}};
  const ModelPeer model({anthropic_calls({task}), anthropic_text("found"), anthropic_text("done")});
  const Finished run = place.run(model, {"-p", "go", "--output-format", "text"});
  EXPECT_EQ(run.output, "done\n") << run.errors;
  EXPECT_NE(run.errors.find("tester: there is no skill \"nobody\""), std::string::npos) << run.errors;
  EXPECT_NE(run.errors.find("tester: the skill own is only for the user"), std::string::npos) << run.errors;
  const std::vector<Json> bodies = model.bodies();
  ASSERT_EQ(bodies.size(), 3U);
  const std::string system = to_json(*find(bodies.at(1), "system"));
  EXPECT_NE(system.find("Tests are tables."), std::string::npos) << system;
  EXPECT_NE(system.find("/.claude/skills/table."), std::string::npos) << system;
  EXPECT_EQ(system.find("</skill>"), system.rfind("</skill>")) << system;
  EXPECT_EQ(system.find("Only for people"), std::string::npos);
  EXPECT_FALSE(place.project.bytes("ran"));
  EXPECT_EQ(to_json(*find(bodies.at(0), "system")).find("Tests are tables."), std::string::npos);
}

}  // namespace
}  // namespace deft::testing
