#include "deft/base/json.h"

#include <algorithm>
#include <array>
#include <boost/json/basic_parser_impl.hpp>
#include <charconv>
#include <cmath>
#include <unordered_set>
#include <utility>

#include "deft/base/byte_runs.h"
#include "deft/base/check.h"
#include "deft/base/utf8.h"

namespace deft {
namespace {

namespace bj = boost::json;
using ErrorCode = bj::error_code;

// Builds the value while Boost's parser reads. Our own builder, because Boost's merges duplicate keys silently and
// rounds about a third of all 17-digit doubles one unit off.
class Builder {
 public:
  static constexpr std::size_t max_object_size = std::size_t(-1);
  static constexpr std::size_t max_array_size = std::size_t(-1);
  static constexpr std::size_t max_key_size = std::size_t(-1);
  static constexpr std::size_t max_string_size = std::size_t(-1);

  Json take() { return std::move(root_); }
  const std::string& problem() const { return problem_; }

  bool on_document_begin(ErrorCode&) { return true; }
  bool on_document_end(ErrorCode&) { return true; }
  bool on_object_begin(ErrorCode&) { return open(JsonObject()); }
  bool on_object_end(std::size_t, ErrorCode& ec) { return close(ec); }
  bool on_array_begin(ErrorCode&) { return open(JsonArray()); }
  bool on_array_end(std::size_t, ErrorCode& ec) { return close(ec); }

  bool on_key_part(bj::string_view part, std::size_t, ErrorCode&) { return append(part); }
  bool on_key(bj::string_view part, std::size_t, ErrorCode&) {
    if (keys_.empty()) keys_.reserve(kNestedMost);
    if (text_.empty()) {
      keys_.emplace_back(part.data(), part.size());
      return true;
    }
    append(part);
    keys_.push_back(std::move(text_));
    text_.clear();
    return true;
  }
  bool on_string_part(bj::string_view part, std::size_t, ErrorCode&) { return append(part); }
  bool on_string(bj::string_view part, std::size_t, ErrorCode& ec) {
    if (text_.empty()) return add(Json(bj::string(part)), ec);
    append(part);
    Json value(bj::string(text_.data(), text_.size()));
    text_.clear();
    return add(std::move(value), ec);
  }
  bool on_number_part(bj::string_view part, ErrorCode&) { return append(part); }
  bool on_int64(std::int64_t number, bj::string_view, ErrorCode& ec) {
    text_.clear();
    return add(Json(number), ec);
  }
  bool on_uint64(std::uint64_t number, bj::string_view, ErrorCode& ec) {
    text_.clear();
    return add(Json(number), ec);
  }
  bool on_double(double rounded, bj::string_view part, ErrorCode& ec) {
    append(part);
    double exact = rounded;
    const auto [end, error] = std::from_chars(text_.data(), text_.data() + text_.size(), exact);
    text_.clear();
    if (error == std::errc::result_out_of_range) {
      if (!(std::abs(rounded) < 1.0)) return refuse("a number is too large for a double", ec);
      exact = 0.0;
    }
    return add(Json(exact), ec);
  }
  bool on_bool(bool truth, ErrorCode& ec) { return add(Json(truth), ec); }
  bool on_null(ErrorCode& ec) { return add(Json(nullptr), ec); }
  bool on_comment_part(bj::string_view, ErrorCode&) { return true; }
  bool on_comment(bj::string_view, ErrorCode&) { return true; }

 private:
  bool append(bj::string_view part) {
    text_.append(part.data(), part.size());
    return true;
  }

  bool open(Json container) {
    if (open_.empty()) open_.reserve(kNestedMost);
    open_.push_back(std::move(container));
    return true;
  }

  bool close(ErrorCode& ec) {
    Json value = std::move(open_.back());
    open_.pop_back();
    return add(std::move(value), ec);
  }

  bool add(Json value, ErrorCode& ec) {
    if (open_.empty()) {
      root_ = std::move(value);
      return true;
    }
    Json& parent = open_.back();
    if (parent.is_array()) {
      make_room(parent.get_array());
      parent.get_array().push_back(std::move(value));
      return true;
    }
    const std::string key = std::move(keys_.back());
    keys_.pop_back();
    make_room(parent.get_object());
    const bool fresh = parent.get_object().emplace(key, std::move(value)).second;
    return fresh || refuse("the key " + json_quote(key.substr(0, 100)) + " stands twice in one object", ec);
  }

  // By themselves Boost's containers grow by one at first: four times for four members.
  template <class Container>
  static void make_room(Container& container) {
    if (container.size() == container.capacity()) container.reserve(std::max(kMembersMost, 2 * container.size()));
  }

