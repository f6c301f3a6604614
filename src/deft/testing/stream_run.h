#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "deft/core/message_json.h"
#include "deft/model/stream_decoder.h"

namespace deft::testing {

// What came out of a stream, in a form that tests can compare.
struct StreamRun {
  std::vector<std::string> lines;  // as `deft exec --dry-run` prints them
  std::vector<ToolCall> calls;     // as they were reported
  std::vector<Message> messages;   // complete ones
  std::vector<MessageFailed> failures;
  std::string text;      // of all TextDeltas
  std::string thinking;  // of all ThinkingDeltas

  void add(std::vector<StreamEvent> events) {
    for (StreamEvent& event : events) {
      if (auto* delta = std::get_if<TextDelta>(&event)) text += delta->text;
      if (auto* thought = std::get_if<ThinkingDelta>(&event)) thinking += thought->text;
      if (auto* ready = std::get_if<CallReady>(&event)) calls.push_back(std::move(ready->call));
      if (auto* done = std::get_if<MessageDone>(&event)) {
        lines.push_back(message_line(done->message));
        messages.push_back(std::move(done->message));
      }
      if (auto* failed = std::get_if<MessageFailed>(&event)) {
        lines.push_back(error_line(failed->error, failed->provider_code));
        failures.push_back(std::move(*failed));
      }
    }
  }
  // One line, or why there is none.
  std::string line() const { return lines.size() == 1 ? lines[0] : std::to_string(lines.size()) + " lines"; }
  std::string error() const {
    return failures.size() == 1 ? failures[0].error.message : "no single failure: " + line();
  }
};

// The bytes in pieces: `next_size` says how long the next one is.
template <class NextSize>
StreamRun run_in_pieces(std::string_view bytes, NextSize next_size) {
  StreamDecoder decoder;
  StreamRun run;
  while (!bytes.empty()) {
    const std::size_t size = std::min<std::size_t>(next_size(), bytes.size());
    run.add(decoder.feed(bytes.substr(0, size)));
    bytes.remove_prefix(size);
  }
  run.add(decoder.finish());
  return run;
}

inline StreamRun run_stream(std::string_view bytes) {
  return run_in_pieces(bytes, [&] { return bytes.size(); });
}

// Events as they stand on the wire, one per JSON text.
inline std::string as_events(std::initializer_list<std::string_view> texts) {
  std::string bytes;
  for (const std::string_view text : texts) bytes += "data: " + std::string(text) + "\n\n";
  return bytes;
}

inline StreamRun run_events(std::initializer_list<std::string_view> texts) { return run_stream(as_events(texts)); }

}  // namespace deft::testing
