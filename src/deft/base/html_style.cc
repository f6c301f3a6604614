#include "deft/base/html_style.h"

#include <algorithm>
#include <charconv>
#include <optional>

#include "deft/base/html_tree.h"
#include "deft/base/text.h"
#include "deft/base/utf8.h"

namespace deft {
namespace {

constexpr std::string_view kSpace = " \t\r\n\f";
constexpr int kNestedRulesMax = 4;
constexpr double kFarPixels = 900;     // outside of what anybody's window shows
constexpr double kTinyFontPixels = 2;  // nobody reads it
constexpr double kPixelsOfEm = 16;
// All that has to do with whether an element is seen.
constexpr std::string_view kProperties =
    "display visibility content-visibility opacity font-size position left top right bottom text-indent clip clip-path "
    "width height max-width max-height overflow overflow-x overflow-y transform color background-color background "
    "background-clip -webkit-background-clip -webkit-text-fill-color animation animation-name transition margin-left "
    "margin-top";

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

std::string_view trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(kSpace);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kSpace) - first + 1);
}

// Comments are gone, escapes are the characters that they stand for, and everything is in lower case where `folds`.
std::string plain_css(std::string_view css, bool folds) {
  std::string out;
  for (std::size_t i = 0; i < css.size(); ++i) {
    if (css.substr(i).starts_with("/*")) {
      const std::size_t end = css.find("*/", i + 2);
      if (end == std::string_view::npos) break;
      i = end + 1;
    } else if (css[i] == '\\' && i + 1 < css.size()) {
      std::size_t digits = 0;
      std::uint32_t point = 0;
      while (digits < 6 && i + 1 + digits < css.size()) {
        const char c = lower(css[i + 1 + digits]);
        const bool is_digit = c >= '0' && c <= '9';
        if (!is_digit && !(c >= 'a' && c <= 'f')) break;
        point = point * 16 + static_cast<std::uint32_t>(is_digit ? c - '0' : c - 'a' + 10);
        ++digits;
      }
      if (digits == 0) {
        ++i;
        out += folds ? lower(css[i]) : css[i];
        continue;
      }
      i += digits;
      if (i + 1 < css.size() && kSpace.find(css[i + 1]) != std::string_view::npos) ++i;
      if (point < 0x80) {
        out += folds ? lower(static_cast<char>(point)) : static_cast<char>(point);
      } else {
        append_utf8(out, point);
      }
    } else {
      out += folds ? lower(css[i]) : css[i];
    }
  }
  return out;
}

// Where the next of `signs` is, outside of quotes and brackets.
std::size_t find_outside(std::string_view text, std::string_view signs, std::size_t from = 0) {
  int depth = 0;
  for (std::size_t i = from; i < text.size(); ++i) {
    const char c = text[i];
    if (depth == 0 && signs.find(c) != std::string_view::npos) return i;
    if (c == '"' || c == '\'') {
      i = text.find_first_of(c == '"' ? "\"\n" : "'\n", i + 1);  // one that is not ended ends with its line
      if (i == std::string_view::npos) return i;
    } else if (c == '(' || c == '[') {
      ++depth;
    } else if ((c == ')' || c == ']') && depth > 0) {
      --depth;
    }
  }
  return std::string_view::npos;
}

// Behind the '}' that belongs to the '{' before `from`.
std::size_t block_end(std::string_view text, std::size_t from) {
  for (int depth = 1; from < text.size();) {
    const std::size_t at = find_outside(text, "{}", from);
    if (at == std::string_view::npos) break;
    depth += text[at] == '{' ? 1 : -1;
    from = at + 1;
    if (depth == 0) return from;
  }
  return text.size() + 1;
}

void read_declarations(std::string_view body, std::map<std::string, std::string>& values,
                       std::map<std::string, std::string>& important) {
  while (!body.empty()) {
    const std::size_t end = std::min(find_outside(body, ";"), body.size());
    const std::string_view one = body.substr(0, end);
    body.remove_prefix(std::min(end + 1, body.size()));
    const std::size_t colon = one.find(':');
    if (colon == std::string_view::npos) continue;
    const std::string_view name = trimmed(one.substr(0, colon));
    std::string_view value = trimmed(one.substr(colon + 1));
    if (!is_among_words(name, kProperties) || value.empty()) continue;
    const std::size_t bang = value.find('!');
    const bool is_important = bang != std::string_view::npos && trimmed(value.substr(bang + 1)) == "important";
    if (bang != std::string_view::npos) value = trimmed(value.substr(0, bang));
    (is_important ? important : values)[std::string(name)] = std::string(value);
  }
}

// "-9999px", "0", "-100em", "50%"
struct Length {
  double number = 0;
  std::string_view unit;
  double pixels() const {
    if (unit == "em" || unit == "rem" || unit == "ex" || unit == "ch" || unit == "vw" || unit == "vh") {
      return number * kPixelsOfEm;
    }
    return unit == "%" ? number * 10 : number;  // of a window of 1,000 pixels
  }
};
std::optional<Length> length_in(std::string_view text) {
  if (text.starts_with('+')) text.remove_prefix(1);
  Length length;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), length.number);
  if (error != std::errc()) return std::nullopt;
  length.unit = text.substr(static_cast<std::size_t>(end - text.data()));
  if (length.unit.find_first_not_of("abcdefghijklmnopqrstuvwxyz%") != std::string_view::npos) return std::nullopt;
  return length;
}

