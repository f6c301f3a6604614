#pragma once

#include <string>
#include <string_view>

#include "deft/base/json.h"
#include "deft/base/result.h"

// A question of a server to the user, in the course of a call. Pure.

namespace deft {

inline constexpr std::size_t kElicitationMessageBytesMax = 4000;
inline constexpr std::size_t kElicitationFieldsMax = 50;
inline constexpr std::size_t kElicitationSchemaBytesMax = std::size_t{64} << 10;
inline constexpr std::size_t kElicitationUrlBytesMax = 4096;
inline constexpr std::size_t kElicitationIdBytesMax = 1024;

struct McpElicitation {
  std::string server{};   // ours, not what it calls itself
  std::string message{};  // cut
  bool is_url = false;    // false: a form
  Json schema{};          // of a form: an object of plain values
  std::string url{};      // to be opened by the user, never by us alone
  std::string id{};       // of a page
};

// From the parameters of elicitation/create. Refused: forms with values inside of values or too long to be read,
// addresses that are no web addresses or too long to be looked at.
Result<McpElicitation> read_elicitation(std::string_view server, const Json& params);

// What the user has filled in, as the server gets it: fields that they left out have the default that the form names.
// An error names the fields that do not fit the form.
Result<Json> filled_form(const McpElicitation& elicitation, const Json& content);

}  // namespace deft
