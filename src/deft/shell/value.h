#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

// What is known about a value before the command runs.

namespace deft::shell {

inline constexpr std::size_t kKnownTextBytesMax = 4096;  // longer values are not followed
inline constexpr std::size_t kFollowedVariablesMax = 200;
inline constexpr std::size_t kDirectoriesMax = 16;

struct Value {
  std::string text;  // all of it if exact, else how it begins (may be "")
  bool exact = false;
  bool is_integer = false;  // an integer, perhaps negative
  bool dashless = false;    // cannot begin with "-"
  bool rootless = false;    // cannot begin with "/"
  bool plain = false;       // no blanks and no pattern characters: unquoted it stays one word
  bool may_be_empty = true;

  static Value anything() { return {}; }
  static Value exactly(std::string text);
  static Value integer(bool can_be_negative);
  static Value beginning(std::string text);  // one word that begins so

  bool operator==(const Value&) const = default;
};

// What holds of either.
Value merge(const Value& a, const Value& b);

bool is_integer_text(std::string_view text);
bool is_plain_text(std::string_view text);  // unquoted, it is neither split nor a pattern

// Variables and working directory at one point of a script.
struct State {
  std::map<std::string, Value, std::less<>> variables;
  std::vector<std::string> directories;  // where the shell may be; meaningless unless directory_known
  bool directory_known = false;
  bool moved = false;         // a cd, or something that may have been one, came before
  bool tainted = false;       // anything may have been assigned to any variable
  bool splits_oddly = false;  // IFS was changed

  void taint();
  void add_directory(const std::string& directory);
  bool operator==(const State&) const = default;
};

}  // namespace deft::shell
