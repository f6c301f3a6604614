// What a model says that judges calls, and what a call says to it: only the exact word lets anything run, and no text
// of a call leaves its quotes.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "deft/agent/classifier_prompt.h"
#include "deft/base/check.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace deft;
  const std::string bytes(reinterpret_cast<const char*>(data), size);
  static const AutoModeRules rules = auto_mode_rules({});
  for (const bool by_grant : {false, true}) {
    const CallToJudge call{.tool = "Bash", .text = bytes, .wanted = {.by_grant = by_grant, .granted = {"run tests"}}};
    const RiskOpinion opinion = opinion_of(bytes, rules, call);
    if (opinion.is_harmless) {
      DEFT_CHECK(find_string(parse_json(bytes).value(), "verdict") == (by_grant ? "covered" : "harmless"));
    }
    DEFT_CHECK(!opinion.is_forbidden);  // there are no such rules
    DEFT_CHECK(opinion.by_grant == by_grant);
    const std::string question = classifier_prompt(rules, call).question;
    DEFT_CHECK(question.find("</call>") == question.size() - std::string_view("</call>").size());
  }
  return 0;
}
