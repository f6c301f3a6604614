#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "deft/agent/prompt.h"
#include "deft/ui/question_dialog.h"

namespace deft {

// One question to a person at a plain terminal, line by line: y once, a always (then where, then each rule, which may
// be edited), n deny and end the turn, f deny with a message for the model. Everything that a stranger wrote is shown
// by safe_display(). Pure: whoever has the terminal shows the texts and brings the lines.
class PermissionDialog {
 public:
  // `directory`: from where the command is seen.
  PermissionDialog(PermissionAsked asked, std::string directory);

  const std::string& id() const { return asked_.id; }
  std::string opening() const;  // all of the question, and the first prompt
  struct Step {
    std::string text;  // to show now
    std::optional<PermissionAnswer> answer;
  };
  Step take_line(std::string_view line);

 private:
  enum class State : std::uint8_t { choice, destination, rule, feedback, questions };

  Step choose(std::string_view line);
  Step choose_destination(std::string_view line);
  Step edit_rule(std::string_view line);
  Step answer_question(std::string_view line);
  std::string rule_prompt() const;
  std::string command_lines(std::string_view command) const;

  const PermissionAsked asked_;
  const std::string directory_;
  State state_ = State::choice;
  std::optional<QuestionDialog> questions_;  // of a call that is itself a question
  AlwaysAllow always_;
  std::size_t rule_ = 0;  // of the proposal, that is being looked at
};

}  // namespace deft
