#include "deft/base/html_tree.h"

#include <algorithm>
#include <string>
#include <unordered_map>
#include <utility>

#include "deft/base/html_entities.h"
#include "deft/base/text.h"

namespace deft {
namespace {

constexpr std::size_t kTagNameBytesMax = 16;

constexpr std::string_view kVoid = "area base br col embed hr img input link meta param source track wbr";
constexpr std::string_view kRawText = "script style xmp iframe noembed noframes textarea title";
// These end a paragraph that is open.
constexpr std::string_view kEndsParagraph =
    "address article aside blockquote center details dialog dir div dl fieldset figcaption figure footer form h1 h2 h3 "
    "h4 "
    "h5 h6 header hgroup hr main menu nav ol p pre search section summary table ul li dt dd";
constexpr std::string_view kHeadings = "h1 h2 h3 h4 h5 h6";
constexpr std::string_view kFormatting = "a b big code em font i nobr s small strike strong tt u";
// An end tag of something else does not reach across these.
constexpr std::string_view kBoundaries = "table td th caption button object template";
constexpr std::string_view kSpecial =
    "address article aside blockquote body center details div dl dd dt fieldset figure footer form header li main nav "
    "ol p "
    "pre section table tbody td tfoot th thead tr ul h1 h2 h3 h4 h5 h6";

// These stand in no drawing and no formula: one that is still open was forgotten there.
constexpr std::string_view kEndsForeign =
    "b big blockquote br center code dd div dl dt em embed h1 h2 h3 h4 h5 h6 hr i img li listing menu meta nobr ol p "
    "pre ruby s small span strong strike sub sup table tt u ul var";
constexpr std::string_view kTableParts = "table tbody thead tfoot tr";

bool is_space(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f'; }
bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

// Where the attributes of a tag end, as the standard reads them.
struct TagEnd {
  std::size_t at = std::string_view::npos;  // of the '>'; none: the document ends before
  bool closes_itself = false;               // "/>", where the slash belongs to no value
};
TagEnd tag_end(std::string_view text) {
  enum class In : std::uint8_t { gap, name, after_name, before_value, value } in = In::gap;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '>') return {i, i > 0 && text[i - 1] == '/' && in == In::gap};
    if (is_space(c)) {
      if (in == In::name) in = In::after_name;
      if (in == In::value) in = In::gap;
    } else if (in == In::value) {
      continue;
    } else if (in == In::before_value) {
      in = In::value;
      if (c != '"' && c != '\'') continue;
      i = text.find(c, i + 1);
      if (i == std::string_view::npos) return {};
      in = In::gap;
    } else if (c == '/') {
      in = In::gap;
    } else if (c == '=' && in != In::gap) {
      in = In::before_value;
    } else {
      in = In::name;
    }
  }
  return {};
}

// What a tag is, worked out once.
enum Kind : std::uint16_t {
  kIsVoid = 1,
  kIsRawText = 2,
  kIsParagraphEnd = 4,
  kIsHeading = 8,
  kIsFormatting = 16,
  kIsBoundary = 32,
  kIsSpecial = 64,
  kIsCell = 128,
  kIsForeignEnd = 256,
};

std::uint16_t kinds_of(std::string_view tag) {
  unsigned kinds = 0;
  if (is_among_words(tag, kVoid)) kinds |= kIsVoid;
  if (is_among_words(tag, kRawText)) kinds |= kIsRawText;
  if (is_among_words(tag, kEndsParagraph)) kinds |= kIsParagraphEnd;
  if (is_among_words(tag, kHeadings)) kinds |= kIsHeading;
  if (is_among_words(tag, kFormatting)) kinds |= kIsFormatting;
  if (is_among_words(tag, kBoundaries)) kinds |= kIsBoundary;
  if (is_among_words(tag, kSpecial)) kinds |= kIsSpecial;
  if (is_among_words(tag, "td th tr tbody thead tfoot")) kinds |= kIsCell;
  if (is_among_words(tag, kEndsForeign)) kinds |= kIsForeignEnd;
  return static_cast<std::uint16_t>(kinds);
}

using TagName = std::pair<const std::string_view, std::uint16_t>;

constexpr std::string_view kKnown =
    "a abbr acronym address annotation annotation-xml area article aside audio b base bdi bdo big blockquote body br "
    "button "
    "canvas caption center cite code col colgroup data datalist dd del details dfn dialog dir div dl dt em embed "
    "fieldset "
    "figcaption figure font footer foreignobject form frame frameset h1 h2 h3 h4 h5 h6 head header hgroup hr html i "
    "iframe img input "
    "ins "
    "kbd label legend li link listing main map mark math menu meta meter nav nobr noembed noframes noscript object ol "
    "optgroup option output p param path picture plaintext pre progress q rb rp rt rtc ruby s samp script search "
    "section "
    "select slot small source span strike strong style sub summary sup svg table tbody td template textarea tfoot th "
    "thead "
    "time title tr track tt u ul var video wbr xmp unknown";

// A tag by its name in any case. Whatever is no tag of HTML is "unknown": a page cannot make us remember its own.
const TagName& known_tag(std::string_view name) {
  static const std::unordered_map<std::string_view, std::uint16_t> tags = [] {
    std::unordered_map<std::string_view, std::uint16_t> made;
    for (std::string_view rest = kKnown; !rest.empty();) {
      const std::string_view word = rest.substr(0, rest.find(' '));
      rest.remove_prefix(std::min(word.size() + 1, rest.size()));
      made.emplace(word, kinds_of(word));
    }
    return made;
  }();
  char small[kTagNameBytesMax];
  const std::size_t length = std::min(name.size(), kTagNameBytesMax);
  std::transform(name.begin(), name.begin() + static_cast<std::ptrdiff_t>(length), small, lower);
  const auto known = tags.find(std::string_view(small, length));
  return known != tags.end() ? *known : *tags.find("unknown");
}

}  // namespace