  bool refuse(std::string why, ErrorCode& ec) {
    problem_ = std::move(why);
    ec = bj::error::syntax;
    return false;
  }

  static constexpr std::size_t kMembersMost = 4;  // what most objects and arrays have room enough with
  static constexpr std::size_t kNestedMost = 4;

  Json root_;
  std::vector<Json> open_;         // containers not closed yet, outermost first
  std::vector<std::string> keys_;  // keys whose value is still to come
  std::string text_;               // the string or number being read
  std::string problem_;
};

std::string position(std::string_view text, std::size_t offset) {
  offset = std::min(offset, text.size());
  const auto before = text.substr(0, offset);
  const auto line = 1 + std::count(before.begin(), before.end(), '\n');
  const auto line_start = before.rfind('\n');
  const auto column = line_start == std::string_view::npos ? offset + 1 : offset - line_start;
  return "line " + std::to_string(line) + ", column " + std::to_string(column) + ": ";
}

bool is_surrogate_escape(std::string_view text, std::size_t at, char low, char high) {
  if (at + 6 > text.size() || text[at] != '\\' || text[at + 1] != 'u') return false;
  const char third = static_cast<char>(text[at + 3] | 0x20);
  const bool hex = std::all_of(text.begin() + static_cast<std::ptrdiff_t>(at) + 2,
                               text.begin() + static_cast<std::ptrdiff_t>(at) + 6,
                               [](char c) { return std::isxdigit(static_cast<unsigned char>(c)) != 0; });
  return hex && (text[at + 2] | 0x20) == 'd' && third >= low && third <= high;
}

// Every "\udXXX" that is not half of a pair becomes "\ufffd"; nothing else changes.
std::string without_lone_surrogates(std::string_view text) {
  std::string out(text);
  for (std::size_t i = 0; i + 1 < out.size(); ++i) {
    if (out[i] != '\\') continue;
    if (is_surrogate_escape(out, i, '8', 'b') && is_surrogate_escape(out, i + 6, 'c', 'f')) {
      i += 11;
    } else if (is_surrogate_escape(out, i, '8', 'f')) {
      out.replace(i, 6, "\\ufffd");
      i += 5;
    } else {
      ++i;  // the escaped character
    }
  }
  return out;
}

bool is_half_pair(const ErrorCode& ec) {
  return ec == bj::error::illegal_leading_surrogate || ec == bj::error::illegal_trailing_surrogate ||
         ec == bj::error::expected_utf16_escape;
}

std::string reason(const ErrorCode& ec, const JsonLimits& limits) {
  if (ec == bj::error::incomplete) return "the text ends inside a value";
  if (ec == bj::error::extra_data) return "there is more text after the value";
  if (ec == bj::error::too_deep) return "nested deeper than " + std::to_string(limits.depth_max) + " levels";
  if (is_half_pair(ec)) return "half of a surrogate pair in a string";
  return ec.message();
}

void append_number(std::string& out, double number) {
  if (!std::isfinite(number)) {  // not JSON; parse_json never yields one
    out += "null";
    return;
  }
  std::array<char, 32> buffer{};
  const auto [end, error] = std::to_chars(buffer.data(), buffer.data() + buffer.size(), number);
  DEFT_CHECK(error == std::errc());
  const std::string_view digits(buffer.data(), static_cast<std::size_t>(end - buffer.data()));
  out += digits;
  if (digits.find_first_of(".e") == std::string_view::npos) out += ".0";  // a double stays a double
}

void append_integer(std::string& out, auto number) {
  std::array<char, 24> buffer;
  out.append(buffer.data(), std::to_chars(buffer.data(), buffer.data() + buffer.size(), number).ptr);
}

void append(std::string& out, const Json& value);

void append(std::string& out, const JsonObject& object) {
  out += '{';
  bool first = true;
  for (const auto& [key, member] : object) {
    if (!first) out += ',';
    first = false;
    append_json_string(out, {key.data(), key.size()});
    out += ':';
    append(out, member);
  }
  out += '}';
}

void append(std::string& out, const JsonArray& array) {
  out += '[';
  bool first = true;
  for (const Json& element : array) {
    if (!first) out += ',';
    first = false;
    append(out, element);
  }
  out += ']';
}

void append(std::string& out, const Json& value) {
  switch (value.kind()) {
    case bj::kind::null: out += "null"; break;
    case bj::kind::bool_: out += value.get_bool() ? "true" : "false"; break;
    case bj::kind::int64: append_integer(out, value.get_int64()); break;
    case bj::kind::uint64: append_integer(out, value.get_uint64()); break;
    case bj::kind::double_: append_number(out, value.get_double()); break;
    case bj::kind::string: append_json_string(out, view(value.get_string())); break;
    case bj::kind::array: append(out, value.get_array()); break;
    case bj::kind::object: append(out, value.get_object()); break;
  }
}

// Walks text that is known to be valid JSON; so it only has to find where values end.
class Span {
 public:
  explicit Span(std::string_view text) : text_(text) {}

