#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "deft/shell/parse.h"
#include "deft/shell/syntax.h"

// Reduces a parsed command line to the simple commands that it could run, at any depth: in substitutions, pipelines,
// loops, functions, here-documents. Words are resolved as far as the text alone tells: quotes are gone, braces are
// expanded, variables that the text itself sets are followed, short loops are unrolled. What depends on the world is
// marked as such. Nothing that could run is left out; what cannot be listed as a command is in `notes`.

namespace deft::shell {

inline constexpr int kFollowedCommandsMax = 5000;  // loops are walked several times; more than this is given up
inline constexpr std::size_t kUnrolledWordsMax = 32;

enum class Extent {
  exact,   // one word: text is its value
  one,     // exactly one word that begins with text
  many,    // any number of words, each of which begins with text
  spread,  // any number of words; only the first is known to begin with text
};

// A word of a command as it arrives at the program.
struct Argument {
  std::string text;
  Extent extent = Extent::exact;
  bool is_integer = false;
  bool dashless = false;  // no word of it can begin with "-"
  bool rootless = false;  // no word of it can begin with "/"
  std::string source;     // as written
  std::string unknown;    // the first part that could not be resolved, as written: "$x"
  // Of a word that is not exact: the pattern that it is, everything else in it being known (base/glob.h without
  // braces); empty: it is none, or more than a pattern.
  std::string glob;

  bool is_exact() const { return extent == Extent::exact; }
  bool is_one_word() const { return extent == Extent::exact || extent == Extent::one; }
  static Argument exactly(std::string text);
};

struct AssignmentUse {
  std::string name;
  bool appends = false;
  bool is_array = false;
  Argument value;
};

enum class Access { read, write, append, read_write, duplicate, here };
struct RedirectionUse {
  int descriptor = 0;  // -1: standard output and standard error
  Access access = Access::read;
  Argument target;  // duplicate: the number or "-"; here: the text, which is no word of the line
};

struct CommandUse {
  std::vector<AssignmentUse> assignments;
  std::vector<Argument> words;  // empty: assignments or redirections alone
  std::vector<RedirectionUse> redirections;
  std::vector<std::string> directories;  // where it may run, if that is known
  bool directory_known = false;
  bool directory_changed = false;  // a cd may have happened before it
  // If the line ends with code 0, this command ran, and what it prints is printed by the line: neither a pipeline nor
  // anything around it takes it.
  bool shows_output = false;
};

enum class NoteKind {
  runs_text,   // eval, source, trap …: text becomes commands
  evaluates,   // arithmetic or an expansion evaluates a value that may hold a substitution
  function,    // defines a function
  background,  // a job that goes on
  given_up,    // too complicated to follow
};
struct Note {
  NoteKind kind;
  std::string text;  // one line for people
};

struct Surroundings {
  std::string cwd;   // absolute, or "" if not known
  std::string home;  // absolute, or "" if not known
};

struct Commands {
  std::vector<CommandUse> commands;  // in the order in which they stand
  std::vector<Note> notes;
};

Commands commands_of(const List& script, const Surroundings& surroundings);

// "LC_ALL=C sort «$file» >/dev/null": what is not known stands between « ».
std::string describe(const Argument& argument);
std::string describe(const CommandUse& command);

}  // namespace deft::shell
