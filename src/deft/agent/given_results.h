#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "deft/agent/event.h"
#include "deft/agent/journal.h"
#include "deft/agent/result_store.h"
#include "deft/core/result_limits.h"
#include "deft/core/shown_results.h"

namespace deft {

struct ResultOptions {
  ResultLimits limits = {};
  OutputQuota quota = {};
  // The model still sees what it was given before, until we are told otherwise. False where strangers' calls come in:
  // then nothing refers to an earlier result.
  bool is_in_context = true;
  bool refers_to_earlier = true;  // a result that is there already is not repeated
  enum class Budget : std::uint8_t {
    leaving,  // results are handed out one by one: each gets what the ones before it have left of the budget
    request,  // all results of a message go into the next request together: fit() is called for them
  };
  Budget budget = Budget::leaving;
};

// What the model is given of each result. It is decided once, when a result leaves or when the request with all of them
// is built, so the model sees the same bytes for ever. What differs from what the call gave goes into the journal: here
// for results that leave one by one, by whoever builds the request for the others. Used on the turn's thread.
class GivenResults {
 public:
  GivenResults(ResultOptions options, const ResultStore& store, Journal& journal, Frontend& frontend)
      : options_(std::move(options)), store_(store), journal_(journal), frontend_(frontend) {}

  const ResultOptions& options() const { return options_; }

  struct Leaving {
    std::string call_id;
    std::string title;
    std::uint64_t call_key = 0;
    bool changed_nothing = false;
    bool waited = false;
  };
  // In the order of the calls.
  void leave(Leaving call, ToolResult& result);
  // All results of one message, after they left, where the budget is that of the request. Which of them are not as they
  // came any more.
  std::vector<bool> fit(std::vector<CallAnswered>& answers);

  void end_message();
  void discard_message();
  void forget() { shown_.forget(); }  // the context was emptied
  // Files of which the model did not get to see what a call showed; then forgotten.
  std::vector<std::string> take_hidden_files() { return std::exchange(hidden_files_, {}); }

 private:
  void show(ToolResult& result, const std::string& call_id, const ResultShare& share);
  bool remark(const Leaving& call, ToolResult& result);

  const ResultOptions options_;
  const ResultStore& store_;
  Journal& journal_;
  Frontend& frontend_;
  ShownResults shown_;
  std::size_t used_ = 0;                           // of the message's budget
  std::unordered_map<std::string, Leaving> left_;  // by call, until fit() is called for them
  std::vector<std::string> hidden_files_;
};

// The content of the user's message that holds them.
std::string content_of_answers(const std::vector<CallAnswered>& answers);

}  // namespace deft
