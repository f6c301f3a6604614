#include "deft/ui/permission_dialog.h"

#include <utility>

#include "deft/base/json.h"
#include "deft/core/rule_meaning.h"
#include "deft/core/shell_line.h"
#include "deft/ui/safe_display.h"

namespace deft {
namespace {

constexpr std::string_view kChoicePrompt = "[y] once  [a] always  [n] deny  [f] deny and say why > ";
constexpr std::string_view kChoicePromptWithoutAlways = "[y] once  [n] deny  [f] deny and say why > ";
constexpr std::string_view kDestinationPrompt =
    "where? [s] this session  [l] this folder, only me  [p] this folder, everybody  [u] all my folders  [b] back > ";
constexpr std::size_t kShownCommandsMax = 50;

std::string_view trimmed(std::string_view text) {
  while (text.starts_with(' ') || text.starts_with('\t')) text.remove_prefix(1);
  while (text.ends_with(' ') || text.ends_with('\t') || text.ends_with('\r')) text.remove_suffix(1);
  return text;
}

std::optional<SettingSource> destination_of(std::string_view letter) {
  if (letter == "s") return SettingSource::session;
  if (letter == "l") return SettingSource::local;
  if (letter == "p") return SettingSource::project;
  if (letter == "u") return SettingSource::user;
  return std::nullopt;
}

}  // namespace

PermissionDialog::PermissionDialog(PermissionAsked asked, std::string directory)
    : asked_(std::move(asked)), directory_(std::move(directory)) {
  if (asked_.kind != PromptKind::question) return;
  questions_.emplace(asked_.call.input);
  if (!questions_->is_done()) state_ = State::questions;
}

std::string PermissionDialog::command_lines(std::string_view command) const {
  std::string out = "command:\n" + quoted_display(command);
  const ShellLine line = read_shell_line(command, {.cwd = directory_, .home = {}});
  if (line.not_understood) return out + "  NOT UNDERSTOOD: " + safe_display(*line.not_understood) + "\n";
  out += "it runs:\n";
  std::size_t count = 0;
  for (const auto* uses : {&line.commands, &line.inner}) {
    for (const shell::CommandUse& use : *uses) {
      if (++count > kShownCommandsMax) return out + "  and more\n";
      out += "  " + std::to_string(count) + ". " + safe_display(shell::describe(use)) + "\n";
    }
  }
  if (line.not_followed) out += "  and what cannot be told: " + safe_display(*line.not_followed) + "\n";
  return out;
}

std::string PermissionDialog::opening() const {
  if (state_ == State::questions)
    return "\n--- a question (- to leave all of them unanswered)\n" + questions_->prompt();
  std::string out = "\n--- may this run? " + safe_display(asked_.title) + "\n";
  out += "tool: " + safe_display(asked_.call.name) + (asked_.is_destructive ? "   DESTRUCTIVE: cannot be undone" : "");
  if (!asked_.agent_id.empty()) {
    const std::string& type = asked_.agent_type;
    out +=
        "\nfor the subagent: " + safe_display(asked_.agent_id) + (type.empty() ? "" : " (" + safe_display(type) + ")");
  }
  out += "\nwhy it is asked: " + safe_display(asked_.decision.reason) + "\n";
  if (!asked_.decision.rule.empty()) out += "rule: " + safe_display(asked_.decision.rule) + "\n";
  const Subject subject = subject_of(todays_tool_name(asked_.call.name));
  const auto command = find_string(asked_.call.input, subject.field);
  if (subject.kind == SubjectKind::command && command) out += command_lines(*command);
  out += "input, exactly as it would run:\n" + quoted_display(to_json(asked_.call.input));
  for (const std::string& rule : asked_.proposal) out += "always would allow: " + safe_display(rule) + "\n";
  return out.append(asked_.proposal.empty() ? kChoicePromptWithoutAlways : kChoicePrompt);
}

PermissionDialog::Step PermissionDialog::take_line(std::string_view line) {
  switch (state_) {
    case State::choice: return choose(trimmed(line));
    case State::destination: return choose_destination(trimmed(line));
    case State::rule: return edit_rule(trimmed(line));
    case State::questions: return answer_question(trimmed(line));
    case State::feedback:
      if (trimmed(line).empty()) return {.text = "what should the model be told? > ", .answer = {}};
      return {.text = "denied\n", .answer = PermissionAnswer{.id = asked_.id, .feedback = std::string(line)}};
  }
  return {};
}

PermissionDialog::Step PermissionDialog::choose(std::string_view line) {
  if (line == "y") {
    return {.text = "allowed once\n", .answer = PermissionAnswer{.id = asked_.id, .verdict = Verdict::allow}};
  }
  // A plain no ends the turn: the person wants to say something else first.
  if (line == "n") return {.text = "denied\n", .answer = PermissionAnswer{.id = asked_.id, .ends_turn = true}};
  if (line == "f") {
    state_ = State::feedback;
    return {.text = "what should the model be told? > ", .answer = {}};
  }
  if (line == "a" && !asked_.proposal.empty()) {
    state_ = State::destination;
    return {.text = std::string(kDestinationPrompt), .answer = {}};
  }
  return {.text = std::string(asked_.proposal.empty() ? kChoicePromptWithoutAlways : kChoicePrompt), .answer = {}};
}

PermissionDialog::Step PermissionDialog::answer_question(std::string_view line) {
  if (line == "-") {
    return {.text = "not answered\n",
            .answer = PermissionAnswer{.id = asked_.id, .feedback = "The user does not want to answer this."}};
  }
  std::string text = questions_->take_line(line);
  if (!questions_->is_done()) return {.text = std::move(text), .answer = {}};
  PermissionAnswer answer{.id = asked_.id, .verdict = Verdict::allow};
  answer.updated_input = questions_->answered();
  return {.text = "answered\n", .answer = std::move(answer)};
}

PermissionDialog::Step PermissionDialog::choose_destination(std::string_view line) {
  if (line == "b") {
    state_ = State::choice;
    return {.text = std::string(kChoicePrompt), .answer = {}};
  }
  const auto destination = destination_of(line);
  if (!destination) return {.text = std::string(kDestinationPrompt), .answer = {}};
  state_ = State::rule;
  always_ = {.rules = {}, .destination = *destination};
  rule_ = 0;
  return {.text = rule_prompt(), .answer = {}};
}

std::string PermissionDialog::rule_prompt() const {
  return "rule " + std::to_string(rule_ + 1) + " of " + std::to_string(asked_.proposal.size()) + ": " +
         safe_display(asked_.proposal[rule_]) + "\nEnter writes it, or type another, or - for none > ";
}

PermissionDialog::Step PermissionDialog::edit_rule(std::string_view line) {
  if (line.empty()) {
    always_.rules.push_back(asked_.proposal[rule_]);
  } else if (line != "-") {
    const auto rule = parse_rule(line);
    if (!rule) return {.text = safe_display(rule.error().message) + "\n" + rule_prompt(), .answer = {}};
    always_.rules.push_back(rule->text);
  }
  if (++rule_ < asked_.proposal.size()) return {.text = rule_prompt(), .answer = {}};
  PermissionAnswer answer{.id = asked_.id, .verdict = Verdict::allow};
  if (always_.rules.empty()) return {.text = "allowed once\n", .answer = std::move(answer)};
  std::string text = "allowed, and from now on:\n";
  for (const std::string& rule : always_.rules) text += "  " + safe_display(rule) + "\n";
  answer.always = std::move(always_);
  return {.text = std::move(text), .answer = std::move(answer)};
}

}  // namespace deft
