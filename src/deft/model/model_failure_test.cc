#include "deft/model/model_failure.h"

#include <gtest/gtest.h>

namespace deft {
namespace {

using namespace std::chrono_literals;

const WallTime kNow = std::chrono::sys_days(std::chrono::year(2026) / 10 / 21) + 7h + 28min;

std::optional<Duration> delay_of(HttpHeaders headers) { return retry_after(headers, kNow); }

TEST(ModelFailure, TakesTheTimeToWaitFromWhicheverHeaderTellsIt) {
  EXPECT_EQ(delay_of({{"Retry-After", "3"}}), Duration(3s));
  EXPECT_EQ(delay_of({{"retry-after", " 0.25 "}}), Duration(250ms));
  EXPECT_EQ(delay_of({{"retry-after", "3"}, {"Retry-After-Ms", "120"}}), Duration(120ms));
  EXPECT_EQ(delay_of({{"retry-after", "3"}, {"retry-after-ms", "soon"}}), Duration(3s));
  EXPECT_EQ(delay_of({{"retry-after", "Wed, 21 Oct 2026 07:28:20 GMT"}}), Duration(20s));
}

TEST(ModelFailure, ADateMayHaveAnyOfTheThreeFormsOfHttp) {
  for (const char* value :
       {"Wed, 21 Oct 2026 07:28:20 GMT", "Wednesday, 21-Oct-26 07:28:20 GMT", "Wed Oct 21 07:28:20 2026"}) {
    EXPECT_EQ(delay_of({{"retry-after", value}}), Duration(20s)) << value;
  }
  const WallTime november = std::chrono::sys_days(std::chrono::year(1994) / 11 / 6) + 8h + 49min + 37s;
  for (const char* value :
       {"Sun, 06 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994"}) {
    EXPECT_EQ(parse_http_date(value, kNow), november) << value;
  }
  // Two digits: what seems to be more than fifty years ahead is past.
  EXPECT_EQ(parse_http_date("Wednesday, 21-Oct-76 07:28:00 GMT", kNow),
            WallTime(std::chrono::sys_days(std::chrono::year(2076) / 10 / 21) + 7h + 28min));
  EXPECT_EQ(parse_http_date("Friday, 21-Oct-77 07:28:00 GMT", kNow),
            WallTime(std::chrono::sys_days(std::chrono::year(1977) / 10 / 21) + 7h + 28min));
  for (const char* value : {"Wed, 21 Oct 2026 07:28:20", "Wednesday, 21 Oct 26 07:28:20 GMT", "Wed Oct 21 07:28 2026",
                            "Wed Oct 21 07:28:20 2026 GMT", "Wed, 21 Oct 2026 07.28.20 GMT", "Wed Oct  0 07:28:20 2026",
                            "Wednesday, 31-Feb-26 07:28:20 GMT", ","}) {
    EXPECT_EQ(parse_http_date(value, kNow), std::nullopt) << value;
  }
}

TEST(ModelFailure, ATimeThatIsNoneIsNotWaitedFor) {
  EXPECT_EQ(delay_of({}), std::nullopt);
  for (const char* value :
       {"", "0", "-1", "soon", "nan", "inf", "1e300", "2147484", "3 s", "Wed, 21 Oct 2026 07:27:00 GMT",
        "Wed, 21 Okt 2026 07:28:20 GMT", "Wed, 31 Feb 2027 07:28:20 GMT", "Wed, 21 Oct 2026 99:28:20 GMT"}) {
    EXPECT_EQ(delay_of({{"retry-after", value}}), std::nullopt) << value;
  }
  EXPECT_EQ(delay_of({{"retry-after", "2147483"}}), Duration(2147483s));
}

TEST(ModelFailure, ReadsTheErrorsOfAllApis) {
  const auto read = [](int status, std::string_view body) {
    const ModelFailure failure = failure_of_answer({.status = status}, body, kNow);
    return failure.type + ": " + failure.message;
  };
  EXPECT_EQ(
      read(529, R"({"type":"error","error":{"type":"overloaded_error","message":"Overloaded"},"request_id":"r"})"),
      "overloaded_error: Overloaded (HTTP 529)");
  EXPECT_EQ(read(429, R"({"error":{"message":"Slow down","type":"tokens","param":null,"code":"rate_limit_exceeded"}})"),
            "tokens: Slow down (HTTP 429)");
  EXPECT_EQ(
      read(400, R"({"error":{"message":"too long","type":"invalid_request_error","code":"context_length_exceeded"}})"),
      "context_length_exceeded: too long (HTTP 400)");
  EXPECT_EQ(read(400, R"({"object":"error","message":"bad","type":"BadRequestError","code":400})"),
            "BadRequestError: bad (HTTP 400)");
  EXPECT_EQ(read(404, R"({"error":"model 'x' not found"})"), ": model 'x' not found (HTTP 404)");
  EXPECT_EQ(read(400, R"([{"error":{"code":400,"message":"no","status":"INVALID_ARGUMENT"}}])"), "400: no (HTTP 400)");
  EXPECT_EQ(read(500, "it\nfell over"), ": it fell over (HTTP 500)");
  EXPECT_EQ(read(502, "<html><body>Bad gateway</body></html>"), ": the server has an error of its own (HTTP 502)");
  EXPECT_EQ(read(500, "{}"), ": the server has an error of its own (HTTP 500)");
  EXPECT_EQ(read(401, ""), ": the server does not accept the key (HTTP 401)");
}

TEST(ModelFailure, KeepsWhatTheServerSaysAboutTryingAgainAndItsName) {
  const ModelFailure failure = failure_of_answer(
      {.status = 500, .headers = {{"X-Should-Retry", "false"}, {"Request-Id", "req_1"}, {"Retry-After", "2"}}}, "{}",
      kNow);
  EXPECT_EQ(failure.should_retry, false);
  EXPECT_EQ(failure.request_id, "req_1");
  EXPECT_EQ(failure.retry_after, Duration(2s));
  EXPECT_EQ(failure_of_answer({.status = 400, .headers = {{"x-should-retry", "true"}}}, "", kNow).should_retry, true);
  EXPECT_EQ(failure_of_answer({.status = 400}, R"({"request_id":"req_2","error":{"message":"m"}})", kNow).request_id,
            "req_2");
  EXPECT_EQ(
      failure_of_answer({.status = 429}, R"({"error":{"message":"m","code":"insufficient_quota"}})", kNow).should_retry,
      false);
}

TEST(ModelFailure, ARedirectNamesTheHostAndNotTheRest) {
  const ModelFailure failure = failure_of_answer(
      {.status = 301, .headers = {{"Location", "https://u:p@elsewhere.example/x?token=1"}}}, "", kNow);
  EXPECT_NE(failure.message.find("elsewhere.example,"), std::string::npos) << failure.message;
  EXPECT_EQ(failure.message.find("token"), std::string::npos);
  const ModelFailure here = failure_of_answer({.status = 308, .headers = {{"Location", "/x?token=1"}}}, "", kNow);
  EXPECT_NE(here.message.find("sends us to another address,"), std::string::npos) << here.message;
}

TEST(ModelFailure, AnErrorInsideAStreamCountsAsTheAnswerItWouldHaveBeen) {
  const auto kind = [](std::string code, Errc errc, bool began) {
    const ModelFailure failure = failure_of_stream({{errc, "said"}, std::move(code), {}}, began);
    return std::pair(failure.kind, failure.status);
  };
  using Kind = ModelFailure::Kind;
  EXPECT_EQ(kind("overloaded_error", Errc::failed, true), std::pair(Kind::status, 529));
  EXPECT_EQ(kind("invalid_request_error", Errc::failed, false), std::pair(Kind::status, 400));
  EXPECT_EQ(kind("server_error", Errc::failed, true), std::pair(Kind::status, 500));
  EXPECT_EQ(kind("502", Errc::failed, true), std::pair(Kind::status, 502));
  EXPECT_EQ(kind("BadRequestError", Errc::failed, true), std::pair(Kind::status, 400));
  EXPECT_EQ(kind("1302", Errc::failed, true), std::pair(Kind::stream_broken, 200));
  EXPECT_EQ(kind("", Errc::io, true), std::pair(Kind::stream_broken, 200));
  EXPECT_EQ(kind("something_new", Errc::failed, true), std::pair(Kind::stream_broken, 200));
  EXPECT_EQ(kind("", Errc::invalid_json, false), std::pair(Kind::not_understood, 200));
  EXPECT_EQ(kind("", Errc::invalid_json, true), std::pair(Kind::stream_broken, 200));
}

TEST(ModelFailure, SecretsAreTakenOutOfTexts) {
  EXPECT_EQ(without_secrets("the key sk-12345678 and sk-12345678", {"sk-12345678"}), "the key [secret] and [secret]");
  EXPECT_EQ(without_secrets("a secret secret", {"secret", "a", ""}), "a [secret] [secret]");
}

}  // namespace
}  // namespace deft
