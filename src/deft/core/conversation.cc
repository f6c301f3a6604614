#include "deft/core/conversation.h"

#include <atomic>
#include <utility>

#include "deft/core/message_content.h"

namespace deft {
namespace {

std::uint64_t next_number() {
  static std::atomic<std::uint64_t> last = 0;
  return ++last;
}

}  // namespace

Conversation::Conversation(History history) { replace(std::move(history)); }

void Conversation::add(Role role, const std::string& content) {
  if (content.empty()) return;
  if (history_.use_count() > 1) history_ = std::make_shared<History>(*history_);
  if (!history_->empty() && history_->back().role == role) {
    history_->back().content = joined_content(history_->back().content, content);
  } else {
    history_->push_back({role, content});
  }
  history_->back().number = next_number();
}

void Conversation::replace(History history) {
  history_ = std::make_shared<History>();
  for (HistoryMessage& message : history) add(message.role, message.content);
}

}  // namespace deft
