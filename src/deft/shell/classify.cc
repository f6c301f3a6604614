#include "deft/shell/classify.h"

#include <utility>

#include "deft/base/utf8.h"
#include "deft/shell/hidden_characters.h"
#include "deft/shell/known/command.h"
#include "deft/shell/parse.h"

namespace deft::shell {
namespace {

Verdict refuse(std::string reason) { return {false, std::move(reason)}; }

// Output may go to /dev/null and to descriptors that are open already.
Problem judge_redirection(const RedirectionUse& redirection) {
  const Argument& target = redirection.target;
  switch (redirection.access) {
    case Access::here: return std::nullopt;
    case Access::duplicate:
      if (target.is_exact()) return std::nullopt;  // the parser lets only numbers and "-" through
      return "a redirection to a descriptor that is not known: " + quoted(target.source);
    case Access::read: {
      // bash itself opens network connections for names below /dev/tcp.
      const bool may_be_device =
          target.text.empty() ? !target.rootless : std::string_view("/dev/").starts_with(target.text);
      if (!target.is_exact() && may_be_device) return "reads a file that is not known: " + quoted(target.source);
      return judge_read_file(target);
    }
    case Access::write:
    case Access::append:
    case Access::read_write: break;
  }
  if (target.is_exact() && target.text == "/dev/null") return std::nullopt;
  return "writes to " + quoted(target.source);
}

Problem judge_assignment(const AssignmentUse& assignment, bool for_one_command) {
  if (!for_one_command) {
    if (Problem problem = judge_shell_variable(assignment.name); !problem) return problem;
    // A plain setting such as LC_ALL=C is as harmless for the shell as for one command.
  }
  if (for_one_command && assignment.name == "IFS") return std::nullopt;  // judge() allows it for read alone
  if (assignment.appends || assignment.is_array) return "sets " + assignment.name + ", which programs may obey";
  return judge_environment(assignment.name, assignment.value);
}

Problem judge(const CommandUse& use, const ClassifyOptions& options) {
  for (const RedirectionUse& redirection : use.redirections) {
    if (Problem problem = judge_redirection(redirection)) return problem;
  }
  const bool is_read = !use.words.empty() && use.words[0].is_exact() && use.words[0].text == "read";
  for (const AssignmentUse& assignment : use.assignments) {
    if (assignment.name == "IFS" && !is_read) return std::string("sets IFS, which changes how words are split");
    if (Problem problem = judge_assignment(assignment, !use.words.empty())) return problem;
  }
  if (use.words.empty()) return std::nullopt;
  return judge_command(use.words, Situation{options, use});
}

}  // namespace

Verdict classify(std::string_view command, const ClassifyOptions& options) {
  if (count_characters(command) > kClassifiedCharactersMax) return refuse("longer than 10,000 characters");
  if (const auto hidden = find_hidden_character(command)) return refuse("holds a hidden character: " + *hidden);
  const auto parsed = parse(command);
  if (!parsed) {
    return refuse("not understood at byte " + std::to_string(parsed.error().offset) + ": " + parsed.error().reason);
  }
  if (parsed->items.empty()) return refuse("no command");
  return classify(commands_of(*parsed, {options.cwd, options.home}), options);
}

Verdict classify(const Commands& commands, const ClassifyOptions& options) {
  for (const Note& note : commands.notes) return refuse(note.text);
  for (const CommandUse& use : commands.commands) {
    if (Problem problem = judge(use, options)) return refuse(std::move(*problem));
  }
  return {true, "every command in it is known to be read-only"};
}

}  // namespace deft::shell
