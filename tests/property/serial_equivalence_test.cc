#include <gtest/gtest.h>

#include "deft/shell/classify.h"
#include "property_run.h"
#include "seeds.h"

// Whatever overlaps, files and results equal those of the calls run one after another.

namespace deft::testing {
namespace {

TEST(SerialEquivalence, FilesAndResultsAreThoseOfOneCallAfterAnother) {
  for_every_seed([](std::uint64_t seed) {
    const auto messages = random_messages(seed);
    const Outcome serial = run_messages(messages, {.slots = 1, .one_call_a_message = true});
    return difference(serial, run_messages(messages, {.shake = seed}));
  });
}

TEST(SerialEquivalence, HoldsForEveryWayOfScheduling) {
  for_every_seed([](std::uint64_t seed) {
    const auto messages = random_messages(seed);
    const Outcome serial = run_messages(messages, {.slots = 1, .scheduling = Scheduling::exclusive});
    RunOptions options{.shake = seed};
    if (seed % 3 == 0) options.scheduling = Scheduling::exclusive;
    if (seed % 3 == 1) options.streaming = false;
    if (seed % 3 == 2) options.slots = 2;
    return difference(serial, run_messages(messages, options));
  });
}

bool was_cancelled(const Outcome::Answer& answer) { return answer.text.starts_with("error cancelled"); }

bool only_reads(const PropertyCall& command) {
  const std::string_view text = find_string(command.input, "command").value_or("");
  return shell::classify(with_folder(text, "/folder"), {.cwd = "/folder"}).read_only;
}

// What is wrong with who was cancelled, if anything is.
std::string cancelled_wrongly(const std::vector<PropertyMessage>& messages, const Outcome& found) {
  std::size_t at = 0;
  for (const PropertyMessage& message : messages) {
    bool failed = false;
    for (const PropertyCall& call : message) {
      if (at == found.answers.size()) return "not answered: " + call.id;
      const Outcome::Answer& answer = found.answers[at++];
      if (answer.id != call.id) return "out of order: " + answer.id;
      const bool is_command = call.tool == "Bash";
      if (was_cancelled(answer) && !(failed && is_command)) return "cancelled without a cause: " + answer.id;
      if (failed && is_command && !only_reads(call) && !was_cancelled(answer)) return "not cancelled: " + answer.id;
      failed = failed || (is_command && answer.text.starts_with("error"));
    }
  }
  return at == found.answers.size() ? "" : "answered more often than asked";
}

// With sibling cancellation a later command that only reads may have run before an earlier one failed, or not. Which
// it was is seen; all the rest must be as if those that were cancelled had never been asked for.
TEST(SerialEquivalence, HoldsForWhatFailuresDidNotCancel) {
  for_every_seed([](std::uint64_t seed) {
    const auto messages = random_messages(seed);
    Outcome found = run_messages(messages, {.sibling_cancellation = true, .shake = seed});
    if (std::string wrong = cancelled_wrongly(messages, found); !wrong.empty()) return wrong;
    RunOptions without_cancelled{.slots = 1, .one_call_a_message = true};
    std::erase_if(found.answers, [&](const Outcome::Answer& answer) {
      if (!was_cancelled(answer)) return false;
      without_cancelled.left_out.insert(answer.id);
      return true;
    });
    return difference(run_messages(messages, without_cancelled), found);
  });
}

}  // namespace
}  // namespace deft::testing
