#pragma once

#include <functional>
#include <string>
#include <vector>

#include "deft/os/processes.h"

// For tests with real processes: recognising those that a test has started, and waiting for what they do.

namespace deft::testing {

// A variable that no other test sets. Whoever has it in its environment descends from the command that got it.
class ProcessMark {
 public:
  ProcessMark();
  // This one, NAME=VALUE, if its value is unique already.
  explicit ProcessMark(std::string variable) : variable_(std::move(variable)) {}
  const std::string& variable() const { return variable_; }
  // The numbers of all living processes that carry the mark.
  std::vector<int> alive() const;

 private:
  std::string variable_;
};

// Looks again and again until the condition holds. False: it didn't within `kPatience`, far beyond what anything needs.
bool eventually(const std::function<bool()>& condition);

// `bash -c script`, marked, with a plain PATH.
Command bash(std::string script, const ProcessMark& mark);

// Runs `work` in a forked process as the user nobody (as ourselves, if we are not root) and hands back what it
// returned. An exception there is what comes back instead.
std::string as_nobody(const std::function<std::string()>& work);

struct ProcessState {
  std::string name;          // comm
  std::string command_line;  // arguments separated by spaces
  char state = '?';
  int parent = 0;
};
ProcessState process_state(int pid);
bool is_alive(int pid);  // a zombie is not
std::vector<int> children_of(int pid);
std::string environment_of(int pid);
// 0 where we may not look.
std::size_t open_descriptor_count(int pid);

}  // namespace deft::testing
