#include "deft/model/raw_event_writer.h"

#include "deft/base/overloaded.h"
#include "deft/model/event_json.h"

namespace deft {
namespace {

std::string delta_event(std::size_t index, std::string_view type, std::string_view key, std::string_view text) {
  return R"({"type":"content_block_delta","index":)" + std::to_string(index) + R"(,"delta":{"type":)" +
         json_quote(type) + "," + json_quote(key) + ":" + json_quote(text) + "}}";
}

}  // namespace

std::vector<std::string> RawEventWriter::write(const StreamEvent& event, const MessageHead& head) {
  std::visit(Overloaded{
                 [&](const TextDelta& delta) {
                   begin(head);
                   open(Open::text, R"({"type":"text","text":""})");
                   add(delta_event(index_, "text_delta", "text", delta.text));
                 },
                 [&](const ThinkingDelta& delta) {
                   begin(head);
                   open(Open::thinking, R"({"type":"thinking","thinking":"","signature":""})");
                   add(delta_event(index_, "thinking_delta", "thinking", delta.text));
                 },
                 [&](const CallReady& ready) {
                   begin(head);
                   close();
                   add(R"({"type":"content_block_start","index":)" + std::to_string(index_) +
                       R"(,"content_block":{"type":"tool_use","id":)" + json_quote(ready.call.id) +
                       ",\"name\":" + json_quote(ready.call.name) + ",\"input\":{}}}");
                   add(delta_event(index_, "input_json_delta", "partial_json", ready.call.input_text));
                   add(R"({"type":"content_block_stop","index":)" + std::to_string(index_++) + "}");
                 },
                 [&](const MessageDone& done) {
                   begin(head);
                   close();
                   add(R"({"type":"message_delta","delta":{"stop_reason":)" + json_quote(done.message.stop_reason) +
                       R"(,"stop_sequence":null,"stop_details":null,"container":null},"context_management":null)" +
                       ",\"usage\":" + to_json(messages_usage(done.message.usage)) + "}");
                   add(R"({"type":"message_stop"})");
                 },
                 [](const MessageFailed&) {},
             },
             event);
  return std::exchange(out_, {});
}

void RawEventWriter::begin(const MessageHead& head) {
  if (std::exchange(begun_, true)) return;
  add(R"({"type":"message_start","message":{"id":)" + json_quote(head.id) +
      R"(,"type":"message","role":"assistant","model":)" + json_quote(head.model) +
      R"(,"content":[],"stop_reason":null,"stop_sequence":null,"stop_details":null,"container":null)" +
      R"(,"context_management":null,"diagnostics":null,"usage":)" + to_json(messages_usage(head.usage)) + "}}");
}

void RawEventWriter::open(Open kind, std::string_view block) {
  if (open_ == kind) return;
  close();
  open_ = kind;
  add(R"({"type":"content_block_start","index":)" + std::to_string(index_) + R"(,"content_block":)" +
      std::string(block) + "}");
}

void RawEventWriter::close() {
  if (std::exchange(open_, Open::none) == Open::none) return;
  add(R"({"type":"content_block_stop","index":)" + std::to_string(index_++) + "}");
}

}  // namespace deft
