#include "deft/core/schema_fault.h"

#include "deft/base/utf8.h"

namespace deft::schema {
namespace {

constexpr std::size_t kShownPointerCharactersMax = 300;

std::string escaped_token(std::string_view key) {
  std::string out;
  for (const char c : key) {
    if (c == '~') {
      out += "~0";
    } else if (c == '/') {
      out += "~1";
    } else {
      out += c;
    }
  }
  return out;
}

// Puts the JSON pointer of `wanted`, an address inside `value`, behind `pointer`.
bool find_pointer(const Json& value, const Json* wanted, std::string& pointer) {
  if (&value == wanted) return true;
  const std::size_t length = pointer.size();
  if (value.is_array()) {
    for (std::size_t i = 0; i < value.get_array().size(); ++i) {
      pointer.append("/").append(std::to_string(i));
      if (find_pointer(value.get_array()[i], wanted, pointer)) return true;
      pointer.resize(length);
    }
  }
  if (value.is_object()) {
    for (const auto& [key, member] : value.get_object()) {
      pointer.append("/").append(escaped_token({key.data(), key.size()}));
      if (find_pointer(member, wanted, pointer)) return true;
      pointer.resize(length);
    }
  }
  return false;
}

}  // namespace

Error Fault::error(const Json& document) const {
  if (!first_) return {Errc::internal, "the schema has no fault"};
  std::string pointer;
  find_pointer(document, first_->where, pointer);
  if (pointer.empty()) pointer = "its root";
  const std::string shown = to_valid_utf8(first_characters(pointer, kShownPointerCharactersMax));
  return {first_->code, "the schema cannot be used: at " + shown + ": " + first_->what};
}

}  // namespace deft::schema
