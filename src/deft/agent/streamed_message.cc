#include "deft/agent/streamed_message.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace deft {
namespace {

bool is_call(const Block& block) { return std::holds_alternative<ToolUseBlock>(block); }

auto after_last_call(const std::vector<Block>& blocks) {
  return std::find_if(blocks.rbegin(), blocks.rend(), is_call).base();
}

}  // namespace

std::vector<Block> StreamedMessage::add_call(CallReady ready, CallIds& ids) {
  ready.call.id = ids.take(ready.call.id);
  call_ids_.push_back(ready.call.id);
  head_ = std::move(ready.head);
  std::vector<Block> added = std::move(ready.before);
  added.emplace_back(ToolUseBlock{std::move(ready.call), std::move(ready.extra)});
  blocks_.insert(blocks_.end(), added.begin(), added.end());
  text_since_call_.clear();
  return added;
}

std::optional<ToolCall> StreamedMessage::first_call() const {
  for (const Block& block : blocks_) {
    if (const auto* use = std::get_if<ToolUseBlock>(&block)) return use->call;
  }
  return std::nullopt;
}

Message StreamedMessage::so_far() const {
  Message message{.id = head_.id, .model = head_.model, .blocks = blocks_};
  if (!text_since_call_.empty()) message.blocks.emplace_back(TextBlock{text_since_call_, {}});
  return message;
}

Message StreamedMessage::whole(Message provided) const {
  auto id = call_ids_.begin();
  for (Block& block : provided.blocks) {
    auto* use = std::get_if<ToolUseBlock>(&block);
    if (use && id != call_ids_.end()) use->call.id = *id++;
  }
  return provided;
}

Message StreamedMessage::kept(Message provided) const {
  Message message = whole(std::move(provided));
  message.blocks.erase(after_last_call(message.blocks), message.blocks.end());
  return message;
}

std::vector<Block> StreamedMessage::rest_of(const Message& message) const {
  return {call_ids_.empty() ? message.blocks.begin() : after_last_call(message.blocks), message.blocks.end()};
}

}  // namespace deft
