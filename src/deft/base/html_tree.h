#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

// An HTML document as a tree, by what browsers make of it as far as that changes what is read: implied ends of
// paragraphs, items and cells, elements without an end, text that is no markup. Linear in the bytes; never fails.

namespace deft {

inline constexpr std::size_t kHtmlNodesMax = 1'000'000;  // the rest is left out
inline constexpr std::size_t kHtmlDepthMax = 200;        // what is deeper stands beside instead of inside

struct HtmlNode {
  std::string_view tag;     // in lower case; empty: a text
  std::string_view text;    // of a text: as it stands in the document; of an element: its attributes
  bool is_raw = false;      // a text in which nothing is decoded
  std::uint16_t kinds = 0;  // of its tag, for the one who builds the tree
  std::uint32_t parent = 0;
  std::uint32_t first_child = 0;  // 0: none
  std::uint32_t next = 0;         // sibling; 0: none
  std::uint32_t last_child = 0;
};

class HtmlTree {
 public:
  // `document` is UTF-8 and outlives the tree.
  explicit HtmlTree(std::string_view document);

  static constexpr std::uint32_t kRoot = 0;
  const HtmlNode& operator[](std::uint32_t node) const { return nodes_[node]; }
  std::size_t size() const { return nodes_.size(); }
  bool is_cut() const { return is_cut_; }

 private:
  void read_markup();
  void read_start_tag();
  void read_end_tag();
  void skip_to(std::string_view end);
  void skip_comment();
  void read_raw_text(std::string_view tag, std::uint16_t kinds);

  void add_text(std::string_view text, bool is_raw);
  void open(std::string_view tag, std::uint16_t kinds, std::string_view attributes, bool is_void);
  void close(std::string_view tag, std::uint16_t kinds);
  void close_implied(std::string_view tag, std::uint16_t kinds);
  bool close_up_to(std::string_view tags, std::string_view boundaries);
  void close_inside(std::string_view tags);
  void close_paragraph();
  bool is_in_foreign() const;
  bool is_in_drawing() const;
  bool is_in_select() const;
  bool is_in_table() const;
  bool is_lost_in_select(std::string_view tag);
  void close_in_select(std::string_view tag);
  void leave_foreign();
  std::uint32_t add_node(std::string_view tag, std::uint16_t kinds, std::string_view text);

  std::string_view rest_;
  std::vector<HtmlNode> nodes_;
  std::vector<std::uint32_t> open_;  // the elements that have not ended, the root first
  std::size_t foreign_ = 0;          // where the outermost svg or math stands among them; 0: there is none
  std::size_t select_ = 0;           // where the last select stands among them; 0: there is none
  bool is_cut_ = false;
};

// The decoded value of an attribute in the text of an element; `found` tells whether it is there at all.
std::string html_attribute(std::string_view attributes, std::string_view name, bool* found = nullptr);

}  // namespace deft
