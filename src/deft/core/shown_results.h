#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

namespace deft {

inline constexpr std::size_t kRepeatedResultCharactersMin = 500;  // shorter ones cost no more than a reference
inline constexpr std::size_t kResultsRememberedMax = 10'000;
inline constexpr std::size_t kLoopRepeatsMin = 3;

// A result on its way to the model.
struct LeavingResult {
  std::string call_id;
  std::string title;           // of the call: "Bash(make test)"
  std::uint64_t call_key = 0;  // the same for the same tool with the same input
  std::string identity;        // the same for the same content
  std::size_t characters = 0;
  bool read_only = false;  // the call changed nothing
  bool waited = false;     // it was made in order to wait: asking again is its purpose
};

struct ResultRemarks {
  std::optional<std::string> instead;  // it is in the context already, by an earlier message: a line that says where
  std::string note;                    // to follow it
};

// What the model has been shown and still has in its context, in the order in which it was shown. Pure. One owner: the
// thread that runs the turn.
class ShownResults {
 public:
  ResultRemarks add(const LeavingResult& result);
  void end_message();
  void discard_message();  // what it added was never shown
  void forget();           // the context was emptied: nothing of it is there any more

 private:
  struct Shown {
    std::string call_id;
    std::string title;
    std::uint64_t message = 0;
  };
  struct Repeated {
    std::string identity;
    std::size_t times = 0;
    std::uint64_t message = 0;  // in which it was counted last
  };

  std::optional<std::string> reference(const LeavingResult& result);
  std::string loop_note(const LeavingResult& result);

  std::uint64_t message_ = 1;
  std::unordered_map<std::string, Shown> by_identity_;
  std::deque<std::string> order_;  // identities, oldest first
  std::unordered_map<std::uint64_t, Repeated> by_call_;
};

}  // namespace deft
