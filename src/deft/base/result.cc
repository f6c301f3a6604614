#include "deft/base/result.h"

#include <system_error>

namespace deft {

std::string_view to_string(Errc code) {
  switch (code) {
    case Errc::invalid_json: return "invalid_json";
    case Errc::invalid_input: return "invalid_input";
    case Errc::unknown_tool: return "unknown_tool";
    case Errc::tool_disabled: return "tool_disabled";
    case Errc::duplicate_id: return "duplicate_id";
    case Errc::denied: return "denied";
    case Errc::cancelled: return "cancelled";
    case Errc::timeout: return "timeout";
    case Errc::not_found: return "not_found";
    case Errc::not_read: return "not_read";
    case Errc::stale: return "stale";
    case Errc::io: return "io";
    case Errc::limit: return "limit";
    case Errc::unsupported: return "unsupported";
    case Errc::failed: return "failed";
    case Errc::internal: return "internal";
  }
  return "internal";
}

Error system_error(Errc code, std::string_view what, int error_number) {
  // generic_category().message is thread safe, strerror is not.
  return Error{code, std::string(what) + ": " + std::generic_category().message(error_number)};
}

}  // namespace deft
