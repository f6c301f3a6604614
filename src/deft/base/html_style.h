#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

// What a page's style keeps people from seeing, as far as that can be told without laying it out: by the attribute
// `style`, and by rules of its <style> elements that speak of an element alone (tag, .class, #id). Whoever hides a text
// from people may mean it for the one who reads it instead of them.

namespace deft {

inline constexpr std::size_t kStyleSheetBytesMax = std::size_t{1} << 20;  // of all sheets; the rest is not looked at
inline constexpr std::size_t kStyleRulesMax = 5'000;
// How often a rule is held against an element. On a page that needs more, what rules may be about counts as hidden.
inline constexpr std::size_t kStyleChecksMax = 3'000'000;

class HtmlStyles {
 public:
  // `media` is the attribute of the <style> element.
  void add_sheet(std::string_view css, std::string_view media);
  // By its own style, or by a rule.
  bool hides(std::string_view tag, std::string_view attributes) const;

 private:
  using Values = std::map<std::string, std::string>;  // of properties, both in lower case
  struct Rule {
    std::string tag;  // empty: any
    std::string id;
    std::vector<std::string> classes;
    std::uint32_t weight = 0;  // the heavier wins, then the later
    Values values;
    Values important;
  };

  void read_rules(std::string_view css, int depth);
  void read_rule(std::string_view selectors, std::string_view body);
  void add_rule(std::string_view selector, const Values& values, const Values& important);
  static bool fits(const Rule& rule, std::string_view tag, std::string_view id, std::string_view classes);

  std::size_t bytes_ = 0;
  mutable std::size_t checks_ = 0;
  std::vector<Rule> rules_;
  std::multimap<std::string, std::size_t, std::less<>> by_key_;  // "#id", ".class" or "tag" to rules
};

}  // namespace deft
