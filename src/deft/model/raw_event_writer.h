#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "deft/core/assembler.h"

namespace deft {

// What a model says as the events in which Anthropic's API would have streamed it, for hosts that know only those. Give
// it every event of the message in order, the end included. Pure.
class RawEventWriter {
 public:
  // The events, as JSON text, that come before and for this one.
  std::vector<std::string> write(const StreamEvent& event, const MessageHead& head);

 private:
  enum class Open { none, text, thinking };
  void begin(const MessageHead& head);
  void open(Open kind, std::string_view block);
  void close();
  void add(std::string json) { out_.push_back(std::move(json)); }

  bool begun_ = false;
  Open open_ = Open::none;
  std::size_t index_ = 0;
  std::vector<std::string> out_;
};

}  // namespace deft