HtmlTree::HtmlTree(std::string_view document) : rest_(document) {
  nodes_.reserve(document.size() / 40 + 16);
  nodes_.push_back({.tag = "#root"});
  open_.push_back(kRoot);
  while (!rest_.empty() && !is_cut_) {
    const std::size_t plain = std::min(rest_.find('<'), rest_.size());
    add_text(rest_.substr(0, plain), false);
    rest_.remove_prefix(plain);
    if (!rest_.empty()) read_markup();
  }
}

void HtmlTree::read_markup() {
  const char next = rest_.size() > 1 ? rest_[1] : '\0';
  if (is_letter(next)) return read_start_tag();
  if (next == '/') return read_end_tag();
  if (rest_.starts_with("<!--")) {
    // "<!-->" and "<!--->" are whole.
    if (rest_.starts_with("<!-->") || rest_.starts_with("<!--->")) return skip_to(">");
    rest_.remove_prefix(4);
    return skip_comment();
  }
  if (rest_.starts_with("<![CDATA[") && is_in_foreign()) {
    const std::size_t end = std::min(rest_.find("]]>"), rest_.size());
    add_text(rest_.substr(9, std::max<std::size_t>(end, 9) - 9), true);
    return skip_to("]]>");
  }
  if (next == '!' || next == '?') return skip_to(">");
  add_text(rest_.substr(0, 1), false);
  rest_.remove_prefix(1);
}

void HtmlTree::skip_to(std::string_view end) {
  const std::size_t at = rest_.find(end);
  rest_.remove_prefix(at == std::string_view::npos ? rest_.size() : at + end.size());
}

// It ends at "-->", and at "--!>" too.
void HtmlTree::skip_comment() {
  for (std::size_t at = 0; (at = rest_.find("--", at)) != std::string_view::npos; ++at) {
    const std::string_view end = rest_.substr(at + 2);
    if (!end.starts_with('>') && !end.starts_with("!>")) continue;
    rest_.remove_prefix(at);
    return skip_to(">");
  }
  rest_ = {};
}

