#include "deft/model/model_failure.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include "deft/base/text.h"
#include "deft/model/event_json.h"
#include "deft/os/http_network.h"

namespace deft {
namespace {

constexpr std::size_t kSecretCharactersMin = 6;  // shorter ones would hide ordinary words
constexpr std::string_view kHidden = "[secret]";

struct NamedStatus {
  std::string_view type;
  int status;
};
// What an error event inside a stream would have been as an answer of its own.
constexpr std::array<NamedStatus, 22> kStatusOfType = {{
    {"invalid_request_error", 400},
    {"authentication_error", 401},
    {"billing_error", 402},
    {"permission_error", 403},
    {"not_found_error", 404},
    {"conflict_error", 409},
    {"request_too_large", 413},
    {"rate_limit_error", 429},
    {"rate_limit_exceeded", 429},
    {"insufficient_quota", 429},
    {"api_error", 500},
    {"server_error", 500},
    {"timeout_error", 504},
    {"overloaded_error", 529},
    {"context_length_exceeded", 400},
    {"invalid_prompt", 400},
    // vLLM's and SGLang's.
    {"BadRequestError", 400},
    {"AuthenticationError", 401},
    {"NotFoundError", 404},
    {"UnprocessableEntityError", 422},
    {"RateLimitError", 429},
    {"InternalServerError", 500},
}};

int status_of_type(std::string_view type) {
  const auto* found = std::ranges::find(kStatusOfType, type, &NamedStatus::type);
  if (found != kStatusOfType.end()) return found->status;
  int status = 0;  // gateways say it in numbers
  const auto [end, error] = std::from_chars(type.data(), type.data() + type.size(), status);
  const bool is_error = error == std::errc() && end == type.data() + type.size() && status >= 400 && status <= 599;
  return is_error ? status : 0;
}

std::optional<double> to_number(std::string_view text) {
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size() || !std::isfinite(number)) return std::nullopt;
  return number;
}

std::optional<Duration> usable_delay(double milliseconds) {
  const double most = std::chrono::duration<double, std::milli>(kRetryAfterMax).count();
  if (!(milliseconds > 0) || milliseconds > most) return std::nullopt;
  return std::chrono::duration_cast<Duration>(std::chrono::duration<double, std::milli>(milliseconds));
}

// Beside the type that all errors have, OpenAI's say more exactly in `code` what it was.
std::string exact_type(const Json& body, std::string type) {
  const Json* error = find(body, "error");
  const std::string code = error ? string_or_empty(*error, "code") : std::string();
  return code == "insufficient_quota" || code == "context_length_exceeded" ? code : type;
}

std::string plain_words(int status) {
  switch (status) {
    case 400: return "the server refused the request";
    case 401: return "the server does not accept the key";
    case 403: return "the key has no right to this";
    case 404: return "there is no such model or no such API at this address";
    case 413: return "the request is too large";
    case 429: return "too many requests";
    case 529: return "the server is overloaded";
    default: return status >= 500 ? "the server has an error of its own" : "the server answered with an error";
  }
}

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t')) text.remove_suffix(1);
  return text;
}

}  // namespace

ModelFailure failure_of_answer(const HttpHead& head, std::string_view body, WallTime now) {
  ModelFailure failure{.kind = ModelFailure::Kind::status, .status = head.status};
  failure.request_id = request_id_of(head.headers);
  failure.retry_after = retry_after(head.headers, now);
  if (const auto said = find_header(head.headers, "x-should-retry")) {
    if (*said == "true") failure.should_retry = true;
    if (*said == "false") failure.should_retry = false;
  }

  if (head.status >= 300 && head.status < 400) {
    const auto target = find_header(head.headers, "location");
    const std::string host = target ? shown_host(*target) : "";  // none: another path of the same
    failure.message = "the server sends us to " + (host.empty() ? "another address" : host) +
                      ", where we do not follow: set the base URL to the right address";
    return failure;
  }
  auto json = parse_event(body);
  if (json && json->is_array() && json->get_array().size() == 1) json = Json(json->get_array().front());  // Gemini's
  const bool says_nothing = json && json->is_object() && json->get_object().empty();
  if (json && !says_nothing) {
    auto error = find_provider_error(*json);
    if (!error) error = read_provider_error(&*json);  // some put message and code at the top
    if (error) {
      failure.type = exact_type(*json, std::move(error->code));
      failure.message = one_line(error->message, kFailureCharactersMax);
    }
    if (failure.request_id.empty()) failure.request_id = string_or_empty(*json, "request_id");
  } else if (!says_nothing && !body.starts_with('<')) {  // a page of HTML says nothing in one line
    failure.message = one_line(body, kFailureCharactersMax);
  }
  if (failure.message.empty()) failure.message = plain_words(head.status);
  failure.message += " (HTTP " + std::to_string(head.status) + ")";
  // No more money: waiting does not help.
  if (failure.type == "insufficient_quota" && !failure.should_retry) failure.should_retry = false;
  return failure;
}

