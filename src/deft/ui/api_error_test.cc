#include "deft/ui/api_error.h"

#include <gtest/gtest.h>

namespace deft {
namespace {

using Kind = ModelFailure::Kind;

TEST(ApiError, HasAWordForEachStatus) {
  const auto word = [](int status, std::string type = "", std::string message = "") {
    return std::string(api_error_word(
        {.kind = Kind::status, .status = status, .type = std::move(type), .message = std::move(message)}));
  };
  EXPECT_EQ(word(400), "invalid_request");
  EXPECT_EQ(word(401), "authentication_failed");
  EXPECT_EQ(word(402), "billing_error");
  EXPECT_EQ(word(403, "permission_error"), "authentication_failed");
  EXPECT_EQ(word(404, "not_found_error", "model: nonsense"), "model_not_found");
  EXPECT_EQ(word(404, "", "no such page"), "invalid_request");
  EXPECT_EQ(word(429, "rate_limit_error"), "rate_limit");
  EXPECT_EQ(word(429, "insufficient_quota"), "billing_error");
  EXPECT_EQ(word(500), "server_error");
  EXPECT_EQ(word(529), "overloaded");
  EXPECT_EQ(word(503, "overloaded_error"), "overloaded");
}

TEST(ApiError, OfAStreamThatBrokeIsNotTheStatusThatItBeganWith) {
  const ModelFailure broken{.kind = Kind::stream_broken, .status = 200};
  EXPECT_EQ(api_error_status(broken), std::nullopt);
  EXPECT_EQ(api_error_word(broken), "server_error");
  const ModelFailure unreachable{.kind = Kind::connection};
  EXPECT_EQ(api_error_status(unreachable), std::nullopt);
  EXPECT_EQ(api_error_word(unreachable), "unknown");
  EXPECT_EQ(api_error_status({.kind = Kind::status, .status = 529}), 529);
}

}  // namespace
}  // namespace deft
