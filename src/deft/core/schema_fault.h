#pragma once

#include <optional>
#include <string>

#include "deft/base/json.h"
#include "deft/base/result.h"

namespace deft::schema {

// The first thing found wrong with a schema document. Where it stands is kept as an address and becomes a JSON pointer
// only when somebody asks: good schemas pay nothing for it.
class Fault {
 public:
  void note(const Json& where, std::string what, Errc code = Errc::invalid_input) {
    if (!first_) first_ = Noted{&where, std::move(what), code};
  }
  explicit operator bool() const { return first_.has_value(); }
  Error error(const Json& document) const;

 private:
  struct Noted {
    const Json* where;
    std::string what;
    Errc code;
  };
  std::optional<Noted> first_;
};

}  // namespace deft::schema
