#pragma once

#include <functional>

#include "deft/ui/exec_input.h"
#include "deft/ui/stream_reader.h"

namespace deft {

// Reads a descriptor on a thread of its own and hands on what it means, as it arrives. Ctrl-C and SIGTERM become an
// abort; the second one ends the process at once. When nobody reads our output any more, that is an abort too: a call
// that prints nothing would never notice it.
class InputReader {
 public:
  using Sink = std::function<void(InputItem)>;

  InputReader(int descriptor, int output, Sink sink);

 private:
  void take(const StreamReader::Item& item);
  void hand_on(std::vector<InputItem> items);

  const Sink sink_;
  // Of the reader's thread:
  ExecInput input_;
  bool aborted_ = false;
  StreamReader reader_;  // last: its thread uses the rest
};

}  // namespace deft
