#include "deft/model/helper_credentials.h"

#include <gtest/gtest.h>

#include "deft/model/make_client.h"
#include "deft/os/curl_http_client.h"
#include "deft/testing/fake_processes.h"
#include "deft/testing/http_peer.h"
#include "deft/testing/model_record.h"
#include "deft/testing/virtual_clock.h"

namespace deft {
namespace {

using testing::CommandScript;
using testing::FakeProcesses;

struct Bench {
  FakeProcesses processes;
  VirtualClock clock;
  HelperCredentials credentials{
      {.processes = processes, .clock = clock, .command = "print-key --now", .environment = {"A=1"}}};

  void will_print(std::string output, int exit_code = 0, std::vector<std::string> errors = {}) {
    processes.add(
        "print-key",
        {.output = {std::move(output)}, .errors = std::move(errors), .end = CommandEnd{.exit_code = exit_code}});
  }
  std::string key() {
    const auto headers = credentials.headers({});
    return headers ? std::string(*find_header(*headers, "x-api-key")) : headers.error().message;
  }
};

TEST(HelperCredentials, RunsTheCommandOnceUntilTheKeyIsOldOrRefused) {
  Bench bench;
  bench.will_print("key-1\n");
  bench.will_print("key-2\n");
  bench.will_print("key-3\n");
  EXPECT_FALSE(bench.credentials.at_hand());
  EXPECT_EQ(bench.key(), "key-1");
  EXPECT_TRUE(bench.credentials.at_hand());
  EXPECT_EQ(bench.key(), "key-1");
  EXPECT_TRUE(bench.credentials.refused());
  EXPECT_EQ(bench.key(), "key-2");
  bench.clock.advance(kKeyHelperTtl);
  EXPECT_EQ(bench.key(), "key-3");
  const auto commands = bench.processes.commands();
  ASSERT_EQ(commands.size(), 3U);
  EXPECT_EQ(commands[0].argv, (std::vector<std::string>{"/bin/sh", "-c", "print-key --now"}));
  EXPECT_EQ(commands[0].environment, std::vector<std::string>{"A=1"});
}

TEST(HelperCredentials, AKeyThatIsRefusedTwiceWillNotGetBetter) {
  Bench bench;
  bench.will_print("key-1");
  EXPECT_EQ(bench.key(), "key-1");
  EXPECT_TRUE(bench.credentials.refused());
  EXPECT_EQ(bench.key(), "key-1");
  EXPECT_FALSE(bench.credentials.refused());
}

TEST(HelperCredentials, SaysWhatWentWrongWithoutWhatWasPrinted) {
  const auto problem = [](std::string output, int exit_code, std::vector<std::string> errors = {}) {
    Bench bench;
    bench.will_print(std::move(output), exit_code, std::move(errors));
    return bench.key();
  };
  EXPECT_EQ(problem("sk-secret", 3, {"vault is sealed"}), "apiKeyHelper failed with exit code 3: vault is sealed");
  EXPECT_EQ(problem("sk-secret and more", 0), "apiKeyHelper did not print a key: one printable word and nothing else");
  EXPECT_EQ(problem(std::string(100'000, 'x'), 0),
            "apiKeyHelper did not print a key: one printable word and nothing else");
  Bench missing;
  EXPECT_TRUE(missing.key().starts_with("apiKeyHelper could not be run"));
}

TEST(MakeModelClient, MakesTheOneThatWasChosen) {
  testing::HttpPeer peer([](const testing::PeerRequest& request, testing::PeerAnswer& answer) {
    answer.send(400, {{"Content-Type", "application/json"}},
                R"({"error":{"message":")" + request.path + " " + request.header("x-api-key") + R"("}})");
  });
  CurlHttpClient http{HttpNetwork{}};
  FakeProcesses processes;
  const SystemClock clock;
  processes.add("print-key", {.output = {"sk-1"}});
  const auto asked = [&](ModelApi api) -> std::string {
    ProviderChoice choice{.api = api, .base_url = peer.url(""), .key_helper = "print-key"};
    choice.answer_timeout = choice.idle_timeout = std::chrono::minutes(1);
    auto client = make_model_client(choice, {http, processes, clock, {}});
    if (!client) return client.error().message;
    testing::ModelRecord record;
    const auto call = (*client)->ask(testing::model_request(), record.sink());
    const auto failure = record.wait_for_failure();
    return std::string((*client)->name()) + " " + (failure ? failure->message : "did not fail");
  };
  EXPECT_EQ(asked(ModelApi::anthropic), "anthropic /v1/messages sk-1 (HTTP 400)");
  EXPECT_EQ(asked(ModelApi::openai_chat), "openai-chat /v1/chat/completions (HTTP 400)");
  EXPECT_EQ(asked(ModelApi::openai_responses), "openai-responses /v1/responses (HTTP 400)");
  EXPECT_TRUE(asked(ModelApi::scripted).starts_with("the script: cannot read "));
}

}  // namespace
}  // namespace deft
