#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "deft/base/text.h"
#include "deft/shell/classify.h"

// Internal to shell/: what is known of each command, as tables. A command that is in no table is not read-only, nor is
// an option that stands in no table: abbreviations of long options are refused, because they are not listed.

namespace deft::shell {

using Words = std::span<const Argument>;
// Why a command is not read-only; nothing if it is.
using Problem = std::optional<std::string>;

// Around the command that is judged.
struct Situation {
  const ClassifyOptions& options;
  const CommandUse& use;    // the whole simple command, for its working directory
  bool by_program = false;  // started by another program (xargs, env …), so it is no builtin
  int depth = 0;            // of wrappers in wrappers
};

// What a command does with its operands.
enum class Operands : std::uint8_t {
  none,   // takes none
  one,    // at most one, a file that it reads: a second one would be written
  files,  // files that it reads
  names,  // files that it only looks at, or plain text
};

enum Trait : std::uint8_t {
  kPlain = 0,
  // No version of this command has an option that does harm, so text that is not known may stand anywhere.
  kHarmless = 1,
  // Options end at the first operand.
  kOptionsFirst = 2,
  // -ab is not -a -b.
  kNoClusters = 4,
  // -L2 is not -L 2: the value is the next word, whatever else is in the cluster.
  kNoGluedValues = 16,
  // A command of the shell itself.
  kBuiltin = 8,
  // Without an option it would do something else: read code from standard input, for instance.
  kNeedsOption = 32,
};

// An option as it was given: "-n" or "--lines", with its value.
struct GivenOption {
  std::string name;
  const Argument* value = nullptr;  // points to the word that holds it
  std::string value_text = {};      // as far as it is known
  bool value_exact = true;
};

// A command after its options were recognised.
struct Invocation {
  std::string_view name;
  std::vector<GivenOption> options;
  std::vector<const Argument*> operands;
  // How many options had been given when the first operand came.
  std::size_t options_before_operands = 0;
  bool begins_with_operand = false;  // the very first word is one: neither an option nor "--" comes before it

  bool has(std::string_view option) const;
};

struct CommandRule {
  std::string_view names;  // separated by blanks
  Operands operands = Operands::files;
  std::uint8_t traits = kPlain;
  // Separated by blanks: "-abc" three flags, "-n:" takes a value, "-u?" takes one only if it is glued to it,
  // "--all", "--lines=" takes a value, "--color?" takes one only behind "=", "--paging=never" this value alone, "-#" a
  // number as option, "@-version" exactly this word. "-e!" and "--date!" take the next word if there is one, and it may
  // not begin with "-": so an option cannot be passed off as a value, nor "--" as the end of the options.
  std::string_view options = {};
  // What else must hold.
  Problem (*check)(const Invocation& invocation, const Situation& situation) = nullptr;
  // Instead of all the above: words without the command's name.
  Problem (*judge)(Words words, const Situation& situation) = nullptr;
};

// Recognises the options of `words` (without the command's name) by the rule, and its operands.
Problem read_options(std::string_view name, const CommandRule& rule, Words words, Invocation& out);
// read_options, the operands, and the rule's check.
Problem judge_by_rule(std::string_view name, const CommandRule& rule, Words words, const Situation& situation);
// The words of a command that a table describes, told apart; nothing if none does, or if they do not fit it. The
// command's name comes first.
std::optional<Invocation> read_invocation(Words words);
// Any command, its name first. The way back into the tables for commands that run commands.
Problem judge_command(Words words, const Situation& situation);
// A file that is opened for reading: a device may do more than give bytes.
Problem judge_read_file(const Argument& file);
// A variable set for one command, or for the shell.
Problem judge_environment(const std::string& name, const Argument& value);
Problem judge_shell_variable(const std::string& name);

// Whether a sed script reads or writes files of its own, or is not understood.
bool sed_script_names_files(std::string_view script);

// The tables, one per file.
std::span<const CommandRule> text_commands();
std::span<const CommandRule> search_commands();
std::span<const CommandRule> file_commands();
std::span<const CommandRule> system_commands();
std::span<const CommandRule> archive_commands();
std::span<const CommandRule> builtin_commands();
std::span<const CommandRule> wrapper_commands();
std::span<const CommandRule> package_commands();
std::span<const CommandRule> version_commands();
std::span<const CommandRule> script_commands();
std::span<const CommandRule> git_command();

// Helpers for judges.
Problem harmless(Words words, const Situation& situation);
std::string quoted(std::string_view text);                                 // "text" for a message
Problem unknown_word(std::string_view command, const Argument& argument);  // the refusal of an expansion
bool are_exact(Words words);

}  // namespace deft::shell
