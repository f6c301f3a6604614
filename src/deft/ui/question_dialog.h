#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "deft/base/json.h"

namespace deft {

// The questions of AskUserQuestion at a plain terminal, one after another: a number chooses an option, several with
// commas where several may be chosen, anything else is an answer in the person's own words. Pure.
class QuestionDialog {
 public:
  explicit QuestionDialog(const Json& input);

  bool is_done() const { return next_ >= count(); }
  std::string prompt() const;  // the question that is open; empty: none
  // Takes the answer to it. What is to be shown if it is none.
  std::string take_line(std::string_view line);
  Json answered() const;  // the input with "answers" in it

 private:
  std::size_t count() const;
  const Json& question() const;

  JsonObject input_;
  JsonObject answers_;
  std::size_t next_ = 0;
};

}  // namespace deft