// What holds for one element in the end.
class Look {
 public:
  explicit Look(const std::map<std::string, std::string>& values) : values_(values) {}

  bool is_hidden() const {
    if (is("display", "none") || is("visibility", "hidden") || is("visibility", "collapse") ||
        is("content-visibility", "hidden")) {
      return true;
    }
    return is_faint() || is_tiny() || is_far_away() || is_cut_away();
  }

 private:
  std::string_view value(std::string_view name) const {
    const auto found = values_.find(std::string(name));
    return found == values_.end() ? std::string_view() : found->second;
  }
  bool is(std::string_view name, std::string_view wanted) const { return value(name) == wanted; }
  std::optional<Length> length(std::string_view name) const { return length_in(value(name)); }
  bool is_at_most(std::string_view name, double pixels) const {
    const auto given = length(name);
    return given && given->unit != "%" && given->pixels() <= pixels;
  }

  bool is_faint() const {
    // What fades in is seen in the end.
    const bool moves = !value("animation").empty() || !value("animation-name").empty() || !value("transition").empty();
    if (const auto opacity = length("opacity"); opacity && opacity->number <= 0.01 && !moves) return true;
    const bool is_filled = is("background-clip", "text") || is("-webkit-background-clip", "text");
    if (is_filled) return false;
    const std::string_view color = value("color");
    if (color == "transparent" || is("-webkit-text-fill-color", "transparent")) return true;
    return !color.empty() && (color == value("background-color") || color == value("background"));
  }
  bool is_tiny() const {
    const auto size = length("font-size");
    return size && size->pixels() < kTinyFontPixels && size->number >= 0;
  }
  bool is_far_away() const {
    if (is_at_most("text-indent", -kFarPixels)) return true;
    const bool is_placed = is("position", "absolute") || is("position", "fixed") || is("position", "relative");
    for (const char* side : {"left", "top", "right", "bottom"}) {
      if (is_placed && is_at_most(side, -kFarPixels)) return true;
    }
    return is_at_most("margin-left", -kFarPixels) || is_at_most("margin-top", -kFarPixels);
  }
  bool is_cut_away() const {
    const std::string_view transform = value("transform");
    if (transform == "scale(0)" || transform == "scale(0,0)" || transform == "scale(0, 0)") return true;
    const std::string_view clip = value("clip");
    const bool is_placed = is("position", "absolute") || is("position", "fixed");
    if (is_placed && (clip.starts_with("rect(0") || clip.starts_with("rect(1px"))) return true;
    const std::string_view path = value("clip-path");
    if (path == "inset(50%)" || path == "inset(100%)" || path == "circle(0)" || path == "circle(0px)") return true;
    const bool is_closed = value("overflow").starts_with("hidden") || value("overflow").starts_with("clip") ||
                           is("overflow-x", "hidden") || is("overflow-y", "hidden");
    for (const char* side : {"width", "height", "max-width", "max-height"}) {
      if (is_closed && is_at_most(side, 1)) return true;
    }
    return false;
  }

  const std::map<std::string, std::string>& values_;
};

bool is_name_character(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '_' ||
         static_cast<unsigned char>(c) >= 0x80;
}

bool has_word(std::string_view words, std::string_view word) {
  while (!words.empty()) {
    const std::size_t begin = words.find_first_not_of(kSpace);
    if (begin == std::string_view::npos) return false;
    words.remove_prefix(begin);
    const std::size_t end = std::min(words.find_first_of(kSpace), words.size());
    if (words.substr(0, end) == word) return true;
    words.remove_prefix(end);
  }
  return false;
}

bool is_shown_on_screens(std::string_view media) {
  const std::string_view plain = trimmed(media);
  return plain.empty() || plain == "all" || plain == "screen" || plain == "screen, print" || plain == "only screen";
}

bool contains_in_any_case(std::string_view text, std::string_view word) {
  return !std::ranges::search(text, word, {}, lower).empty();
}

}  // namespace

void HtmlStyles::add_sheet(std::string_view css, std::string_view media) {
  if (!is_shown_on_screens(plain_css(media, true)) || bytes_ + css.size() > kStyleSheetBytesMax) return;
  bytes_ += css.size();
  read_rules(plain_css(css, false), 0);
}

