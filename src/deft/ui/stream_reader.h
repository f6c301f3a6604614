#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <thread>
#include <variant>

#include "deft/os/unique_fd.h"

namespace deft {

// What reaches a program from outside.
struct BytesCame {
  std::string_view bytes;  // valid during the call
};
struct StreamEnded {};
struct SignalCame {
  int number = 0;  // SIGINT, SIGTERM or SIGHUP
};
struct OutputGone {};  // nobody reads our output any more: told once

// Reads a descriptor, the signals that want us to end and the state of our output, on a thread of its own, and hands
// on each as it comes.
class StreamReader {
 public:
  using Item = std::variant<BytesCame, StreamEnded, SignalCame, OutputGone>;
  using Sink = std::function<void(const Item&)>;  // on the reader's thread

  // Before any thread starts: signals are read here, and a reader of ours that goes away is an error of write().
  static void take_over_signals();

  // `descriptor`: -1 for none; then only the rest is told.
  StreamReader(int descriptor, int output, Sink sink);
  ~StreamReader();  // stops reading, also in the middle of the input
  StreamReader(const StreamReader&) = delete;
  StreamReader& operator=(const StreamReader&) = delete;

 private:
  void read_all();

  const int descriptor_;
  const int output_;
  const Sink sink_;
  UniqueFd wake_up_;
  UniqueFd signals_;
  std::thread thread_;
};

}  // namespace deft
