#pragma once

#include <expected>
#include <string>
#include <string_view>
#include <utility>

namespace deft {

// Why something failed, in words that stay the same from release to release: events and hosts rely on them.
enum class Errc {
  invalid_json,
  invalid_input,
  unknown_tool,
  tool_disabled,
  duplicate_id,
  denied,
  cancelled,
  timeout,
  not_found,
  not_read,
  stale,
  io,
  limit,
  unsupported,
  failed,  // the tool ran and ended in an error
  internal,
};

std::string_view to_string(Errc code);

// A failure as a value. `message` is one sentence that says what to do differently.
struct Error {
  Errc code = Errc::internal;
  std::string message;
};

template <class T>
using Result = std::expected<T, Error>;

inline std::unexpected<Error> fail(Errc code, std::string message) {
  return std::unexpected(Error{code, std::move(message)});
}

// What the system said: "cannot open /p/a: Permission denied". `error_number` is errno.
Error system_error(Errc code, std::string_view what, int error_number);

}  // namespace deft
