#include "deft/ui/sampling.h"

#include <gtest/gtest.h>

namespace deft {
namespace {

Json params(std::string_view messages, std::string_view more = "") {
  return *parse_json(R"({"messages":)" + std::string(messages) + std::string(more) + "}");
}

constexpr std::string_view kHello = R"([{"role":"user","content":{"type":"text","text":"hello"}}])";

Verdict verdict(std::string_view rules, Mode mode = Mode::normal) {
  const Permissions permissions(*parse_permission_rules(*parse_json(rules)), mode, {"/p"});
  return sampling_decision(permissions, "db").verdict;
}

TEST(Sampling, ARequestIsMadeForOurModel) {
  const auto request = sampling_request(params(kHello, R"(,"maxTokens":100,"systemPrompt":"Be brief.")"), "m");
  ASSERT_TRUE(request);
  EXPECT_EQ(request->model, "m");
  EXPECT_EQ(request->output_tokens_max, 100U);
  EXPECT_EQ(request->system, "Be brief.");
  EXPECT_EQ(request->history->at(0).content, R"([{"type":"text","text":"hello"}])");
  EXPECT_EQ(request->tools, "");
}

TEST(Sampling, TokensAndMessagesAreLimited) {
  EXPECT_EQ(sampling_request(params(kHello, R"(,"maxTokens":1000000)"), "m")->output_tokens_max, kSamplingTokensMax);
  std::string many = "[";
  for (std::size_t i = 0; i <= kSamplingMessagesMax; ++i) {
    many += R"({"role":"user","content":{"type":"text","text":"x"}},)";
  }
  many.back() = ']';
  EXPECT_FALSE(sampling_request(params(many), "m"));
}

TEST(Sampling, WhatCannotBeSampledIsRefused) {
  EXPECT_FALSE(sampling_request(params("[]"), "m"));
  EXPECT_FALSE(sampling_request(params(R"([{"role":"user"}])"), "m"));
  EXPECT_FALSE(sampling_request(params(R"([{"role":"user","content":{"type":"audio"}}])"), "m"));
  EXPECT_FALSE(sampling_request(params(R"([{"role":"assistant","content":{"type":"text","text":"a"}}])"), "m"));
  EXPECT_FALSE(sampling_request(params(kHello, R"(,"tools":[])"), "m"));
}

TEST(Sampling, OnlyARuleOfItsOwnAllowsIt) {
  EXPECT_EQ(verdict("{}"), Verdict::ask);
  EXPECT_EQ(verdict(R"({"allow":["mcp__db"]})"), Verdict::ask) << "its tools are something else";
  EXPECT_EQ(verdict(R"({"allow":["McpSampling"]})"), Verdict::allow);
  EXPECT_EQ(verdict(R"({"allow":["McpSampling__db"]})"), Verdict::allow);
  EXPECT_EQ(verdict(R"({"allow":["McpSampling__other"]})"), Verdict::ask);
  EXPECT_EQ(verdict(R"({"allow":["McpSampling"],"deny":["McpSampling__db"]})"), Verdict::deny);
  EXPECT_EQ(verdict(R"({"allow":["McpSampling__db"],"deny":["McpSampling"]})"), Verdict::deny);
}

TEST(Sampling, TheAnswerIsInTheServersWords) {
  EXPECT_EQ(to_json(sampling_answer({.text = "hi", .stop_reason = "max_tokens"}, "m")),
            R"({"role":"assistant","content":{"type":"text","text":"hi"},"model":"m","stopReason":"maxTokens"})");
}

}  // namespace
}  // namespace deft
