#include "deft/base/html_markdown.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "deft/base/html_element.h"
#include "deft/base/html_entities.h"
#include "deft/base/html_style.h"
#include "deft/base/html_tree.h"
#include "deft/base/markdown_text.h"
#include "deft/base/text.h"
#include "deft/base/utf8.h"
#include "deft/base/visible_text.h"

namespace deft {
namespace {

constexpr std::size_t kNestedPrefixesMax = 24;  // quotes and lists; what is deeper is not indented any more
constexpr std::size_t kTableColumnsMax = 100;
constexpr std::size_t kHeadingBytesMax = 300;   // what is longer and holds blocks is no heading
constexpr std::size_t kMainTextBytesMin = 250;  // a main part with less is none

constexpr std::string_view kUnseen =
    "script style template svg iframe object embed canvas audio video noembed noframes select textarea head "
    "title "
    "link meta base param source track map area datalist rp annotation annotation-xml";
constexpr std::string_view kBlocks =
    "address article aside blockquote center details dialog dir div dl dt dd fieldset figcaption figure footer form h1 "
    "h2 h3 "
    "h4 h5 h6 header hgroup hr li main menu nav ol p pre search section summary table tbody thead tfoot tr td th "
    "caption ul "
    "legend optgroup option plaintext xmp listing";

bool is_blank_text(std::string_view text) { return text.find_first_not_of(" \t\r\n\f") == std::string_view::npos; }

// A blank that does not break is a blank.
std::string with_plain_blanks(std::string text) {
  constexpr std::string_view kFirm = "\xC2\xA0";
  if (text.find(kFirm) == std::string::npos) return text;
  std::string out;
  for (std::string_view rest = text; !rest.empty();) {
    const std::size_t at = std::min(rest.find(kFirm), rest.size());
    out += rest.substr(0, at);
    rest.remove_prefix(at);
    if (rest.empty()) break;
    out += ' ';
    rest.remove_prefix(kFirm.size());
  }
  return out;
}

int to_number(const std::string& text, int otherwise) {
  int number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() ? number : otherwise;
}

class MarkdownWriter {
 public:
  MarkdownWriter(const HtmlTree& tree, const WebUrl& page) : tree_(tree), page_(page), traits_(tree.size()) {
    std::unordered_map<const char*, std::uint8_t> of_tag;            // names are the same few texts again and again
    for (Node node = static_cast<Node>(tree.size()); node-- > 1;) {  // what is inside comes before what holds it
      const std::string_view name = tag(node);
      if (name.empty()) continue;
      const auto [known, is_new] = of_tag.try_emplace(name.data());
      if (is_new && is_among_words(name, kBlocks)) known->second |= kIsBlock;
      if (is_new && is_among_words(name, kUnseen)) known->second |= kIsUnseen;
      traits_[node] |= known->second;
      std::uint8_t& above = traits_[tree[node].parent];
      above |= static_cast<std::uint8_t>(traits_[node] & (kHasBlock | kHasTable | kHasCode));
      if (traits_[node] & kIsBlock) above |= kHasBlock;
      if (name == "table") above |= kHasTable;
      if (name == "pre") above |= kHasCode;
    }
    for (Node node = 1; node < tree.size(); ++node) {
      const Node text = tag(node) == "style" ? tree[node].first_child : 0;
      if (text != 0 && is_text(text)) styles_.add_sheet(tree[text].text, attribute(node, "media"));
    }
  }

  MarkdownPage write() {
    MarkdownPage page{.is_cut = tree_.is_cut()};
    const std::uint32_t main = find_head_and_main(page.title);
    std::vector<MarkdownBlock> blocks = blocks_of(main);
    page.text = joined_blocks(blocks, false);
    if (page.text.size() > kMarkdownBytesMax) {
      page.text.resize(utf8_prefix(page.text, kMarkdownBytesMax).size());
      page.is_cut = true;
    }
    return page;
  }

 private:
  using Node = std::uint32_t;
  enum Trait : std::uint8_t { kIsBlock = 1, kIsUnseen = 2, kHasBlock = 4, kHasTable = 8, kHasCode = 16 };
  bool has(Node node, Trait trait) const { return (traits_[node] & trait) != 0; }

  template <class Visit>
  void for_children(Node node, Visit visit) {
    for (Node child = tree_[node].first_child; child != 0; child = tree_[child].next) visit(child);
  }
  bool is_text(Node node) const { return tree_[node].tag.empty(); }
  std::string_view tag(Node node) const { return tree_[node].tag; }
  std::string attribute(Node node, std::string_view name) const { return html_attribute(tree_[node].text, name); }
  std::string text_of(Node node) const {
    const HtmlNode& text = tree_[node];
    return visible_text(with_plain_blanks(text.is_raw ? std::string(text.text) : decode_html(text.text)));
  }