void HtmlStyles::read_rules(std::string_view css, int depth) {
  while (!css.empty()) {
    const std::size_t at = find_outside(css, "{;");
    if (at == std::string_view::npos) return;
    std::string_view prelude = trimmed(css.substr(0, at));
    while (prelude.starts_with("<!--") || prelude.starts_with("-->")) {
      prelude = trimmed(prelude.substr(prelude.starts_with('<') ? 4 : 3));
    }
    if (css[at] == ';') {  // @import and the like
      css.remove_prefix(at + 1);
      continue;
    }
    const std::size_t end = block_end(css, at + 1);
    const std::string_view body = css.substr(at + 1, end - at - 2);
    css.remove_prefix(std::min(end, css.size()));
    if (!prelude.starts_with('@')) {
      read_rule(prelude, body);
      continue;
    }
    const std::string words = plain_css(prelude, true);
    const bool counts = words.starts_with("@layer") || words.starts_with("@supports") ||
                        (words.starts_with("@media") && is_shown_on_screens(std::string_view(words).substr(6)));
    if (counts && depth < kNestedRulesMax) read_rules(body, depth + 1);
  }
}

void HtmlStyles::read_rule(std::string_view selectors, std::string_view body) {
  Values values, important;
  std::string folded(body);
  std::ranges::transform(folded, folded.begin(), lower);
  read_declarations(folded, values, important);
  if (values.empty() && important.empty()) return;
  while (!selectors.empty()) {
    const std::size_t end = std::min(find_outside(selectors, ","), selectors.size());
    add_rule(trimmed(selectors.substr(0, end)), values, important);
    selectors.remove_prefix(std::min(end + 1, selectors.size()));
  }
}

// Only what speaks of an element alone: whether others stand around it, or where the mouse is, is not asked.
void HtmlStyles::add_rule(std::string_view selector, const Values& values, const Values& important) {
  if (rules_.size() >= kStyleRulesMax) return;
  Rule rule{.tag = {}, .id = {}, .classes = {}, .weight = 0, .values = values, .important = important};
  char kind = 't';
  while (!selector.empty()) {
    if (selector[0] == '.' || selector[0] == '#') {
      kind = selector[0];
      selector.remove_prefix(1);
    } else if (kind != 't' || !rule.tag.empty()) {
      return;
    }
    const auto end = static_cast<std::size_t>(std::ranges::find_if_not(selector, is_name_character) - selector.begin());
    if (end == 0) return;
    const std::string name(selector.substr(0, end));
    selector.remove_prefix(end);
    if (kind == '.') rule.classes.push_back(name);
    if (kind == '#') rule.id = name;
    if (kind == 't') {
      rule.tag = name;
      std::ranges::transform(rule.tag, rule.tag.begin(), lower);
    }
    rule.weight += kind == '#' ? 10'000U : kind == '.' ? 100U : 1U;
  }
  std::string key = rule.tag;
  if (!rule.classes.empty()) key = "." + rule.classes.front();
  if (!rule.id.empty()) key = "#" + rule.id;
  if (key.empty()) return;
  by_key_.emplace(std::move(key), rules_.size());
  rules_.push_back(std::move(rule));
}

bool HtmlStyles::fits(const Rule& rule, std::string_view tag, std::string_view id, std::string_view classes) {
  if (!rule.tag.empty() && rule.tag != tag) return false;
  if (!rule.id.empty() && rule.id != id) return false;
  return std::ranges::all_of(rule.classes, [&](const std::string& one) { return has_word(classes, one); });
}

bool HtmlStyles::hides(std::string_view tag, std::string_view attributes) const {
  const bool has_style = contains_in_any_case(attributes, "style");
  if (!has_style && rules_.empty()) return false;
  Values values, important, own, own_important;
  if (has_style) read_declarations(plain_css(html_attribute(attributes, "style"), true), own, own_important);
  if (!rules_.empty()) {
    std::vector<std::size_t> fitting;
    const std::string id = html_attribute(attributes, "id");
    const std::string classes = html_attribute(attributes, "class");
    const auto look_up = [&](const std::string& key) {
      const auto [first, last] = by_key_.equal_range(key);
      for (auto at = first; at != last && checks_ <= kStyleChecksMax; ++at) {
        ++checks_;
        if (fits(rules_[at->second], tag, id, classes)) fitting.push_back(at->second);
      }
    };
    look_up(std::string(tag));
    if (!id.empty()) look_up("#" + id);
    for (std::string_view rest = classes; !rest.empty();) {
      const std::size_t begin = rest.find_first_not_of(kSpace);
      if (begin == std::string_view::npos) break;
      rest.remove_prefix(begin);
      const std::size_t end = std::min(rest.find_first_of(kSpace), rest.size());
      look_up("." + std::string(rest.substr(0, end)));
      rest.remove_prefix(end);
    }
    if (checks_ > kStyleChecksMax) return !fitting.empty() || !id.empty() || !classes.empty();
    checks_ += 10 * fitting.size();
    std::ranges::sort(fitting, [&](std::size_t a, std::size_t b) {
      return std::pair(rules_[a].weight, a) < std::pair(rules_[b].weight, b);
    });
    for (const std::size_t one : fitting) {
      for (const auto& [name, value] : rules_[one].values) values[name] = value;
      for (const auto& [name, value] : rules_[one].important) important[name] = value;
    }
  }
  for (const Values* stronger : {&own, &important, &own_important}) {
    for (const auto& [name, value] : *stronger) values[name] = value;
  }
  return !values.empty() && Look(values).is_hidden();
}

}  // namespace deft
