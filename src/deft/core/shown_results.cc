#include "deft/core/shown_results.h"

namespace deft {

ResultRemarks ShownResults::add(const LeavingResult& result) {
  ResultRemarks remarks;
  remarks.instead = reference(result);
  remarks.note = loop_note(result);
  return remarks;
}

std::optional<std::string> ShownResults::reference(const LeavingResult& result) {
  if (result.identity.empty() || result.characters < kRepeatedResultCharactersMin) return std::nullopt;
  const auto [found, is_new] = by_identity_.try_emplace(result.identity, Shown{result.call_id, result.title, message_});
  if (!is_new) {
    // Calls of one message are written together: none of them is a repetition.
    if (found->second.message == message_) return std::nullopt;
    return "(The same result as that of the earlier call " + found->second.title + ", id " + found->second.call_id +
           ": it is not repeated here.)";
  }
  order_.push_back(result.identity);
  if (order_.size() > kResultsRememberedMax) {
    by_identity_.erase(order_.front());
    order_.pop_front();
  }
  return std::nullopt;
}

// Calls of one message were written together, before the model saw what the first of them gave: they count once.
std::string ShownResults::loop_note(const LeavingResult& result) {
  if (result.identity.empty() || result.waited) return {};
  Repeated now{.identity = result.identity, .times = 1, .message = message_};
  const auto before = by_call_.find(result.call_key);
  if (before != by_call_.end() && before->second.identity == result.identity) {
    now.times = before->second.times + (before->second.message == message_ ? 0 : 1);
  }
  const bool is_counted = before == by_call_.end() || before->second.message != message_;
  // After a change the same question is a new one.
  if (!result.read_only || by_call_.size() >= kResultsRememberedMax) by_call_.clear();
  by_call_[result.call_key] = now;
  if (now.times < kLoopRepeatsMin || !is_counted) return {};
  return "Note: this call was made " + std::to_string(now.times) +
         " times with the same result, and nothing was changed in between. Making it again gives the same: do "
         "something else, or say what is in the way.";
}

void ShownResults::end_message() { ++message_; }

void ShownResults::discard_message() {
  while (!order_.empty()) {
    const auto last = by_identity_.find(order_.back());
    if (last != by_identity_.end() && last->second.message != message_) return;
    if (last != by_identity_.end()) by_identity_.erase(last);
    order_.pop_back();
  }
}

void ShownResults::forget() {
  by_identity_.clear();
  order_.clear();
}

}  // namespace deft
