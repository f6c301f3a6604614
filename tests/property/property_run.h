#pragma once

#include <set>
#include <string>
#include <vector>

#include "deft/agent/executor.h"
#include "random_message.h"

namespace deft::testing {

// What can be seen of a run when it is over, with kRoot in place of its folder.
struct Outcome {
  struct Answer {
    std::string id;
    std::string tool;
    std::string text;  // error code, content, details
    bool operator==(const Answer&) const = default;
  };
  std::vector<Answer> answers;
  std::string tree;
  std::string working_directory;
};

struct RunOptions {
  std::size_t slots = kSlotsDefault;
  Scheduling scheduling = Scheduling::footprints;
  bool streaming = true;
  bool sibling_cancellation = false;
  bool one_call_a_message = false;      // nothing is scheduled at all: the oracle
  std::uint64_t shake = 0;              // other than 0: small random delays around calls and between their arrivals
  std::set<std::string> left_out = {};  // calls that never come
};

// Everything on the real disk and with real processes, in a fresh copy of the tree.
Outcome run_messages(const std::vector<PropertyMessage>& messages, const RunOptions& options);

// A text with the folder's path in place of kRoot, and the reverse.
std::string with_folder(std::string_view text, std::string_view folder);
std::string without_folder(std::string_view text, std::string_view folder);

// Empty if they are equal; else what is different.
std::string difference(const Outcome& expected, const Outcome& found);
std::string to_text(const std::vector<PropertyMessage>& messages);

}  // namespace deft::testing
