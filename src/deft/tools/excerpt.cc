#include "deft/tools/excerpt.h"

#include <algorithm>

#include "deft/base/utf8.h"

namespace deft {
namespace {

// The end of `text`, not longer than `bytes_max`, starting at a character and if possible at a line.
std::string_view end_of(std::string_view text, std::size_t bytes_max) {
  if (text.size() <= bytes_max) return text;
  text.remove_prefix(text.size() - bytes_max);
  const std::size_t newline = text.find('\n');
  if (newline != std::string_view::npos && newline < bytes_max / 2) return text.substr(newline + 1);
  while (!text.empty() && (static_cast<unsigned char>(text.front()) & 0xC0) == 0x80) text.remove_prefix(1);
  return text;
}

}  // namespace

void Excerpt::add(std::string_view text) {
  size_ += text.size();
  const std::size_t to_head = std::min(text.size(), half_ - head_.size());
  head_ += text.substr(0, to_head);
  text.remove_prefix(to_head);
  if (text.size() > half_) {
    tail_ = text.substr(text.size() - half_);
    return;
  }
  tail_ += text;
  if (tail_.size() > 4 * half_) tail_.erase(0, tail_.size() - half_);  // seldom, so that it costs little per byte
}

void Excerpt::clear() {
  size_ = 0;
  head_.clear();
  tail_.clear();
}

std::string_view Excerpt::end_bytes() const { return is_whole() ? std::string_view(tail_) : end_of(tail_, half_); }

std::string Excerpt::beginning() const { return to_valid_utf8(utf8_prefix(head_, head_.size())); }
std::string Excerpt::end() const { return to_valid_utf8(end_bytes()); }
std::string Excerpt::whole() const { return to_valid_utf8(head_ + tail_); }

std::string Excerpt::last_lines(std::size_t bytes_max) const {
  return to_valid_utf8(end_of(tail_.empty() ? head_ : tail_, bytes_max));
}

std::uint64_t Excerpt::left_out() const { return size_ - utf8_prefix(head_, head_.size()).size() - end_bytes().size(); }

}  // namespace deft
