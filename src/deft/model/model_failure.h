#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "deft/core/assembler.h"
#include "deft/model/model.h"
#include "deft/os/http_client.h"

// What goes wrong between us and a model's server, as failures. Pure.

namespace deft {

inline constexpr std::size_t kFailureCharactersMax = 1000;
inline constexpr Duration kRetryAfterMax = std::chrono::milliseconds(2'147'483'647);

// The server answered with an error: its status, headers and body, in whatever shape that has.
ModelFailure failure_of_answer(const HttpHead& head, std::string_view body, WallTime now);
// There was no answer, or no end of it.
ModelFailure failure_of_transfer(const Error& error, bool stream_began);
// The answer began well and said, or turned out, to be an error.
ModelFailure failure_of_stream(const MessageFailed& failed, bool message_began);

// How long the server wants us to wait: retry-after-ms, else retry-after in seconds or as a date. Nothing: it does not
// say, or what it says is no time to come.
std::optional<Duration> retry_after(const HttpHeaders& headers, WallTime now);
// A date in any of the three forms that HTTP has (RFC 9110, 5.6.7): "Wed, 21 Oct 2026 07:28:00 GMT",
// "Wednesday, 21-Oct-26 07:28:00 GMT", "Wed Oct 21 07:28:00 2026". `now`: which century two digits mean.
std::optional<WallTime> parse_http_date(std::string_view text, WallTime now);
// The name that the server gave to this request; empty: none.
std::string request_id_of(const HttpHeaders& headers);

// The text without the secrets in it.
std::string without_secrets(std::string text, const std::vector<std::string>& secrets);

}  // namespace deft