void HtmlTree::read_start_tag() {
  std::size_t end = 1;
  while (end < rest_.size() && !is_space(rest_[end]) && rest_[end] != '/' && rest_[end] != '>') ++end;
  const auto& [tag, kinds] = known_tag(rest_.substr(1, end - 1));
  rest_.remove_prefix(end);
  const auto [close_at, closes_itself] = tag_end(rest_);
  if (close_at == std::string_view::npos) {  // the document ends inside the tag
    rest_ = {};
    return;
  }
  const std::string_view attributes = rest_.substr(0, closes_itself ? close_at - 1 : close_at);
  rest_.remove_prefix(close_at + 1);
  if (tag == "html" || tag == "head" || tag == "body") return;
  if (is_in_select() && is_lost_in_select(tag)) return;
  if ((kinds & kIsForeignEnd) && is_in_foreign()) leave_foreign();
  const bool is_whole = closes_itself && (tag == "svg" || tag == "math" || is_in_foreign());
  const bool is_raw = (kinds & kIsRawText) && !is_whole && !is_in_drawing();
  open(tag, kinds, attributes, (kinds & kIsVoid) || is_whole);
  if (is_raw) return read_raw_text(tag, kinds);
  if (tag == "plaintext") {
    add_text(rest_, true);
    rest_ = {};
  }
}

namespace {

// Does `text`, behind a "<" or "</", begin with this tag and no longer name?
bool begins_tag(std::string_view text, std::string_view tag) {
  const bool same = std::ranges::equal(text.substr(0, tag.size()), tag, [](char a, char b) { return lower(a) == b; });
  if (!same || text.size() < tag.size()) return false;
  return text.size() == tag.size() || is_space(text[tag.size()]) || text[tag.size()] == '/' || text[tag.size()] == '>';
}

// Where the end tag of a raw text is. In a script, one that stands in a comment behind a start tag belongs to that: so
// scripts were hidden from browsers that knew none, and so it still is.
std::size_t raw_text_end(std::string_view text, std::string_view tag) {
  const bool is_script = tag == "script";
  bool in_comment = false;
  bool is_nested = false;
  for (std::size_t at = 0; at < text.size(); ++at) {
    at = is_script ? text.find_first_of("<-", at) : text.find("</", at);
    if (at == std::string_view::npos) break;
    const std::string_view rest = text.substr(at);
    if (rest.starts_with("</") && begins_tag(rest.substr(2), tag)) {
      if (!is_nested) return at;
      is_nested = false;
    } else if (is_script && !in_comment && rest.starts_with("<!--")) {
      in_comment = true;
      at += 1;  // "<!-->" ends it again
    } else if (in_comment && rest.starts_with("-->")) {
      in_comment = is_nested = false;
    } else if (in_comment && rest.starts_with('<') && begins_tag(rest.substr(1), tag)) {
      is_nested = true;
    }
  }
  return text.size();
}

}  // namespace

void HtmlTree::read_raw_text(std::string_view tag, std::uint16_t kinds) {
  const std::size_t length = raw_text_end(rest_, tag);
  add_text(rest_.substr(0, length), tag != "title" && tag != "textarea");
  rest_.remove_prefix(length);
  if (!rest_.empty()) skip_to(">");
  close(tag, kinds);
}

void HtmlTree::read_end_tag() {
  if (rest_.size() < 3 || !is_letter(rest_[2])) return skip_to(">");
  std::size_t end = 2;
  while (end < rest_.size() && !is_space(rest_[end]) && rest_[end] != '/' && rest_[end] != '>') ++end;
  const auto& [tag, kinds] = known_tag(rest_.substr(2, end - 2));
  rest_.remove_prefix(end);
  const TagEnd tail = tag_end(rest_);
  rest_.remove_prefix(tail.at == std::string_view::npos ? rest_.size() : tail.at + 1);
  if (tail.at == std::string_view::npos) return;
  if (is_in_select()) return close_in_select(tag);
  if (tag == "br") return open(tag, kinds, {}, true);
  close(tag, kinds);
}

void HtmlTree::add_text(std::string_view text, bool is_raw) {
  if (text.empty()) return;
  const std::uint32_t node = add_node({}, 0, text);
  if (node != 0) nodes_[node].is_raw = is_raw;
}

