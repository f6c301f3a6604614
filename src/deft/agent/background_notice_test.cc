#include "deft/agent/background_notice.h"

#include <gtest/gtest.h>

#include "deft/agent/standing_work.h"
#include "deft/core/message_content.h"
#include "deft/testing/agent_bench.h"

namespace deft {
namespace {

HistoryMessage call(const std::string& id, const std::string& input) {
  return {Role::assistant, R"([{"type":"tool_use","id":")" + id + R"(","name":"Bash","input":)" + input + "}]"};
}

TEST(BackgroundNotice, NamesWhatEndedWithTheProcess) {
  const History history{{Role::user, R"([{"type":"text","text":"go"}])"},
                        call("1", R"({"command":"make watch","run_in_background":true})"),
                        {Role::user, R"([{"type":"tool_result","tool_use_id":"1","content":"bash_1"}])"},
                        call("2", R"({"command":"ls"})"),
                        {Role::user, R"([{"type":"tool_result","tool_use_id":"2","content":"x"}])"},
                        call("3", R"({"command":"denied","run_in_background":true})"),
                        {Role::user, R"([{"type":"tool_result","tool_use_id":"3","is_error":true,"content":"no"}])"}};
  const std::string notice = background_notice(history);
  EXPECT_NE(notice.find("\n- Bash: make watch\n"), std::string::npos) << notice;
  EXPECT_EQ(notice.find("denied"), std::string::npos) << notice;
  EXPECT_EQ(background_notice({history.begin() + 3, history.end()}), "");
}

TEST(BackgroundNotice, NamesWhatASummarySaidToBeRunning) {
  const std::string standing =
      standing_work({}, {{.id = "bash_7", .type = "local_bash", .command = "make watch", .description = {}}});
  const History history{{Role::user, content_of({text_block("A summary."), text_block(standing)})}};
  EXPECT_NE(background_notice(history).find("\n- bash_7: make watch\n"), std::string::npos)
      << background_notice(history);
}

TEST(BackgroundNotice, IsGivenOnceToASessionThatGoesOn) {
  AgentBench bench;
  bench.add_effect("Do");
  bench.model.will_answer({call_of_model("1", "Do", JsonObject{{"command", "serve"}, {"run_in_background", true}})});
  bench.model.will_answer({text_of_model("Done.")});
  bench.turn("go");
  const auto times_told = [&] {
    std::size_t times = 0;
    for (const HistoryMessage& message : bench.history()) times += message.content.contains("Do: serve") ? 1 : 0;
    return times;
  };
  EXPECT_EQ(times_told(), 0U);
  for (int run = 0; run < 2; ++run) {
    bench.reopen();
    bench.model.will_answer({text_of_model("I see.")});
    bench.turn("and now?");
    EXPECT_EQ(times_told(), 1U);
  }
}

}  // namespace
}  // namespace deft
