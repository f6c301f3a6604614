#include "deft/agent/model_classifier.h"

#include <utility>

#include "deft/base/text.h"
#include "deft/core/conversation.h"
#include "deft/core/message_content.h"
#include "deft/model/ask_once.h"

namespace deft {

std::optional<RiskOpinion> ModelClassifier::judge(const CallToJudge& call, std::stop_token stop) {
  const auto not_harmless = [&](std::string why) {
    return RiskOpinion{.is_harmless = false, .reason = std::move(why), .by_grant = call.wanted.by_grant};
  };
  if (auto why = not_to_be_judged(call)) return not_harmless(std::move(*why));
  ClassifierPrompt prompt = classifier_prompt(rules_, call);
  Conversation conversation;
  conversation.add_user(content_of({text_block(prompt.question)}));
  const ModelRequest request{.model = model_,
                             .output_tokens_max = kOpinionTokensMax,
                             .system = std::move(prompt.system),
                             .tools = {},
                             .history = conversation.snapshot()};
  const auto answer =
      ask_once(client_, request, clock_.on_steady_clock(clock_.now() + kOpinionTimeMax), std::move(stop));
  if (!answer) return not_harmless("it could not be asked: " + one_line(answer.error().message, 200));
  // Cut off, refused, or with calls of its own: no answer.
  if (answer->stop_reason != "end_turn" || !answer->others.empty()) return not_harmless("it gave no clear answer");
  return opinion_of(answer->text, rules_, call);
}

}  // namespace deft
