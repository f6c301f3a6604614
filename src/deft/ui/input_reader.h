#pragma once

#include <functional>
#include <thread>

#include "deft/ui/exec_input.h"

namespace deft {

// Reads a descriptor on a thread of its own and hands on what it means, as it arrives. Ctrl-C and SIGTERM become an
// abort; the second one ends the process at once. When nobody reads our output any more, that is an abort too: a call
// that prints nothing would never notice it.
class InputReader {
 public:
  using Sink = std::function<void(InputItem)>;

  // Before any thread starts: signals are read here, and a reader of ours that goes away is an error of write().
  static void take_over_signals();

  InputReader(int descriptor, int output, Sink sink);
  ~InputReader();  // stops reading, also in the middle of the input
  InputReader(const InputReader&) = delete;
  InputReader& operator=(const InputReader&) = delete;

 private:
  void read_all();

  const int descriptor_;
  const int output_;
  const Sink sink_;
  int wake_up_ = -1;
  int signals_ = -1;
  std::thread thread_;
};

}  // namespace deft
