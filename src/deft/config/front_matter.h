#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "deft/base/json.h"
#include "deft/base/result.h"
#include "deft/base/yaml.h"

// Markdown files with YAML front matter: agents, skills and commands. The front matter stands between two lines "---",
// the first of which is the first line of the file.
//
// Many such files were never read by a strict YAML parser: `description: Use this: it helps` and
// `argument-hint: [file] [lines]` are not YAML. So a front matter that YAML refuses is read once more, each of its
// entries by itself: an entry is a line that begins with `key:`, and the indented or empty lines after it. An entry
// that is YAML counts as that. One whose value begins on the key's own line counts as text, its lines joined by blanks;
// it is named in `taken_as_text`. Anything else stays the error that it was.

namespace deft {

inline constexpr YamlLimits kFrontMatterLimits{};
inline constexpr std::size_t kFrontMatterWordsMax = 1'000;

struct FrontMatter {
  JsonObject values;
  std::string body;           // what follows, as written
  std::size_t body_line = 1;  // of the file, from 1: where the body begins
  std::vector<std::string> taken_as_text{};
};

// A file without front matter is all body. One that begins and never ends, and one that cannot be read, is an error:
// what it would have forbidden is not known. The message begins with "line L, column C: ", seen in the file.
Result<FrontMatter> read_front_matter(std::string_view text);

// What stands under a key, read as people write it; nothing: it is not there, or null. The error names the key.

// Also yes, no, on, off, 1 and 0, however capitalised, quoted or not.
Result<std::optional<bool>> bool_field(const JsonObject& values, std::string_view key);
// Also a number or a truth value, as its text. Never a list.
Result<std::optional<std::string>> text_field(const JsonObject& values, std::string_view key);

enum class Separators : std::uint8_t { commas_and_blanks, commas };
// A list, or one text with separators: "Read, Bash(git add *) Grep". What stands in parentheses or braces stays
// together; an element of a list is one word whatever it holds. Empty ones are left out.
Result<std::optional<std::vector<std::string>>> words_field(const JsonObject& values, std::string_view key,
                                                            Separators separators = Separators::commas_and_blanks);

}  // namespace deft
