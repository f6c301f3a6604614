// Provider streams of all kinds: pieces of any size give the same events as the whole, and every call that is reported
// as valid has an input that parses to what it says.
#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
#include <string_view>

#include "deft/base/check.h"
#include "deft/core/message_json.h"
#include "deft/model/stream_decoder.h"

namespace {

void check_call(const deft::ToolCall& call) {
  if (call.invalid) {
    DEFT_CHECK(call.input.is_null());
    return;
  }
  const auto input = deft::parse_json(call.input_text);
  DEFT_CHECK(input && input->is_object() && *input == call.input);
}

struct Run {
  std::string shown;
  std::size_t calls = 0;
  std::size_t calls_in_messages = 0;

  void add(std::vector<deft::StreamEvent> events) {
    for (const deft::StreamEvent& event : events) {
      if (const auto* text = std::get_if<deft::TextDelta>(&event)) shown += text->text;
      if (const auto* text = std::get_if<deft::ThinkingDelta>(&event)) shown += text->text;
      if (const auto* ready = std::get_if<deft::CallReady>(&event)) {
        check_call(ready->call);
        ++calls;
        shown += ready->call.id + ready->call.name + ready->call.input_text;
      }
      if (const auto* done = std::get_if<deft::MessageDone>(&event)) add(done->message);
      if (const auto* failed = std::get_if<deft::MessageFailed>(&event)) {
        add(failed->message);
        shown += deft::error_line(failed->error, failed->provider_code);
      }
    }
  }

  void add(const deft::Message& message) {
    const std::string line = deft::message_line(message);
    DEFT_CHECK(line.find('\n') == std::string::npos);
    shown += line;
    for (const deft::Block& block : message.blocks)
      calls_in_messages += std::holds_alternative<deft::ToolUseBlock>(block);
  }
};

template <class NextSize>
std::string run(std::string_view bytes, NextSize next_size) {
  deft::StreamDecoder decoder;
  Run run;
  while (!bytes.empty()) {
    const std::string_view piece = bytes.substr(0, next_size());
    run.add(decoder.feed(piece));
    bytes.remove_prefix(piece.size());
  }
  run.add(decoder.finish());
  DEFT_CHECK(run.calls == run.calls_in_messages);  // what was reported, and only that, is in the messages
  return run.shown;
}

}  // namespace

// The first byte seeds the sizes of the pieces.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string_view bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  std::minstd_rand random(data[0] + 1U);
  const std::string whole = run(bytes, [&] { return bytes.size(); });
  DEFT_CHECK(run(bytes, [&] { return 1 + random() % 40; }) == whole);
  (void)deft::sniff_input(bytes);
  if (const auto message = deft::message_from_body(bytes)) (void)deft::message_line(*message);
  return 0;
}
