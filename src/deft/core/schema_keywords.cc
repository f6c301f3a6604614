#include "deft/core/schema_keywords.h"

#include <cmath>

#include "deft/core/schema_program.h"
#include "deft/core/schema_words.h"

namespace deft::schema {

std::nullptr_t Keywords::expected(const Json& value, std::string_view what) const {
  fault_.note(value, "expected " + std::string(what) + ", got " + describe_value(value));
  return nullptr;
}

std::optional<std::uint64_t> Keywords::count(std::string_view keyword) const {
  const Json* value = find(keyword);
  if (!value) return std::nullopt;
  if (value->is_uint64()) return value->get_uint64();
  if (value->is_int64() && value->get_int64() >= 0) return static_cast<std::uint64_t>(value->get_int64());
  if (value->is_double() && value->get_double() >= 0 && std::trunc(value->get_double()) == value->get_double()) {
    constexpr double kTooLarge = 9e18;  // for any real count
    return value->get_double() < kTooLarge ? static_cast<std::uint64_t>(value->get_double()) : kNoCountMax;
  }
  expected(*value, "an integer of at least 0");
  return std::nullopt;
}

std::optional<Json> Keywords::number(std::string_view keyword) const {
  const Json* value = find(keyword);
  if (!value) return std::nullopt;
  if (value->is_number()) return *value;
  expected(*value, "a number");
  return std::nullopt;
}

bool Keywords::flag(std::string_view keyword) const {
  const Json* value = find(keyword);
  if (!value) return false;
  if (value->is_bool()) return value->get_bool();
  expected(*value, "true or false");
  return false;
}

const Json* Keywords::text(std::string_view keyword) const {
  const Json* value = find(keyword);
  return !value || value->is_string() ? value : expected(*value, "a string");
}

std::vector<std::string> Keywords::names_in(const Json& value) const {
  std::vector<std::string> names;
  if (!value.is_array()) {
    expected(value, "an array of property names");
    return names;
  }
  for (const Json& name : value.get_array()) {
    if (name.is_string()) {
      names.emplace_back(view(name.get_string()));
    } else {
      expected(name, "a property name");
    }
  }
  return names;
}

std::vector<std::string> Keywords::names(std::string_view keyword) const {
  const Json* value = find(keyword);
  return value ? names_in(*value) : std::vector<std::string>();
}

const JsonArray* Keywords::array(std::string_view keyword) const {
  const Json* value = find(keyword);
  if (!value) return nullptr;
  return value->is_array() ? &value->get_array() : expected(*value, "an array");
}

const JsonObject* Keywords::map(std::string_view keyword) const {
  const Json* value = find(keyword);
  if (!value) return nullptr;
  return value->is_object() ? &value->get_object() : expected(*value, "an object");
}

bool Keywords::check_schema(const Json& value) const {
  if (value.is_object() || value.is_bool()) return true;
  expected(value, "a schema (an object or a boolean)");
  return false;
}

const Json* Keywords::schema(std::string_view keyword) const {
  const Json* value = find(keyword);
  return value && check_schema(*value) ? value : nullptr;
}

const JsonArray* Keywords::schemas(std::string_view keyword) const {
  const Json* value = find(keyword);
  if (!value) return nullptr;
  if (!value->is_array() || value->get_array().empty()) return expected(*value, "an array of at least one schema");
  for (const Json& item : value->get_array()) {
    if (!check_schema(item)) return nullptr;
  }
  return &value->get_array();
}

}  // namespace deft::schema
