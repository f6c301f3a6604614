#include <gtest/gtest.h>

#include <string>

#include "deft_print.h"

// A PreToolUse hook that wants a call decided later (docs/headless.md).

namespace deft::testing {
namespace {

// Defers until there is a file "allowed".
const char* const kHook =
    R"({"hooks":{"PreToolUse":[{"matcher":"Bash","hooks":[{"type":"command","command":"test -e allowed && d=allow || d=defer; echo '{\"hookSpecificOutput\":{\"hookEventName\":\"PreToolUse\",\"permissionDecision\":\"'$d'\"}}'"}]}]}})";

TEST(HeadlessDefer, TheRunEndsAndIsGoneOnWithWhenItIsDecided) {
  const PrintPlace place;
  place.project.put("hook.json", kHook);
  const ModelPeer model(
      {anthropic_calls({{"t1", "Bash", {{"command", "echo made >> effects"}}}}, "I do it."), anthropic_text("done")});
  const Arguments settings = {"--settings", "hook.json", "--output-format", "json"};
  const Finished first = place.run(model, Arguments{"-p", "go"} + settings);
  EXPECT_EQ(first.exit_code, 0) << first.errors;
  const Json deferred = json_lines(first.output).at(0);
  EXPECT_EQ(text_of(deferred, "stop_reason"), "tool_deferred");
  EXPECT_EQ(text_of(deferred, "terminal_reason"), "tool_deferred");
  const Json& call = *find(deferred, "deferred_tool_use");
  EXPECT_EQ(text_of(call, "id"), "t1");
  EXPECT_EQ(text_of(call, "name"), "Bash");
  EXPECT_EQ(text_of(*find(call, "input"), "command"), "echo made >> effects");
  EXPECT_FALSE(place.project.bytes("effects"));

  const Arguments resume = {"-p", "--resume", text_of(deferred, "session_id")};
  EXPECT_EQ(text_of(json_lines(place.run(model, resume + settings).output).at(0), "stop_reason"), "tool_deferred");
  EXPECT_EQ(model.requests(), 1U);

  place.project.put("allowed", "");
  const Finished last = place.run(model, resume + settings);
  EXPECT_EQ(text_of(json_lines(last.output).at(0), "result"), "done") << last.errors;
  EXPECT_EQ(place.project.bytes("effects"), "made\n");
  EXPECT_EQ(model.requests(), 2U);

  // Now there is nothing to go on with.
  EXPECT_EQ(place.run(model, resume + settings).exit_code, 1);
}

}  // namespace
}  // namespace deft::testing
