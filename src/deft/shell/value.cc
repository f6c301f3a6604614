#include "deft/shell/value.h"

#include <algorithm>

namespace deft::shell {

bool is_integer_text(std::string_view text) {
  if (text.starts_with('-') || text.starts_with('+')) text.remove_prefix(1);
  // "08" is an error and "1e3" a name: only what every reader takes for the same number.
  if (text.empty() || text.size() > 18 || (text.size() > 1 && text[0] == '0')) return false;
  return std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
}

bool is_plain_text(std::string_view text) { return text.find_first_of(" \t\n*?[\\") == std::string_view::npos; }

Value Value::exactly(std::string text) {
  Value value;
  value.exact = true;
  value.is_integer = is_integer_text(text);
  value.dashless = !text.starts_with('-');
  value.rootless = !text.starts_with('/');
  value.plain = is_plain_text(text);
  value.may_be_empty = text.empty();
  value.text = std::move(text);
  return value;
}

Value Value::integer(bool can_be_negative) {
  Value value;
  value.is_integer = true;
  value.dashless = !can_be_negative;
  value.rootless = true;
  value.plain = true;
  value.may_be_empty = false;
  return value;
}

Value Value::beginning(std::string text) {
  Value value;
  value.dashless = !text.empty() && text[0] != '-';
  value.rootless = !text.empty() && text[0] != '/';
  value.may_be_empty = text.empty();
  value.text = std::move(text);
  return value;
}

Value merge(const Value& a, const Value& b) {
  if (a == b) return a;
  Value value;
  const auto [end_a, end_b] = std::ranges::mismatch(a.text, b.text);
  value.text = std::string(a.text.begin(), end_a);
  value.is_integer = a.is_integer && b.is_integer;
  value.dashless = a.dashless && b.dashless;
  value.rootless = a.rootless && b.rootless;
  value.plain = a.plain && b.plain;
  value.may_be_empty = a.may_be_empty || b.may_be_empty;
  if (value.is_integer) value.text.clear();
  return value;
}

void State::add_directory(const std::string& directory) {
  if (std::ranges::find(directories, directory) != directories.end()) return;
  if (directories.size() == kDirectoriesMax) {
    directory_known = false;
    return;
  }
  directories.push_back(directory);
}

void State::taint() {
  variables.clear();
  tainted = true;
  splits_oddly = true;
}

}  // namespace deft::shell
