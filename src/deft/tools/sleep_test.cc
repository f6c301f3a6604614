#include "deft/tools/sleep.h"

#include <gtest/gtest.h>

#include "deft/testing/any_session.h"
#include "deft/testing/engine_bench.h"
#include "deft/tools/host_tool.h"

namespace deft {
namespace {

TEST(Sleep, WaitsWithoutASlotAndNeedsNobodysPermission) {
  EngineBench bench({.executor = {.slots = 1}, .mode = Mode::normal});
  bench.add_tool(make_sleep_tool());
  bench.call("1", "Sleep", JsonObject{{"seconds", 0.001}});
  bench.call("2", "Sleep", JsonObject{{"duration_ms", 1}});
  bench.call("3", "Sleep", JsonObject());
  bench.call("4", "Sleep", JsonObject{{"seconds", -1}});
  bench.finish();
  const auto answers = bench.answers();
  ASSERT_EQ(answers.size(), 4U);
  EXPECT_EQ(answers[0].result.text, "Slept 0.001 s.");
  EXPECT_EQ(answers[1].result.text, "Slept 0.001 s.");
  EXPECT_EQ(answers[2].result.error, Errc::invalid_input);
  EXPECT_EQ(answers[3].result.error, Errc::invalid_input);
}

TEST(Sleep, ANewMessageEndsIt) {
  EngineBench bench;
  bench.add_tool(make_sleep_tool());
  bench.call("1", "Sleep", JsonObject{{"seconds", 3600}});
  bench.frontend.wait_for<ProgressChanged>();
  bench.feed(Interrupted{});
  bench.finish();
  EXPECT_EQ(bench.answers().at(0).result.error, Errc::cancelled);
}

TEST(HostTool, NeedsANameAndASchemaOfTypeObject) {
  for (const char* broken : {R"({})", R"({"name":"a"})", R"({"name":"a","input_schema":{"type":"string"}})",
                             R"({"name":1,"input_schema":{"type":"object"}})"}) {
    EXPECT_FALSE(make_host_tool(*parse_json(broken))) << broken;
  }
}

TEST(HostTool, AHintMakesItSafeBesideOthersAndNothingMore) {
  const auto tool = make_host_tool(
      *parse_json(R"({"name":"a","input_schema":{"type":"object"},"annotations":{"readOnlyHint":true}})"));
  ASSERT_TRUE(tool);
  EXPECT_TRUE((*tool)->is_concurrency_safe(JsonObject(), any_session()));
  EXPECT_FALSE((*tool)->is_read_only(JsonObject(), any_session()));
  EXPECT_EQ((*tool)->spec().origin, Origin::host);
}

}  // namespace
}  // namespace deft
