#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "deft/base/json.h"
#include "deft/core/schema_fault.h"

namespace deft::schema {

// Reads the keywords of one schema object. A missing keyword is "nothing"; one of the wrong form is a fault and also
// "nothing", so that whoever reads can go on and look at the fault at the end.
class Keywords {
 public:
  Keywords(const JsonObject& object, Fault& fault) : object_(object), fault_(fault) {}

  const Json* find(std::string_view keyword) const { return object_.if_contains({keyword.data(), keyword.size()}); }
  std::optional<std::uint64_t> count(std::string_view keyword) const;
  std::optional<Json> number(std::string_view keyword) const;
  bool flag(std::string_view keyword) const;
  const Json* text(std::string_view keyword) const;
  std::vector<std::string> names(std::string_view keyword) const;
  const JsonArray* array(std::string_view keyword) const;
  const JsonObject* map(std::string_view keyword) const;
  const Json* schema(std::string_view keyword) const;
  // At least one.
  const JsonArray* schemas(std::string_view keyword) const;

  std::vector<std::string> names_in(const Json& value) const;
  // True if `value` is an object or a boolean, else a fault.
  bool check_schema(const Json& value) const;

 private:
  std::nullptr_t expected(const Json& value, std::string_view what) const;

  const JsonObject& object_;
  Fault& fault_;
};

}  // namespace deft::schema