ModelFailure failure_of_transfer(const Error& error, bool stream_began) {
  ModelFailure failure{.message = error.message};
  switch (error.code) {
    case Errc::denied: failure.kind = ModelFailure::Kind::certificate; break;
    case Errc::invalid_input:
    case Errc::unsupported: failure.kind = ModelFailure::Kind::unusable; break;
    case Errc::limit: failure.kind = ModelFailure::Kind::not_understood; break;
    default: failure.kind = stream_began ? ModelFailure::Kind::stream_broken : ModelFailure::Kind::connection; break;
  }
  return failure;
}

ModelFailure failure_of_stream(const MessageFailed& failed, bool message_began) {
  ModelFailure failure{.kind = ModelFailure::Kind::stream_broken, .status = 200, .type = failed.provider_code};
  failure.message = one_line(failed.error.message, kFailureCharactersMax);
  if (const int status = status_of_type(failed.provider_code); status != 0) {
    failure.kind = ModelFailure::Kind::status;
    failure.status = status;
    if (failed.provider_code == "insufficient_quota") failure.should_retry = false;
  } else if (!message_began && failed.provider_code.empty() && failed.error.code == Errc::invalid_json) {
    failure.kind = ModelFailure::Kind::not_understood;
  }
  return failure;
}

std::optional<Duration> retry_after(const HttpHeaders& headers, WallTime now) {
  if (const auto value = find_header(headers, "retry-after-ms")) {
    if (const auto number = to_number(trimmed(*value))) {
      if (const auto delay = usable_delay(*number)) return delay;
    }
  }
  const auto value = find_header(headers, "retry-after");
  if (!value) return std::nullopt;
  if (const auto seconds = to_number(trimmed(*value))) return usable_delay(*seconds * 1000);
  const auto date = parse_http_date(trimmed(*value), now);
  if (!date) return std::nullopt;
  return usable_delay(std::chrono::duration<double, std::milli>(*date - now).count());
}

std::optional<WallTime> parse_http_date(std::string_view text, WallTime now) {
  constexpr std::string_view kMonths = "JanFebMarAprMayJunJulAugSepOctNovDec";
  // What must stand where: letters of the date's parts, everything else as it is. The names of days are not checked.
  struct Form {
    std::string_view shape;
    std::size_t day, month, year, year_digits, time;
  };
  static constexpr Form kFixed{"___, dd mmm yyyy hh:mm:ss GMT", 5, 8, 12, 4, 17};
  static constexpr Form kOld{", dd-mmm-yy hh:mm:ss GMT", 2, 5, 9, 2, 12};  // RFC 850, after the day's full name
  static constexpr Form kAsctime{"___ mmm dd hh:mm:ss yyyy", 8, 4, 20, 4, 11};
  const Form* form = text.ends_with(" GMT") ? &kFixed : &kAsctime;
  if (const std::size_t comma = text.find(','); comma != std::string_view::npos && comma > 3) {
    text.remove_prefix(comma);
    form = &kOld;
  }
  if (text.size() != form->shape.size()) return std::nullopt;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char wanted = form->shape[i];
    if (!std::string_view("_dmyhs").contains(wanted) && text[i] != wanted) return std::nullopt;
  }
  const auto number = [&](std::size_t at, std::size_t length) -> int {
    int value = -1;
    const char* end = text.data() + at + length;
    if (const auto parsed = std::from_chars(text.data() + at, end, value); parsed.ptr != end) return -1;
    return value;
  };
  const bool is_padded = form == &kAsctime && text[form->day] == ' ';  // "Nov  6"
  const int day = is_padded ? number(form->day + 1, 1) : number(form->day, 2);
  const std::size_t month = kMonths.find(text.substr(form->month, 3));
  int year = number(form->year, form->year_digits);
  const int hour = number(form->time, 2), minute = number(form->time + 3, 2), second = number(form->time + 6, 2);
  if (month == std::string_view::npos || month % 3 != 0 || day < 1 || year < 0 || hour < 0 || hour > 23 || minute < 0 ||
      minute > 59 || second < 0 || second > 60) {
    return std::nullopt;
  }
  if (form == &kOld) {  // what seems to be more than fifty years ahead lies in the past
    const std::chrono::year_month_day today(std::chrono::floor<std::chrono::days>(now));
    const int this_year = static_cast<int>(today.year());
    year += this_year - this_year % 100;
    if (year > this_year + 50) year -= 100;
  }
  const std::chrono::year_month_day date{std::chrono::year(year),
                                         std::chrono::month(static_cast<unsigned>(month / 3 + 1)),
                                         std::chrono::day(static_cast<unsigned>(day))};
  if (!date.ok()) return std::nullopt;
  return std::chrono::sys_days(date) + std::chrono::hours(hour) + std::chrono::minutes(minute) +
         std::chrono::seconds(second);
}

std::string request_id_of(const HttpHeaders& headers) {
  for (const std::string_view name : {"request-id", "x-request-id"}) {
    if (const auto id = find_header(headers, name)) return one_line(*id, kFailureCharactersMax);
  }
  return {};
}

std::string without_secrets(std::string text, const std::vector<std::string>& secrets) {
  for (const std::string& secret : secrets) {
    if (secret.size() < kSecretCharactersMin) continue;
    std::size_t at = 0;
    while ((at = text.find(secret, at)) != std::string::npos) {
      text.replace(at, secret.size(), kHidden);
      at += kHidden.size();
    }
  }
  return text;
}

}  // namespace deft
