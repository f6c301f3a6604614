#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "deft/os/unique_fd.h"

namespace deft::testing {

struct ProgramSetup {
  std::vector<std::string> argv{};
  std::vector<std::string> environment{};  // NAME=VALUE: all that it gets
  std::string directory = ".";
  bool small_output_pipe = false;  // takes a page, so that a reader who waits is soon felt
  // The terminal of a session of its own; any other file: a session without one. Empty: that of the test.
  std::string controlling_terminal = {};
};

// Another program with a pipe at each end, driven step by step. Nothing is read ahead: as long as the test does not ask
// for a line, the program has a reader that does not read.
//
// Whatever is waited for is waited for with great patience; in vain, an exception ends the test and tells what came so
// far. At the end of this object the program is gone.
class Program {
 public:
  explicit Program(const ProgramSetup& setup);
  ~Program();
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;

  pid_t pid() const { return pid_; }

  void write(std::string_view bytes);  // what it no longer reads is dropped
  void close_input() { input_.reset(); }

  // The next line without its newline; nothing: its output has ended. A last line without newline counts.
  std::optional<std::string> read_line();
  void close_output() { output_.reset(); }

  void send_signal(int signal) const;
  // Its exit code, or 128 and the signal that killed it.
  int wait();
  // All of its standard error so far.
  std::string errors() const;

 private:
  bool read_more();  // false: the end
  [[noreturn]] void give_up(std::string_view waited_for) const;

  UniqueFd input_;
  UniqueFd output_;
  UniqueFd errors_;  // a file in memory, so that nobody has to read it in time
  UniqueFd end_;     // readable when the program has ended
  pid_t pid_ = -1;
  std::optional<int> exit_code_;
  std::string unread_;
  std::string seen_;  // for give_up()
};

}  // namespace deft::testing
