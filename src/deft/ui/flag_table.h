#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "deft/base/result.h"

// Command lines in the words that scripts and SDKs use already: "--name value", "--name=value" (also an empty one),
// lists that go on until the next flag, values that may be left out.

namespace deft {

struct Flag {
  enum class Takes : std::uint8_t {
    nothing,
    value,
    optional_value,  // the next word, unless that is a flag
    list,            // all words up to the next flag, at least one
  };
  std::string_view names;  // "-r, --resume, …": it is known by the first long one
  Takes takes = Takes::nothing;
  std::string_view value = {};  // what the help calls it: "FILE"
  std::string_view help = {};   // empty: it is not shown
  std::string_view group = {};  // a heading of the help; empty: that of the flag before it
};

class FlagValues {
 public:
  bool has(std::string_view name) const { return values_.contains(name); }
  // The last one that was given; nothing: none was, or the flag stood alone.
  std::optional<std::string> value(std::string_view name) const;
  const std::vector<std::string>& all(std::string_view name) const;
  const std::vector<std::string>& words() const { return words_; }  // that belong to no flag

 private:
  friend Result<FlagValues> parse_flags(std::span<const Flag> table, std::span<const char* const> arguments);
  std::map<std::string, std::vector<std::string>, std::less<>> values_;
  std::vector<std::string> words_;
};

// `arguments`: without the program's name. "--" ends the flags. An error names the flag.
Result<FlagValues> parse_flags(std::span<const Flag> table, std::span<const char* const> arguments);

// The table for people, with its headings.
std::string flags_help(std::span<const Flag> table);

// "Read,Bash(git log:*) Edit" as one entry each: commas and blanks separate, except in parentheses.
std::vector<std::string> split_rules(std::string_view text);

}  // namespace deft
