#include "deft/mcp/message_scan.h"

#include <charconv>
#include <string>

namespace deft {
namespace {

class Scanner {
 public:
  explicit Scanner(std::string_view text) : text_(text) {}

  MessageScan run() {
    for (at_ = 0; at_ < text_.size(); ++at_) {
      switch (text_[at_]) {
        case '{':
        case '[':
          ++found_.values;
          is_object_ = depth_ == 0 ? text_[at_] == '{' : is_object_;
          ++depth_;
          is_key_next_ = true;
          break;
        case '}':
        case ']': --depth_; break;
        case ',':
          ++found_.values;
          is_key_next_ = true;
          break;
        case ':':
          is_key_next_ = false;
          if (is_outermost() && key_ == "id") take_number();
          break;
        case '"': take_string(); break;
        default: break;
      }
    }
    return std::move(found_);
  }

 private:
  bool is_outermost() const { return depth_ == 1 && is_object_; }

  // From its opening quote to its closing one.
  void take_string() {
    const std::size_t begin = at_ + 1;
    bool is_plain = true;
    for (at_ = begin; at_ < text_.size() && text_[at_] != '"'; ++at_) {
      if (text_[at_] != '\\') continue;
      is_plain = false;
      ++at_;
    }
    if (!is_outermost() || at_ >= text_.size()) return;
    const std::string_view inner = text_.substr(begin, at_ - begin);
    if (is_key_next_) {
      key_ = inner;
      found_.has_method = found_.has_method || key_ == "method";
    } else if (key_ == "id" && is_plain && inner.size() <= kRpcIdBytesMax) {
      found_.id = RpcId(std::string(inner));
    }
  }

  void take_number() {
    std::size_t begin = at_ + 1;
    while (begin < text_.size() && (text_[begin] == ' ' || text_[begin] == '\t')) ++begin;
    std::int64_t number = 0;
    const char* end = text_.data() + text_.size();
    const auto read = std::from_chars(text_.data() + begin, end, number);
    const bool is_whole = read.ec == std::errc() && read.ptr != end && *read.ptr != '.' && (*read.ptr | 0x20) != 'e';
    if (is_whole) found_.id = RpcId(number);
  }

  const std::string_view text_;
  std::size_t at_ = 0;
  std::ptrdiff_t depth_ = 0;
  bool is_object_ = false;    // the outermost
  bool is_key_next_ = false;  // a text would be a key, in an object
  std::string_view key_;      // the last one of the outermost object
  MessageScan found_;
};

}  // namespace

MessageScan scan_message(std::string_view text) { return Scanner(text).run(); }

}  // namespace deft
