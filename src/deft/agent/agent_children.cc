#include "deft/agent/agent.h"
#include "deft/core/message_content.h"

// What an agent has to do with those who work for it: their news, what they cost, and what is meant for them.

namespace deft {

void Agent::feed(Feed answer) {
  if (options_.children && options_.children->take(answer)) return;
  engine_->feed(std::move(answer));
}

// True: there was some.
bool Agent::add_news() {
  if (!options_.children) return false;
  const std::vector<std::string> news = options_.children->take_news();
  for (const std::string& text : news) add_user(content_of({text_block(text)}));
  return !news.empty();
}

void Agent::wake(std::string notice) {
  executor().post([this, said = std::move(notice)] {
    executor().notify("agent_completed", said);
    if (phase_ == Phase::awaiting) consider_end();
  });
}

void Agent::count(const std::string& model, const Json& usage, double cost) {
  usage_.add(model, usage, cost);
  cost_spent_ = usage_.cost;
  tokens_spent_ = usage_.tokens;
}

void Agent::add_usage(const SessionUsage& used) {
  executor().post([this, used] {
    usage_.add(used);
    cost_spent_ = usage_.cost;
    tokens_spent_ = usage_.tokens;
    log_->used(used);
  });
}

SessionUsage Agent::usage_of_this_run() const {
  SessionUsage usage = usage_;
  usage.subtract(usage_before_);
  return usage;
}

}  // namespace deft