std::uint32_t HtmlTree::add_node(std::string_view tag, std::uint16_t kinds, std::string_view text) {
  if (nodes_.size() >= kHtmlNodesMax) {
    is_cut_ = true;
    return 0;
  }
  const auto node = static_cast<std::uint32_t>(nodes_.size());
  const std::uint32_t parent = open_.back();
  nodes_.push_back({.tag = tag, .text = text, .kinds = kinds, .parent = parent});
  HtmlNode& above = nodes_[parent];
  if (above.last_child != 0) {
    nodes_[above.last_child].next = node;
  } else {
    above.first_child = node;
  }
  above.last_child = node;
  return node;
}

void HtmlTree::open(std::string_view tag, std::uint16_t kinds, std::string_view attributes, bool is_void) {
  close_implied(tag, kinds);
  // A form around rows of a table ends before it begins.
  if (tag == "form" && is_among_words(nodes_[open_.back()].tag, kTableParts)) is_void = true;
  const std::uint32_t node = add_node(tag, kinds, attributes);
  if (node == 0 || is_void || open_.size() >= kHtmlDepthMax) return;
  if ((tag == "svg" || tag == "math") && !is_in_foreign()) foreign_ = open_.size();
  if (tag == "select" && !is_in_drawing()) select_ = open_.size();
  open_.push_back(node);
}

bool HtmlTree::is_in_foreign() const {
  if (foreign_ == 0 || foreign_ >= open_.size()) return false;
  const std::string_view tag = nodes_[open_[foreign_]].tag;
  return tag == "svg" || tag == "math";
}

// Not in a part of it that holds HTML again.
bool HtmlTree::is_in_drawing() const {
  if (!is_in_foreign()) return false;
  for (std::size_t i = open_.size(); i-- > foreign_;) {
    const std::string_view tag = nodes_[open_[i]].tag;
    if (tag == "foreignobject" || tag == "annotation-xml") return false;
  }
  return true;
}

bool HtmlTree::is_in_select() const {
  return select_ != 0 && select_ < open_.size() && nodes_[open_[select_]].tag == "select";
}

// A choice holds options, and no other element: of those that stand there the text counts, or they end it.
bool HtmlTree::is_lost_in_select(std::string_view tag) {
  if (is_among_words(tag, "option optgroup hr script template style")) return false;
  const bool ends_it = is_among_words(tag, "select input textarea") ||
                       (is_among_words(tag, "caption table tbody tfoot thead tr td th") && is_in_table());
  if (!ends_it) return true;
  open_.resize(select_);
  return tag == "select";
}

void HtmlTree::close_in_select(std::string_view tag) {
  if (tag == "select") return open_.resize(select_);
  if (tag == "option" || tag == "optgroup" || tag == "template") {
    for (std::size_t i = open_.size(); i-- > select_ + 1;) {
      if (nodes_[open_[i]].tag == tag) return open_.resize(i);
    }
    return;
  }
  if (!is_among_words(tag, "caption table tbody tfoot thead tr td th") || !is_in_table()) return;
  open_.resize(select_);
  close(tag, known_tag(tag).second);
}

bool HtmlTree::is_in_table() const {
  return std::ranges::any_of(open_, [&](std::uint32_t node) { return nodes_[node].tag == "table"; });
}

void HtmlTree::leave_foreign() {
  for (std::size_t i = foreign_; i < open_.size(); ++i) {
    const std::string_view tag = nodes_[open_[i]].tag;
    if (tag == "foreignobject" || tag == "annotation-xml") return;  // HTML may stand there
  }
  open_.resize(foreign_);
}

// Ends whatever is open inside the nearest of `tags`.
void HtmlTree::close_inside(std::string_view tags) {
  for (std::size_t i = open_.size(); i-- > 1;) {
    if (is_among_words(nodes_[open_[i]].tag, tags)) return open_.resize(i + 1);
  }
}

// Ends the nearest of `tags`, unless one of `boundaries` is nearer.
bool HtmlTree::close_up_to(std::string_view tags, std::string_view boundaries) {
  for (std::size_t i = open_.size(); i-- > 1;) {
    const std::string_view tag = nodes_[open_[i]].tag;
    if (is_among_words(tag, tags)) {
      open_.resize(i);
      return true;
    }
    if (is_among_words(tag, boundaries)) return false;
  }
  return false;
}

