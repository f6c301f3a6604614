#include "deft/base/yaml.h"

#include <yaml.h>

#include <algorithm>
#include <string>
#include <utility>

#include "deft/base/text.h"
#include "deft/base/utf8.h"

namespace deft {
namespace {

constexpr std::size_t kNumberBytesMax = 40;
constexpr std::size_t kShownKeyCharactersMax = 80;

std::unexpected<Error> fail_at(Errc code, const yaml_mark_t& mark, const std::string& what) {
  return fail(code,
              "line " + std::to_string(mark.line + 1) + ", column " + std::to_string(mark.column + 1) + ": " + what);
}

// An event of libyaml, freed with the object.
class Event {
 public:
  Event() = default;
  ~Event() {
    if (is_set_) yaml_event_delete(&event_);
  }
  Event(const Event&) = delete;
  Event& operator=(const Event&) = delete;

  bool take(yaml_parser_t& parser) { return is_set_ = yaml_parser_parse(&parser, &event_) == 1; }
  yaml_event_type_t type() const { return event_.type; }
  const yaml_mark_t& where() const { return event_.start_mark; }
  bool is_plain() const { return event_.data.scalar.style == YAML_PLAIN_SCALAR_STYLE; }
  std::string_view text() const {
    return {reinterpret_cast<const char*>(event_.data.scalar.value), event_.data.scalar.length};
  }
  bool has_anchor() const {
    switch (event_.type) {
      case YAML_SCALAR_EVENT: return event_.data.scalar.anchor != nullptr;
      case YAML_SEQUENCE_START_EVENT: return event_.data.sequence_start.anchor != nullptr;
      case YAML_MAPPING_START_EVENT: return event_.data.mapping_start.anchor != nullptr;
      default: return false;
    }
  }

 private:
  yaml_event_t event_{};
  bool is_set_ = false;
};

bool begins_number(std::string_view text) {
  return !text.empty() && (text[0] == '-' || (text[0] >= '0' && text[0] <= '9'));
}

Json value_of_plain(std::string_view text) {
  if (text.empty() || is_among_words(text, "~ null Null NULL")) return nullptr;
  if (is_among_words(text, "true True TRUE")) return true;
  if (is_among_words(text, "false False FALSE")) return false;
  if (begins_number(text) && text.size() <= kNumberBytesMax) {
    if (auto number = parse_json(text); number && number->is_number()) return *std::move(number);
  }
  return Json(std::string(text));
}

class Reader {
 public:
  Reader(std::string_view text, const YamlLimits& limits) : limits_(limits) {
    is_ready_ = yaml_parser_initialize(&parser_) == 1;
    if (!is_ready_) return;
    yaml_parser_set_encoding(&parser_, YAML_UTF8_ENCODING);
    yaml_parser_set_input_string(&parser_, reinterpret_cast<const unsigned char*>(text.data()), text.size());
  }
  ~Reader() {
    if (is_ready_) yaml_parser_delete(&parser_);
  }
  Reader(const Reader&) = delete;
  Reader& operator=(const Reader&) = delete;

  Result<Json> document() {
    if (!is_ready_) return fail(Errc::limit, "line 1, column 1: there is no memory left to read it");
    Json value = nullptr;
    bool has_document = false;
    while (true) {
      Event event;
      if (!event.take(parser_)) return broken();
      switch (event.type()) {
        case YAML_STREAM_START_EVENT:
        case YAML_DOCUMENT_END_EVENT: break;
        case YAML_STREAM_END_EVENT: return value;
        case YAML_DOCUMENT_START_EVENT:
          if (has_document) return fail_at(Errc::invalid_input, event.where(), "a second document begins here");
          has_document = true;
          break;
        default: {
          auto read = value_from(event, 0);
          if (!read) return read;
          value = *std::move(read);
        }
      }
    }
  }

 private:
  Result<Json> value_from(const Event& event, std::size_t depth) {
    if (event.has_anchor() || event.type() == YAML_ALIAS_EVENT) {
      return fail_at(Errc::unsupported, event.where(),
                     "anchors (&) and aliases (*) are not read; put a text that begins so in quotes");
    }
    if (++values_ > limits_.values_max) {
      return fail_at(Errc::limit, event.where(),
                     "there are more than " + std::to_string(limits_.values_max) + " values");
    }
    if (event.type() == YAML_SCALAR_EVENT) {
      return event.is_plain() ? value_of_plain(event.text()) : Json(std::string(event.text()));
    }
    if (depth == limits_.depth_max) {
      return fail_at(Errc::limit, event.where(),
                     "it is nested deeper than " + std::to_string(limits_.depth_max) + " levels");
    }
    return event.type() == YAML_SEQUENCE_START_EVENT ? sequence(depth + 1) : mapping(depth + 1);
  }

  Result<Json> sequence(std::size_t depth) {
    JsonArray list;
    while (true) {
      Event event;
      if (!event.take(parser_)) return broken();
      if (event.type() == YAML_SEQUENCE_END_EVENT) return list;
      auto value = value_from(event, depth);
      if (!value) return value;
      list.push_back(*std::move(value));
    }
  }

  Result<Json> mapping(std::size_t depth) {
    JsonObject object;
    while (true) {
      Event key;
      if (!key.take(parser_)) return broken();
      if (key.type() == YAML_MAPPING_END_EVENT) return object;
      if (key.type() != YAML_SCALAR_EVENT || key.has_anchor()) {
        return fail_at(Errc::unsupported, key.where(), "a key must be a plain word");
      }
      const std::string name(key.text());
      if (object.contains(name)) {
        return fail_at(Errc::invalid_input, key.where(),
                       "\"" + one_line(name, kShownKeyCharactersMax) + "\" is there twice");
      }
      Event event;
      if (!event.take(parser_)) return broken();
      auto value = value_from(event, depth);
      if (!value) return value;
      object.emplace(name, *std::move(value));
    }
  }

  std::unexpected<Error> broken() const {
    const char* problem = parser_.problem ? parser_.problem : "it cannot be read";
    if (parser_.error == YAML_MEMORY_ERROR)
      return fail(Errc::limit, "line 1, column 1: there is no memory left to read it");
    // A reader's error has no mark, only the place where it stopped.
    return fail_at(Errc::invalid_input, parser_.error == YAML_READER_ERROR ? parser_.mark : parser_.problem_mark,
                   problem);
  }

  YamlLimits limits_;
  yaml_parser_t parser_{};
  bool is_ready_ = false;
  std::size_t values_ = 0;
};

}  // namespace

Result<Json> parse_yaml(std::string_view text, const YamlLimits& limits) {
  if (text.size() > limits.bytes_max) {
    return fail(Errc::limit, "line 1, column 1: it is longer than " + human_bytes(limits.bytes_max));
  }
  if (!is_utf8(text)) return fail(Errc::invalid_input, "line 1, column 1: it is not UTF-8");
  return Reader(text, limits).document();
}

}  // namespace deft
