#include "deft/tools/excerpt.h"

#include <algorithm>

#include "deft/base/utf8.h"
#include "deft/core/result_preview.h"

namespace deft {

void Excerpt::add(std::string_view text) {
  size_ += text.size();
  characters_ += count_lead_bytes(text);
  const std::size_t to_head = std::min(text.size(), half_ - head_.size());
  head_ += text.substr(0, to_head);
  text.remove_prefix(to_head);
  if (text.size() > half_) {
    tail_ = text.substr(text.size() - half_);
    return;
  }
  tail_ += text;
  if (tail_.size() > 2 * half_) tail_.erase(0, tail_.size() - half_);  // seldom, so that it costs little per byte
}

void Excerpt::clear() {
  size_ = characters_ = 0;
  head_.clear();
  tail_.clear();
}

std::string Excerpt::whole() const { return to_valid_utf8(head_ + tail_); }

std::string Excerpt::beginning(std::size_t bytes_max) const {
  const std::string_view all = head_;
  return to_valid_utf8(utf8_prefix(all, std::min(bytes_max, all.size())));
}

std::string Excerpt::end(std::size_t bytes_max) const {
  bytes_max = std::min(bytes_max, half_);
  const std::string text = tail_.size() < bytes_max ? head_ + tail_ : tail_;
  return to_valid_utf8(preview_of(text, KeptPart::end, bytes_max).end);
}

}  // namespace deft
