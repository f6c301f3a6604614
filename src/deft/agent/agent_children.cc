#include "deft/agent/agent.h"
#include "deft/base/text.h"
#include "deft/core/message_content.h"

// What an agent has to do with those who work for it: their news, what they cost, and what is meant for them.

namespace deft {
namespace {

constexpr std::size_t kToldShownCharacters = 300;

}  // namespace

void Agent::feed(Feed answer) {
  if (options_.children && options_.children->take(answer)) return;
  engine_->feed(std::move(answer));
}

// Of the children, and what tell() brought. True: there was some.
bool Agent::add_news() {
  std::vector<std::string> news = options_.children ? options_.children->take_news() : std::vector<std::string>();
  for (std::string& text : std::exchange(told_, {})) news.push_back(std::move(text));
  if (const std::size_t count = std::exchange(told_left_out_, 0); count > 0) {
    news.push_back("(" + std::to_string(count) + " more messages came than could be kept)");
  }
  for (const std::string& text : news) add_user(content_of({text_block(text)}), {.source = "task"});
  return !news.empty();
}

void Agent::add_reminders() {
  if (!options_.take_reminders) return;
  for (const std::string& text : options_.take_reminders()) {
    add_user(content_of({text_block(text)}), {.source = "reminder"});
  }
}

void Agent::tell(std::string text) {
  executor().post([this, said = std::move(text)]() mutable {
    if (told_.size() < kToldWaitingMax) {
      told_.push_back(std::move(said));
    } else {
      ++told_left_out_;
    }
    if (phase_ == Phase::awaiting && this_turn_.told_at_end < kToldAtEndMax) consider_end();
  });
}

// The turn ends: people hear what the model did not.
void Agent::drop_news() {
  for (const std::string& text : std::exchange(told_, {})) {
    frontend_.show(Notice{"The model was not told any more: " + one_line(text, kToldShownCharacters)});
  }
  told_left_out_ = 0;
}

void Agent::wake(std::string notice) {
  executor().post([this, said = std::move(notice)] {
    executor().notify("agent_completed", said);
    if (phase_ == Phase::awaiting) consider_end();
  });
}

void Agent::count(const std::string& model, const Json& usage, double cost) {
  usage_.add(model, usage, cost);
  cost_spent_ = usage_.cost - usage_before_.cost;
  tokens_spent_ = usage_.tokens - usage_before_.tokens;
}

void Agent::add_usage(const SessionUsage& used) {
  executor().post([this, used] {
    usage_.add(used);
    cost_spent_ = usage_.cost - usage_before_.cost;
    tokens_spent_ = usage_.tokens - usage_before_.tokens;
    log_->used(used);
  });
}

SessionUsage Agent::usage_of_this_run() const {
  SessionUsage usage = usage_;
  usage.subtract(usage_before_);
  return usage;
}

}  // namespace deft
