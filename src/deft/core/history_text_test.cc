#include "deft/core/history_text.h"

#include <gtest/gtest.h>

namespace deft {
namespace {

TEST(HistoryText, TellsWhoSaidAndDidWhat) {
  const History history = {
      {Role::user, R"([{"type":"text","text":"Fix it."}])"},
      {Role::assistant, R"([{"type":"thinking","thinking":"hm"},{"type":"text","text":"I look."},)"
                        R"({"type":"tool_use","id":"1","name":"Read","input":{"file_path":"/a"}}])"},
      {Role::user,
       R"([{"type":"tool_result","tool_use_id":"1","content":"line"},)"
       R"({"type":"tool_result","tool_use_id":"2","is_error":true,"content":[{"type":"text","text":"no"},{"type":"image"}]}])"},
  };
  EXPECT_EQ(history_text(history, 10'000),
            "## User\nFix it.\n\n## Assistant\nI look.\n[call Read {\"file_path\":\"/a\"}]\n\n## User\n[result: "
            "line]\n[error: no\n[image]]\n\n");
}

TEST(HistoryText, KeepsTheNewestAndCutsWhatIsLong) {
  const std::string long_text(5'000, 'x');
  const History history = {{Role::user, R"([{"type":"text","text":"first"}])"},
                           {Role::assistant, R"([{"type":"text","text":"second"}])"},
                           {Role::user, R"([{"type":"tool_result","content":")" + long_text + R"("}])"}};
  const std::string text = history_text(history, 2'050);
  EXPECT_TRUE(text.starts_with("[what came before is left out]\n## Assistant\nsecond")) << text.substr(0, 100);
  EXPECT_NE(text.find("x […]]"), std::string::npos);
  EXPECT_EQ(history_text(history, 10).substr(0, 42), "[what came before is left out]\n## User\n[r ");
  EXPECT_EQ(history_text({}, 10), "");
  EXPECT_EQ(history_text({{Role::user, "not JSON"}}, 100), "## User\n\n");
}

}  // namespace
}  // namespace deft
