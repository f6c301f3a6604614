#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>

namespace deft {

// Text that several have and nobody changes: it may be long, and copying it or finding it unchanged costs nothing.
class SharedText {
 public:
  SharedText() = default;
  SharedText(std::string text) : text_(std::make_shared<const std::string>(std::move(text))) {}
  SharedText(const char* text) : SharedText(std::string(text)) {}

  const std::string& str() const { return text_ ? *text_ : nothing(); }
  operator const std::string&() const { return str(); }
  bool empty() const { return str().empty(); }
  std::size_t size() const { return str().size(); }

  friend bool operator==(const SharedText& a, const SharedText& b) { return a.text_ == b.text_ || a.str() == b.str(); }

 private:
  static const std::string& nothing() {
    static const std::string text;
    return text;
  }

  std::shared_ptr<const std::string> text_;  // null: empty
};

}  // namespace deft