  void skip_space() {
    while (at_ < text_.size() && std::string_view(" \t\r\n").find(text_[at_]) != std::string_view::npos) ++at_;
  }
  bool take(char c) {
    skip_space();
    if (at_ >= text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }
  std::string_view value() {
    skip_space();
    const std::size_t start = at_;
    int depth = 0;
    do {
      if (at_ >= text_.size()) break;
      const char c = text_[at_];
      if (c == '"') {
        skip_string();
      } else if (c == '{' || c == '[') {
        ++depth;
        ++at_;
      } else if (c == '}' || c == ']') {
        --depth;
        ++at_;
      } else if (depth == 0) {
        skip_scalar();
      } else {
        ++at_;
      }
    } while (depth > 0);
    return text_.substr(start, at_ - start);
  }

 private:
  void skip_string() {
    for (++at_; at_ < text_.size() && text_[at_] != '"'; ++at_) {
      at_ += json_plain_run(text_.substr(at_));
      if (at_ >= text_.size() || text_[at_] == '"') break;
      if (text_[at_] == '\\') ++at_;
    }
    at_ = std::min(at_ + 1, text_.size());
  }
  void skip_scalar() {
    while (at_ < text_.size() && std::string_view(" \t\r\n,:]}").find(text_[at_]) == std::string_view::npos) ++at_;
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

}  // namespace

Result<Json> parse_json(std::string_view text, const JsonLimits& limits) {
  if (text.size() > limits.bytes_max) {
    return fail(Errc::limit, "line 1, column 1: larger than " + std::to_string(limits.bytes_max) + " bytes");
  }
  bj::parse_options options;
  options.max_depth = limits.depth_max;
  bj::basic_parser<Builder> parser(options);
  ErrorCode ec;
  const std::size_t parsed = parser.write_some(false, text.data(), text.size(), ec);
  if (!ec && parsed < text.size()) ec = bj::error::extra_data;
  if (!ec) return parser.handler().take();

  if (limits.replace_lone_surrogates) {  // Boost calls some halves just "syntax error", so any error gets a second try
    JsonLimits strict = limits;
    strict.replace_lone_surrogates = false;
    return parse_json(without_lone_surrogates(text), strict);
  }
  const std::string& own = parser.handler().problem();
  const Errc code = ec == bj::error::too_deep ? Errc::limit : Errc::invalid_json;
  return fail(code, position(text, parsed) + (own.empty() ? reason(ec, limits) : own));
}

void append_json_string(std::string& out, std::string_view text) {
  static constexpr char kHex[] = "0123456789abcdef";
  if (const std::size_t wanted = out.size() + text.size() + 2; wanted > out.capacity()) {
    out.reserve(std::max(wanted, 2 * out.capacity()));
  }
  out += '"';
  std::size_t plain = 0;  // start of the bytes not copied yet
  for (std::size_t i = json_plain_run(text); i < text.size();) {
    const auto c = static_cast<unsigned char>(text[i]);
    const std::size_t length = c < 0x80 ? 1 : utf8_sequence_length(text.substr(i));
    if (length != 0 && c >= 0x20 && c != '"' && c != '\\') {
      i += length;
      if (length > 1) i += json_plain_run(text.substr(i));
      continue;
    }
    out.append(text, plain, i - plain);
    if (length == 0) {
      out += "\xEF\xBF\xBD";
    } else if (c == '"' || c == '\\') {
      out += '\\';
      out += static_cast<char>(c);
    } else if (c == '\n') {
      out += "\\n";
    } else if (c == '\t') {
      out += "\\t";
    } else if (c == '\r') {
      out += "\\r";
    } else {
      out += "\\u00";
      out += kHex[c >> 4];
      out += kHex[c & 15];
    }
    plain = ++i;
    i += json_plain_run(text.substr(i));
  }
  out.append(text, plain);
  out += '"';
}

void append_json(std::string& out, const Json& value) { append(out, value); }

void append_json_integer(std::string& out, std::int64_t number) { append_integer(out, number); }

std::string json_quote(std::string_view text) {
  std::string out;
  append_json_string(out, text);
  return out;
}

std::string to_json(const Json& value) {
  std::string out;
  append(out, value);
  return out;
}
std::string to_json(const JsonObject& object) {
  std::string out;
  append(out, object);
  return out;
}
std::string to_json(const JsonArray& array) {
  std::string out;
  append(out, array);
  return out;
}

namespace {

// The text of a string as it stands in JSON, quotes included.
std::optional<std::string> read_key(std::string_view quoted) {
  const bool is_plain = quoted.size() >= 2 && quoted.front() == '"' && quoted.find('\\') == std::string_view::npos;
  if (is_plain) return std::string(quoted.substr(1, quoted.size() - 2));
  const auto key = parse_json(quoted);
  if (!key || !key->is_string()) return std::nullopt;
  return std::string(view(key->get_string()));
}

// Until `take` says that it has seen enough.
void for_each_raw_member(std::string_view text, const auto& take) {
  Span span(text);
  if (!span.take('{')) return;
  while (!span.take('}')) {
    auto key = read_key(span.value());
    if (!key || !span.take(':')) return;
    if (!take(RawMember{std::move(*key), span.value()})) return;
    span.take(',');
  }
}

}  // namespace

std::vector<RawMember> raw_members(std::string_view text) {
  std::vector<RawMember> members;
  for_each_raw_member(text, [&](RawMember member) {
    members.push_back(std::move(member));
    return true;
  });
  return members;
}

std::vector<std::string_view> raw_elements(std::string_view text) {
  std::vector<std::string_view> elements;
  Span span(text);
  if (!span.take('[')) return elements;
  while (!span.take(']')) {
    const std::string_view element = span.value();
    if (element.empty()) break;
    elements.push_back(element);
    span.take(',');
  }
  return elements;
}

std::optional<std::string_view> raw_member(std::string_view text, std::string_view key) {
  std::optional<std::string_view> found;
  for_each_raw_member(text, [&](const RawMember& member) {
    if (member.key == key) found = member.value;
    return !found;
  });
  return found;
}

const Json* find(const JsonObject& object, std::string_view key) {
  return object.if_contains({key.data(), key.size()});
}
const Json* find(const Json& value, std::string_view key) {
  return value.is_object() ? find(value.get_object(), key) : nullptr;
}

namespace {

std::optional<std::string_view> string_of(const Json* found) {
  if (!found || !found->is_string()) return std::nullopt;
  return view(found->get_string());
}

std::optional<std::int64_t> int_of(const Json* found) {
  if (!found) return std::nullopt;
  if (found->is_int64()) return found->get_int64();
  // A parser gives the smallest type that fits; a size that we put in ourselves is unsigned.
  if (found->is_uint64() && std::in_range<std::int64_t>(found->get_uint64())) {
    return static_cast<std::int64_t>(found->get_uint64());
  }
  // 3.0 is an integer to JSON Schema, so it is one here.
  if (found->is_double() && std::trunc(found->get_double()) == found->get_double() &&
      std::abs(found->get_double()) < 9.0e15) {
    return static_cast<std::int64_t>(found->get_double());
  }
  return std::nullopt;
}

std::optional<double> number_of(const Json* found) {
  if (!found || !found->is_number()) return std::nullopt;
  return found->to_number<double>();
}

std::optional<bool> bool_of(const Json* found) {
  if (!found || !found->is_bool()) return std::nullopt;
  return found->get_bool();
}

const JsonArray* array_of(const Json* found) { return found ? found->if_array() : nullptr; }
const JsonObject* object_of(const Json* found) { return found ? found->if_object() : nullptr; }

}  // namespace

std::optional<std::string_view> find_string(const Json& in, std::string_view key) { return string_of(find(in, key)); }
std::optional<std::string_view> find_string(const JsonObject& in, std::string_view key) {
  return string_of(find(in, key));
}
std::optional<std::int64_t> find_int(const Json& in, std::string_view key) { return int_of(find(in, key)); }
std::optional<std::int64_t> find_int(const JsonObject& in, std::string_view key) { return int_of(find(in, key)); }
std::optional<double> find_number(const Json& in, std::string_view key) { return number_of(find(in, key)); }
std::optional<double> find_number(const JsonObject& in, std::string_view key) { return number_of(find(in, key)); }
std::optional<bool> find_bool(const Json& in, std::string_view key) { return bool_of(find(in, key)); }
std::optional<bool> find_bool(const JsonObject& in, std::string_view key) { return bool_of(find(in, key)); }
const JsonArray* find_array(const Json& in, std::string_view key) { return array_of(find(in, key)); }
const JsonArray* find_array(const JsonObject& in, std::string_view key) { return array_of(find(in, key)); }
const JsonObject* find_object(const Json& in, std::string_view key) { return object_of(find(in, key)); }
const JsonObject* find_object(const JsonObject& in, std::string_view key) { return object_of(find(in, key)); }

}  // namespace deft
