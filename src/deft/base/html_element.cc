#include "deft/base/html_element.h"

#include <algorithm>

#include "deft/base/html_tree.h"
#include "deft/base/text.h"

namespace deft {
namespace {

constexpr std::string_view kSpace = " \t\r\n\f";
constexpr std::string_view kLineNumbers = "linenos lineno gutter rouge-gutter hljs-ln-numbers line-numbers-rows";
constexpr std::string_view kLanguageCharacters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789+#-_.";

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

// `word` is in lower case.
bool contains_in_any_case(std::string_view text, std::string_view word) {
  return !std::ranges::search(text, word, {}, lower).empty();
}

bool shares_a_word(std::string_view text, std::string_view words) {
  while (!text.empty()) {
    const std::string_view word = text.substr(0, text.find(' '));
    if (!word.empty() && is_among_words(word, words)) return true;
    text.remove_prefix(std::min(word.size() + 1, text.size()));
  }
  return false;
}

bool is_line_number(std::string_view tag, std::string_view attributes) {
  if (tag != "td" && tag != "span" && tag != "pre" && tag != "div") return false;
  const auto has = [&](std::string_view sign) { return attributes.find(sign) != std::string_view::npos; };
  const bool may_be = has("lineno") || has("hljs-ln") || has("line-numbers-rows") || (tag == "td" && has("gutter"));
  return may_be && shares_a_word(html_attribute(attributes, "class"), kLineNumbers);
}

std::string language_at(std::string_view text) {
  text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
  const std::string_view word = text.substr(0, text.find_first_not_of(kLanguageCharacters));
  return is_among_words(word, "none text plain plaintext default") ? std::string() : std::string(word);
}

}  // namespace

bool is_hidden_element(std::string_view tag, std::string_view attributes) {
  if (attributes.find_first_not_of(kSpace) == std::string_view::npos) return tag == "dialog";
  bool is_there = false;
  if (contains_in_any_case(attributes, "hidden")) {
    const std::string value = html_attribute(attributes, "hidden", &is_there);
    if (is_there && value != "until-found") return true;
    if (html_attribute(attributes, "aria-hidden") == "true") return true;
  }
  if (tag == "dialog") {
    html_attribute(attributes, "open", &is_there);
    if (!is_there) return true;
  }
  return is_line_number(tag, attributes);
}

std::optional<std::string> code_language(std::string_view attributes) {
  const std::string classes = html_attribute(attributes, "class");
  for (const std::string_view sign : {"language-", "lang-", "highlight-source-", "highlight-", "brush:"}) {
    const std::size_t at = classes.find(sign);
    if (at != std::string::npos) return language_at(std::string_view(classes).substr(at + sign.size()));
  }
  for (const std::string_view name : {"data-lang", "data-language"}) {
    if (const std::string said = html_attribute(attributes, name); !said.empty()) return language_at(said);
  }
  return std::nullopt;
}

std::string link_target(std::string address) {
  int open = 0;
  bool is_balanced = true;
  for (const char c : address) {
    if (c == '(') ++open;
    if (c == ')' && --open < 0) is_balanced = false;
  }
  if (is_balanced && open == 0) return address;
  std::string out;
  for (const char c : address) {
    if (c == '(' || c == ')') {
      out += c == '(' ? "%28" : "%29";
    } else {
      out += c;
    }
  }
  return out;
}

}  // namespace deft
