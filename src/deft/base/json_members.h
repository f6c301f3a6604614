#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "deft/base/json.h"

namespace deft {

// Members of a JSON object that go straight into its text, in the order in which they are given, however large they
// are: for lines that are written often and never looked at. `Self` is who derives from it.
template <class Self>
class JsonMembers {
 public:
  Self& text(std::string_view key, std::string_view value) {
    begin(key);
    append_json_string(members_, value);
    return self();
  }
  Self& number(std::string_view key, std::int64_t value) {
    begin(key);
    append_json_integer(members_, value);
    return self();
  }
  Self& flag(std::string_view key, bool value) {
    begin(key);
    members_ += value ? "true" : "false";
    return self();
  }
  Self& json(std::string_view key, const Json& value) {
    begin(key);
    append_json(members_, value);
    return self();
  }
  Self& raw(std::string_view key, std::string_view json_text) {
    begin(key);
    members_ += json_text;
    return self();
  }

 protected:
  // Each with its comma before it.
  const std::string& members() const { return members_; }

 private:
  Self& self() { return static_cast<Self&>(*this); }
  void begin(std::string_view key) {
    if (members_.empty()) members_.reserve(kMembersBytesMost);
    members_ += ",\"";
    members_ += key;
    members_ += "\":";
  }

  static constexpr std::size_t kMembersBytesMost = 240;  // of most lines

  std::string members_;
};

}  // namespace deft