  // One pass over all nodes: the title, the base of links, and the main part if there is just one.
  Node find_head_and_main(std::string& title) {
    Node main = HtmlTree::kRoot;
    std::size_t mains = 0;
    for (Node node = 1; node < tree_.size(); ++node) {
      const std::string_view name = tag(node);
      if (name == "title" && title.empty() && tree_[node].first_child != 0 && is_seen_around(node)) {
        FlowingText flowing;
        flowing.add(text_of(tree_[node].first_child));
        title = flowing.take();
      } else if (name == "base" && !base_) {
        base_ = parse_web_url(resolve_link(page_, attribute(node, "href")));
      } else if (name == "main" || (!name.empty() && tree_[node].text.find("main") != std::string_view::npos &&
                                    attribute(node, "role") == "main")) {
        main = node;
        ++mains;
      }
    }
    const bool is_one = mains == 1 && is_seen_around(main) && has_text(main, kMainTextBytesMin);
    return is_one ? main : HtmlTree::kRoot;
  }
  // Nothing that holds it is hidden.
  bool is_seen_around(Node node) const {
    for (Node around = tree_[node].parent; around != HtmlTree::kRoot; around = tree_[around].parent) {
      if (is_unseen(around)) return false;
    }
    return true;
  }
  bool has_text(Node node, std::size_t least) {
    std::size_t bytes = 0;
    std::vector<Node> left{node};
    while (!left.empty() && bytes < least) {
      const Node next = left.back();
      left.pop_back();
      if (is_text(next) && !is_blank_text(tree_[next].text)) bytes += tree_[next].text.size();
      if (!is_unseen(next)) for_children(next, [&](Node child) { left.push_back(child); });
    }
    return bytes >= least;
  }

  bool is_unseen(Node node) const {
    if (is_text(node)) return false;
    if (has(node, kIsUnseen)) return true;
    if (tag(node) == "button" && !is_button_with_content(node)) return true;
    return is_hidden_element(tag(node), tree_[node].text) || styles_.hides(tag(node), tree_[node].text);
  }
  // Buttons are for those who click, but for the headings of parts that open.
  bool is_button_with_content(Node node) const {
    const std::string_view around = tag(tree_[node].parent);
    return has(node, kHasBlock) || around == "summary" || around == "dt" ||
           (around.size() == 2 && around[0] == 'h' && around[1] >= '1' && around[1] <= '6');
  }
  // --- blocks ---

  std::vector<MarkdownBlock> blocks_of(Node node) {
    std::vector<MarkdownBlock> outer = std::exchange(blocks_, {});
    FlowingText paragraph = std::exchange(paragraph_, {});
    add_children(node);
    end_paragraph();
    std::vector<MarkdownBlock> inner = std::exchange(blocks_, std::move(outer));
    paragraph_ = std::move(paragraph);
    return inner;
  }

  void end_paragraph() {
    std::string text = paragraph_.take();
    if (text.empty()) return;
    if (!block_link_.empty()) text = "[" + text + "](" + std::exchange(block_link_, {}) + ")";
    add_block(escaped_start(std::move(text)));
  }
  void add_block(std::string text, bool is_list = false) {
    if (!text.empty()) blocks_.push_back({std::move(text), is_list});
  }

  void add_children(Node node) {
    for_children(node, [&](Node child) { add(child); });
  }

  void add(Node node) {
    if (is_text(node)) return paragraph_.add(text_of(node));
    if (is_unseen(node)) return;
    if (has(node, kIsBlock)) return add_block_element(node);
    add_inline(node);
  }

  void add_block_element(Node node) {
    end_paragraph();
    const std::string_view name = tag(node);
    if (name.size() == 2 && name[0] == 'h' && name[1] >= '1' && name[1] <= '6') {
      add_heading(node, static_cast<std::size_t>(name[1] - '0'));
    } else if (name == "hr") {
      add_block("---");
    } else if (name == "pre" || name == "xmp" || name == "listing" || name == "plaintext") {
      add_code_block(node);
    } else if (name == "blockquote") {
      add_prefixed(node, "> ", "> ");
    } else if (name == "ul" || name == "ol" || name == "menu" || name == "dir") {
      add_list(node);
    } else if (name == "table") {
      add_table(node);
    } else if (name == "dt") {
      add_prefixed(node, "", "");
    } else if (name == "dd") {
      add_prefixed(node, ": ", "  ");
    } else if (name == "li") {
      add_prefixed(node, "- ", "  ");
    } else {
      add_children(node);
    }
    end_paragraph();
  }

