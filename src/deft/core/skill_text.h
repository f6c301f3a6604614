#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "deft/base/result.h"

// The text of a skill or a command, with what it was called with put in its place. Pure: the commands in it are found
// here and run by somebody else.

namespace deft {

inline constexpr std::size_t kSkillCommandsMax = 50;
inline constexpr std::size_t kSkillArgumentsBytesMax = std::size_t{256} << 10;
inline constexpr std::size_t kSkillTextBytesMax = std::size_t{4} << 20;

struct SkillValues {
  std::string arguments = {};           // as given, in one text
  std::vector<std::string> names = {};  // of the positional ones, the first for $0
  // ${NAME}: "CLAUDE_SKILL_DIR", "DEFT_SESSION_ID" …
  std::vector<std::pair<std::string, std::string>> variables = {};
};

// A piece is text, or a command whose output stands in its place.
struct SkillPiece {
  std::string text;
  bool is_command = false;
};

// Put in place:
//   $ARGUMENTS        all of them as given; where a text takes no arguments at all, they are added at its end
//   $ARGUMENTS[N] $N  one of them, from 0, divided as a shell would; one that is not there stays as written
//   $name             one by its name; empty if it is not there
//   ${NAME}           a variable; one that is not known stays as written
//   \$                a dollar sign
// Commands: !`…` at the start of a line or after a blank, and the lines between "```!" and "```". What is put in place
// is never looked at again: no argument becomes a command.
Result<std::vector<SkillPiece>> expand_skill_text(std::string_view body, const SkillValues& values);

// The words of a text, divided as a shell would: blanks divide, quotes and backslashes keep together.
std::vector<std::string> split_arguments(std::string_view text);

}  // namespace deft
