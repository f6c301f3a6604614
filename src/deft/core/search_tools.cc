#include "deft/core/search_tools.h"

#include <algorithm>
#include <cctype>
#include <utility>

namespace deft {
namespace {

// A word in the name says more than one in the hint, and that more than one in the description; a whole word says more
// than a part of one.
constexpr int kWholeName = 100;
constexpr int kNameWord = 12;
constexpr int kNamePart = 6;
constexpr int kHintWord = 5;
constexpr int kHintPart = 2;
constexpr int kDescriptionWord = 3;
constexpr int kDescriptionPart = 1;
constexpr std::size_t kPartCharactersMin = 3;  // "a" is in everything

bool is_upper(char c) { return c >= 'A' && c <= 'Z'; }
bool is_word(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || static_cast<unsigned char>(c) >= 0x80;
}

std::string lower(std::string_view text) {
  std::string out(text);
  for (char& c : out) {
    if (is_upper(c)) c = static_cast<char>(c - 'A' + 'a');
  }
  return out;
}

// "mcp__slack__sendMessage" is mcp, slack, send, message.
std::vector<std::string> words_of(std::string_view text) {
  std::vector<std::string> words;
  std::string word;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool begins = is_upper(text[i]) && i > 0 && !is_upper(text[i - 1]);
    if ((begins || !is_word(text[i])) && !word.empty()) words.push_back(lower(std::exchange(word, {})));
    if (is_word(text[i])) word += text[i];
  }
  if (!word.empty()) words.push_back(lower(word));
  return words;
}

struct Field {
  std::vector<std::string> words;
  std::string text;  // lower case
  explicit Field(std::string_view from) : words(words_of(from)), text(lower(from)) {}
  int score(const std::string& wanted, int whole, int part) const {
    if (std::ranges::find(words, wanted) != words.end()) return whole;
    if (wanted.size() >= kPartCharactersMin && text.find(wanted) != std::string::npos) return part;
    return 0;
  }
};

// "pull-request" is in "create_pull_request" too: people separate words in more than one way.
bool is_in(const std::string& word, const Field& name) {
  if (name.text.find(word) != std::string::npos) return true;
  const auto parts = words_of(word);
  return parts.size() > 1 &&
         std::ranges::all_of(parts, [&](const std::string& part) { return name.text.find(part) != std::string::npos; });
}

int score(const ToolQuery& query, const SearchableTool& tool) {
  const Field name(tool.name);
  for (const std::string& word : query.required) {
    if (!is_in(word, name)) return 0;
  }
  const Field hint(tool.hint);
  const Field description(tool.description);
  const auto points = [&](const std::string& word) {
    return (name.text == word ? kWholeName : 0) + name.score(word, kNameWord, kNamePart) +
           hint.score(word, kHintWord, kHintPart) + description.score(word, kDescriptionWord, kDescriptionPart);
  };
  int sum = query.required.empty() ? 0 : 1;
  for (const std::string& word : query.words) {
    const int whole = points(word);
    sum += whole;
    if (whole > 0) continue;
    for (const std::string& part : words_of(word)) {
      const bool says_something = part != word && part != "mcp";  // which is in the name of every server's tool
      if (says_something) sum += points(part);
    }
  }
  return sum;
}

std::vector<std::string> split(std::string_view text, auto is_separator, std::size_t count_max) {
  std::vector<std::string> parts;
  std::string part;
  for (const char c : text) {
    if (!is_separator(c)) {
      part += c;
    } else if (!part.empty()) {
      parts.push_back(std::exchange(part, {}));
    }
  }
  if (!part.empty()) parts.push_back(std::move(part));
  if (parts.size() > count_max) parts.resize(count_max);
  return parts;
}

}  // namespace

ToolQuery parse_tool_query(std::string_view text) {
  ToolQuery query;
  constexpr std::string_view kSelect = "select:";
  const auto is_space = [](char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; };
  while (!text.empty() && is_space(text.front())) text.remove_prefix(1);
  if (lower(text.substr(0, kSelect.size())) == kSelect) {
    query.names =
        split(text.substr(kSelect.size()), [&](char c) { return c == ',' || is_space(c); }, kToolQueryNamesMax);
    return query;
  }
  for (const std::string& word : split(text, [&](char c) { return c == ',' || is_space(c); }, kToolQueryWordsMax)) {
    const bool is_required = word.size() > 1 && word.front() == '+';
    (is_required ? query.required : query.words).push_back(lower(is_required ? word.substr(1) : word));
  }
  return query;
}

std::vector<std::size_t> search_tools(const ToolQuery& query, std::span<const SearchableTool> tools,
                                      std::size_t count) {
  struct Scored {
    int score;
    std::size_t index;
  };
  std::vector<Scored> found;
  for (std::size_t i = 0; i < tools.size(); ++i) {
    if (const int points = score(query, tools[i]); points > 0) found.push_back({points, i});
  }
  std::ranges::sort(found, {}, [](const Scored& one) { return std::pair(-one.score, one.index); });
  std::vector<std::size_t> best;
  for (const Scored& one : found) {
    if (best.size() == count) break;
    best.push_back(one.index);
  }
  return best;
}

}  // namespace deft