  void add_heading(Node node, std::size_t level) {
    const std::string marks = std::string(level, '#') + " ";
    if (!has(node, kHasBlock)) {
      const std::string text = inline_text(node);
      if (!text.empty()) add_block(marks + text);
      return;
    }
    // One that was never ended holds the rest of the page.
    std::vector<MarkdownBlock> inner = blocks_of(node);
    const std::string text = in_one_line(joined_blocks(inner, true));
    if (text.empty()) return;
    if (text.size() <= kHeadingBytesMax) return add_block(marks + text);
    const bool begins_plainly = !inner.front().is_list && inner.front().text.find('\n') == std::string::npos;
    if (begins_plainly) inner.front().text.insert(0, marks);
    for (MarkdownBlock& block : inner) blocks_.push_back(std::move(block));
  }

  void add_prefixed(Node node, std::string_view first, std::string_view rest) {
    if (depth_ >= kNestedPrefixesMax) return add_children(node);
    ++depth_;
    const std::string text = joined_blocks(blocks_of(node), false);
    --depth_;
    if (!text.empty()) add_block(with_prefix(text, first, rest));
  }

  void add_list(Node node) {
    if (depth_ >= kNestedPrefixesMax) return add_children(node);
    const bool ordered = tag(node) == "ol";
    int number = ordered ? to_number(attribute(node, "start"), 1) : 0;
    std::string out;
    ++depth_;
    for_children(node, [&](Node child) {
      if (is_text(child) ? is_blank_text(tree_[child].text) : is_unseen(child)) return;
      const bool is_item = tag(child) == "li";
      // What stands between items belongs to the list all the same.
      std::vector<MarkdownBlock> blocks = is_item ? blocks_of(child) : blocks_of_one(child);
      const std::string text = joined_blocks(blocks, true);
      if (text.empty()) return;
      if (!out.empty()) out += '\n';
      if (!is_item && blocks.front().is_list) {
        out += with_prefix(text, "  ", "  ");
        return;
      }
      if (ordered && is_item) number = to_number(attribute(child, "value"), number);
      const std::string marker = ordered ? std::to_string(number++) + ". " : "- ";
      out += with_prefix(text, marker, std::string(marker.size(), ' '));
    });
    --depth_;
    add_block(std::move(out), true);
  }
  std::vector<MarkdownBlock> blocks_of_one(Node node) {
    std::vector<MarkdownBlock> outer = std::exchange(blocks_, {});
    FlowingText paragraph = std::exchange(paragraph_, {});
    add(node);
    end_paragraph();
    std::vector<MarkdownBlock> inner = std::exchange(blocks_, std::move(outer));
    paragraph_ = std::move(paragraph);
    return inner;
  }

  void add_code_block(Node node) {
    std::string text;
    append_exact_text(node, text);
    if (text.starts_with('\n')) text.erase(0, 1);
    while (!text.empty() && (text.back() == '\n' || text.back() == ' ' || text.back() == '\r')) text.pop_back();
    if (text.empty()) return;
    const std::string fence = fence_for(text, 3);
    add_block(fence + language_of(node) + "\n" + text + "\n" + fence);
  }
  void append_exact_text(Node node, std::string& out) {
    for_children(node, [&](Node child) {
      if (is_text(child)) {
        out += text_of(child);
      } else if (tag(child) == "br") {
        out += '\n';
      } else if (!is_unseen(child)) {
        append_exact_text(child, out);
        const bool is_line = tag(child) == "div" || tag(child) == "p" || tag(child) == "tr" || tag(child) == "li";
        if (is_line && !out.ends_with('\n')) out += '\n';
      }
    });
  }
  // What the block says, or what it holds or is held by.
  std::string language_of(Node node) {
    const Node child = tree_[node].first_child;
    const Node inner = child != 0 && is_text(child) && tree_[child].next != 0 ? tree_[child].next : child;
    const Node around = tree_[node].parent;
    for (const Node candidate : {node, inner, around, tree_[around].parent}) {
      if (candidate == 0 || is_text(candidate)) continue;
      if (auto said = code_language(tree_[candidate].text)) return *std::move(said);
    }
    return {};
  }

  // --- tables ---

  struct Table {
    std::vector<std::vector<std::string>> rows;
    std::size_t columns = 0;
    std::size_t fillers = 0;  // cells that only others made necessary
  };