void HtmlTree::close_paragraph() {
  for (std::size_t i = open_.size(); i-- > 1;) {
    const HtmlNode& node = nodes_[open_[i]];
    if (node.tag == "p") return open_.resize(i);
    if (node.kinds & kIsBoundary) return;
  }
}

void HtmlTree::close_implied(std::string_view tag, std::uint16_t kinds) {
  if (is_in_drawing()) return;  // there it is only a name
  if (tag == "li") {
    close_up_to("li", "ul ol menu dir table td th caption");
  } else if (tag == "dt" || tag == "dd") {
    close_up_to("dt dd", "dl table td th caption");
  } else if (tag == "td" || tag == "th") {
    close_inside("tr table tbody thead tfoot");
    const std::string_view around = nodes_[open_.back()].tag;
    if (around != "tr" && is_among_words(around, kTableParts)) {
      const auto& [row, row_kinds] = known_tag("tr");
      open(row, row_kinds, {}, false);
    }
  } else if (tag == "tr") {
    close_inside("table tbody thead tfoot");
  } else if (tag == "tbody" || tag == "thead" || tag == "tfoot" || tag == "caption" || tag == "colgroup") {
    close_inside("table");
  } else if (tag == "option") {
    close_up_to("option", "select table");
  } else if (tag == "a") {
    close_up_to("a", "table td th caption div p li");
  } else if ((kinds & kIsHeading) && (nodes_[open_.back()].kinds & kIsHeading)) {
    open_.pop_back();
  }
  if (kinds & kIsParagraphEnd) close_paragraph();
}

void HtmlTree::close(std::string_view tag, std::uint16_t kinds) {
  const bool is_formatting = kinds & kIsFormatting;
  bool across = false;  // a block that began inside is still open
  for (std::size_t i = open_.size(); i-- > 1;) {
    const HtmlNode& other = nodes_[open_[i]];
    if (other.tag == tag || (kinds & other.kinds & kIsHeading)) {
      // Formatting that ends inside a block that began in it: only itself ends.
      if (is_formatting && across) {
        open_.erase(open_.begin() + static_cast<std::ptrdiff_t>(i));
      } else {
        open_.resize(i);
      }
      return;
    }
    across = across || (other.kinds & kIsSpecial);
    // The end of something that is not open, or not open here, ends nothing.
    if (other.tag == "table" && tag != "table" && !is_formatting) return;
    if (!(kinds & kIsCell) && tag != "table" && (other.tag == "td" || other.tag == "th")) return;
    if (!is_formatting && !(kinds & kIsSpecial) && (other.kinds & kIsSpecial)) return;
  }
  if (tag == "p") open(tag, kinds, {}, true);  // the end of a paragraph that is none begins one
}

std::string html_attribute(std::string_view attributes, std::string_view name, bool* found) {
  if (found) *found = false;
  std::size_t at = 0;
  while (at < attributes.size()) {
    while (at < attributes.size() && (is_space(attributes[at]) || attributes[at] == '/')) ++at;
    const std::size_t begin = at;
    while (at < attributes.size() && !is_space(attributes[at]) && attributes[at] != '=' && attributes[at] != '/') ++at;
    if (at == begin) {  // a '=' without a name
      ++at;
      continue;
    }
    const std::string_view key = attributes.substr(begin, at - begin);
    while (at < attributes.size() && is_space(attributes[at])) ++at;
    std::string_view value;
    if (at < attributes.size() && attributes[at] == '=') {
      ++at;
      while (at < attributes.size() && is_space(attributes[at])) ++at;
      if (at < attributes.size() && (attributes[at] == '"' || attributes[at] == '\'')) {
        const char quote = attributes[at++];
        const std::size_t end = std::min(attributes.find(quote, at), attributes.size());
        value = attributes.substr(at, end - at);
        at = std::min(end + 1, attributes.size());
      } else {
        const std::size_t start = at;
        while (at < attributes.size() && !is_space(attributes[at])) ++at;
        value = attributes.substr(start, at - start);
      }
    }
    const bool same = std::ranges::equal(key, name, [](char a, char b) { return lower(a) == b; });
    if (!same) continue;
    if (found) *found = true;
    return decode_html(value, true);
  }
  return {};
}

}  // namespace deft