  void add_table(Node node) {
    const std::string role = attribute(node, "role");
    if (role == "presentation" || role == "none" || has(node, kHasTable)) return add_children(node);  // only a layout
    Table table;
    std::vector<int> spans;  // how many rows below a cell still takes, by column
    read_rows(node, table, spans);
    const bool is_code = has(node, kHasCode) && table.rows.size() == 1;
    if (table.columns < 2 || is_code) return add_children(node);
    add_strays(node);
    end_paragraph();
    for_children(node, [&](Node child) {
      if (tag(child) == "caption") add_block(inline_text(child));
    });
    add_block(markdown_table(table.rows));
  }
  // What stands in a table and in none of its cells is shown before it.
  void add_strays(Node node) {
    for_children(node, [&](Node child) {
      const std::string_view name = tag(child);
      if (is_text(child)) return paragraph_.add(text_of(child));
      if (is_unseen(child) || is_among_words(name, "caption colgroup col td th")) return;
      if (is_among_words(name, "thead tbody tfoot tr")) return add_strays(child);
      add(child);
    });
  }
  void read_rows(Node node, Table& table, std::vector<int>& spans) {
    for_children(node, [&](Node child) {
      const std::string_view name = tag(child);
      if (is_text(child) || is_unseen(child)) return;
      if (name == "tr") return read_row(child, table, spans);
      if (name == "thead" || name == "tbody" || name == "tfoot") read_rows(child, table, spans);
    });
  }
  void read_row(Node node, Table& table, std::vector<int>& spans) {
    std::vector<std::string> cells;
    const auto skip_taken = [&] {
      while (cells.size() < spans.size() && spans[cells.size()] > 0 && table.fillers < kTableCellsMax) {
        --spans[cells.size()];
        cells.emplace_back();
        ++table.fillers;
      }
    };
    for_children(node, [&](Node child) {
      if (is_text(child) || (tag(child) != "td" && tag(child) != "th") || is_unseen(child)) return;
      skip_taken();
      if (cells.size() >= kTableColumnsMax) return;
      const int across = std::clamp(to_number(attribute(child, "colspan"), 1), 1, static_cast<int>(kTableColumnsMax));
      const int down = std::clamp(to_number(attribute(child, "rowspan"), 1), 1, 10'000);
      const std::size_t first = cells.size();
      cells.push_back(joined_blocks(blocks_of(child), true));
      for (int i = 1; i < across && cells.size() < kTableColumnsMax && table.fillers < kTableCellsMax; ++i) {
        cells.emplace_back();
        ++table.fillers;
      }
      if (spans.size() < cells.size()) spans.resize(cells.size());
      for (std::size_t i = first; i < cells.size(); ++i) spans[i] = down - 1;
    });
    skip_taken();
    const bool has_any = std::ranges::any_of(cells, [](const std::string& cell) { return !cell.empty(); });
    if (!has_any) return;
    table.columns = std::max(table.columns, cells.size());
    table.rows.push_back(std::move(cells));
  }

  // --- inside a line ---

  // All of it as one line, blocks too.
  std::string inline_text(Node node) { return in_one_line(joined_blocks(blocks_of(node), true)); }
  static std::string in_one_line(const std::string& text) {
    FlowingText flowing;
    flowing.add(text);
    return flowing.take();
  }

  void add_inline(Node node) {
    const std::string_view name = tag(node);
    if (name == "br") return paragraph_.break_line();
    if (name == "a") return add_link(node);
    if (name == "img") return add_image(node);
    if (name == "code" || name == "kbd" || name == "samp" || name == "tt") return add_code(node);
    if (name == "input") return add_checkbox(node);
    if (name == "math") return add_math(node);
    if (name == "wbr") return;
    if (name == "strong" || name == "b") return add_wrapped(node, "**", strong_);
    if (name == "em" || name == "i") return add_wrapped(node, "*", emphasis_);
    if (name == "del" || name == "s" || name == "strike") return add_wrapped(node, "~~", struck_);
    if (name == "sup") return add_raised(node);
    if (name == "rt") return add_reading(node);
    if (name == "q") {
      paragraph_.add_exactly("\"");
      add_children(node);
      return paragraph_.add_exactly("\"");
    }
    add_children(node);
  }

  // Marks inside the same mark would end it.
  void add_wrapped(Node node, std::string_view mark, bool& active) {
    if (active || has(node, kHasBlock)) return add_children(node);
    active = true;
    const std::size_t from = paragraph_.mark();
    add_children(node);
    paragraph_.wrap(from, mark, mark);
    active = false;
  }
  void add_link(Node node) {
    const std::string href = attribute(node, "href");
    const bool is_here = href.starts_with('#');
    const std::string target = href.empty() || is_here ? "" : link_target(resolve_link(base_.value_or(page_), href));
    if (!target.empty() && !in_link_ && has(node, kHasBlock)) return add_block_link(node, target);
    if (target.empty() || in_link_) {
      const std::size_t from = paragraph_.mark();
      add_children(node);
      // The sign beside a heading that links to it.
      const std::string_view text = paragraph_.since(from);
      if (is_here && text.size() <= 4 &&
          (text.ends_with("\xC2\xB6") || text.ends_with('#') || text.ends_with("\xC2\xA7"))) {
        paragraph_.cut(from);
      }
      return;
    }
    in_link_ = true;
    const std::size_t from = paragraph_.mark();
    add_children(node);
    in_link_ = false;
    const std::string_view text = paragraph_.since(from);
    if (is_blank_text(text)) return;
    if (text.substr(text.find_first_not_of(" \n")) == target) return;
    paragraph_.wrap(from, "[", "](" + target + ")");
  }

  // A link around whole blocks: the first words in it are the link.
  void add_block_link(Node node, const std::string& target) {
    end_paragraph();
    block_link_ = target;
    in_link_ = true;
    add_children(node);
    end_paragraph();
    in_link_ = false;
    block_link_.clear();
  }

  void add_image(Node node) {
    FlowingText alt;
    alt.add(visible_text(attribute(node, "alt")));
    const std::string text = alt.take();
    if (text.empty()) return;
    const std::string source = attribute(node, "src");
    const std::string target = source.empty() ? "" : resolve_link(base_.value_or(page_), source);
    const bool is_web = target.starts_with("http");
    paragraph_.add_exactly(is_web && !in_link_ ? "![" + text + "](" + link_target(target) + ")" : text);
  }

  void add_code(Node node) {
    if (has(node, kHasBlock)) return add_children(node);
    std::string exact;
    append_exact_text(node, exact);
    FlowingText flowing;
    flowing.add(exact);
    const std::string text = flowing.take();
    if (text.empty()) return;
    const std::string fence = fence_for(text, 1);
    const bool needs_blank = text.front() == '`' || text.back() == '`';
    paragraph_.add_exactly(fence + (needs_blank ? " " : "") + text + (needs_blank ? " " : "") + fence);
  }

  void add_checkbox(Node node) {
    if (attribute(node, "type") != "checkbox") return;
    bool checked = false;
    html_attribute(tree_[node].text, "checked", &checked);
    paragraph_.add(checked ? "[x] " : "[ ] ");
  }

  void add_math(Node node) {
    std::string source = visible_text(attribute(node, "alttext"));
    if (source.empty()) source = formula_source(node);
    if (source.empty()) return add_children(node);
    paragraph_.add_exactly("$" + source + "$");
  }
  // What the formula was made from, if it says so.
  std::string formula_source(Node node) {
    std::string source;
    for_children(node, [&](Node child) {
      if (!source.empty() || is_text(child)) return;
      if (tag(child) != "annotation") {
        source = formula_source(child);
      } else if (attribute(child, "encoding") == "application/x-tex" && tree_[child].first_child != 0) {
        source = text_of(tree_[child].first_child);
      }
    });
    return source;
  }

  // How a word is read, above it.
  void add_reading(Node node) {
    if (has(node, kHasBlock)) return add_children(node);
    const std::size_t from = paragraph_.mark();
    add_children(node);
    paragraph_.wrap(from, "(", ")");
  }

  void add_raised(Node node) {
    if (has(node, kHasBlock)) return add_children(node);
    const std::size_t from = paragraph_.mark();
    add_children(node);
    const std::string_view text = paragraph_.since(from);
    const bool is_exponent = !text.empty() && text.find_first_of(" []()\n") == std::string_view::npos && from > 0;
    if (is_exponent) paragraph_.wrap(from, "^", "");
  }

  const HtmlTree& tree_;
  const WebUrl& page_;
  std::vector<std::uint8_t> traits_;  // of each node
  HtmlStyles styles_;
  std::optional<WebUrl> base_;
  std::vector<MarkdownBlock> blocks_;
  FlowingText paragraph_;
  std::size_t depth_ = 0;
  bool strong_ = false;
  bool emphasis_ = false;
  bool struck_ = false;
  bool in_link_ = false;
  std::string block_link_;  // of the next words
};

}  // namespace

MarkdownPage html_to_markdown(std::string_view document, const WebUrl& page) {
  const HtmlTree tree(document);
  return MarkdownWriter(tree, page).write();
}

}  // namespace deft
