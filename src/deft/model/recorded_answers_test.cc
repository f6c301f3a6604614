#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <random>

#include "deft/base/stable_sort.h"
#include "deft/core/message_json.h"
#include "deft/model/anthropic_client.h"
#include "deft/model/event_json.h"
#include "deft/model/openai_client.h"
#include "deft/os/curl_http_client.h"
#include "deft/testing/http_peer.h"
#include "deft/testing/model_record.h"
#include "deft/testing/places.h"

// Streams served over HTTP in ragged pieces: what a client makes of each is compared with what the provider's own SDK
// makes of it. tests/fixtures/sdk_streams has some that were made by chance and for what is seldom seen; a folder with
// recorded ones may stand beside the project, or in DEFT_STREAMS.

namespace deft {
namespace {

namespace fs = std::filesystem;
using testing::HttpPeer;
using testing::model_request;
using testing::ModelRecord;
using testing::PeerAnswer;
using testing::PeerRequest;

std::string read_file(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

fs::path own_folder() { return fs::path(DEFT_SOURCE_DIR) / "tests/fixtures/streams"; }

fs::path sdk_folder() { return fs::path(DEFT_SOURCE_DIR) / "tests/fixtures/sdk_streams"; }

fs::path shared_folder() {
  if (const char* folder = std::getenv("DEFT_STREAMS")) return folder;
  return fs::path(DEFT_SOURCE_DIR) / "../shared/data/streams";
}

std::vector<fs::path> streams_in(const fs::path& folder) {
  std::vector<fs::path> paths;
  if (!fs::exists(folder)) return paths;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    if (entry.path().extension() == ".sse") paths.push_back(entry.path());
  }
  std::ranges::sort(paths);
  return paths;
}

enum class Api { anthropic, chat, responses };
Api api_of(const fs::path& path) {
  const std::string text = path.string();
  if (text.find("anthropic") != std::string::npos) return Api::anthropic;
  return text.find("chat") != std::string::npos ? Api::chat : Api::responses;
}

// What the client of that API says when a server sends these bytes, in pieces of one to some hundred bytes.
std::vector<ModelEvent> ask_for(Api api, const std::string& bytes, unsigned seed) {
  HttpPeer peer([&](const PeerRequest&, PeerAnswer& answer) {
    std::mt19937 random(seed);
    answer.head(200, {{"Content-Type", "text/event-stream"}});
    for (std::string_view rest = bytes; !rest.empty();) {
      const std::size_t size = std::min<std::size_t>(rest.size(), 1 + random() % (random() % 4 == 0 ? 7 : 900));
      answer.chunk(rest.substr(0, size));
      rest.remove_prefix(size);
    }
    answer.end();
  });
  CurlHttpClient http{HttpNetwork{}};
  const SystemClock clock;
  std::unique_ptr<ModelClient> client;
  const ModelEndpoint endpoint{.base_url = peer.url("")};
  if (api == Api::anthropic) client = std::make_unique<AnthropicClient>(http, clock, endpoint);
  if (api == Api::chat) client = std::make_unique<OpenAiChatClient>(http, clock, endpoint);
  if (api == Api::responses) client = std::make_unique<OpenAiResponsesClient>(http, clock, endpoint);
  ModelRecord record;
  const auto call = client->ask(model_request(), record.sink());
  return record.wait_for_end();
}

TEST(RecordedAnswers, OurOwnFixturesGiveTheirMessagesOverHttp) {
  const auto paths = streams_in(own_folder());
  ASSERT_GT(paths.size(), 15U);
  for (const fs::path& path : paths) {
    const std::string lines = read_file(fs::path(path).replace_extension(".jsonl"));
    const std::string expected = lines.substr(0, lines.find('\n'));
    auto events = ask_for(api_of(path), read_file(path), 1);
    if (auto* done = std::get_if<MessageDone>(&events.back())) {
      EXPECT_EQ(message_line(done->message), expected) << path;
      continue;
    }
    const auto json = parse_json(expected);
    ASSERT_TRUE(json) << path;
    EXPECT_EQ(find_string(*json, "type"), "error") << path;
    const ModelFailure& failure = std::get<ModelFailed>(events.back()).failure;
    EXPECT_EQ(failure.message, find_string(*json, "message")) << path;
    EXPECT_EQ(failure.type, find_string(*json, "provider_code").value_or("")) << path;
  }
}

// --- what the SDKs build, in one form ---

// The same text whatever the order of the members.
std::string sorted_json(const Json& json) {
  if (json.is_array()) {
    std::string out = "[";
    for (const Json& one : json.get_array()) out += sorted_json(one) + ",";
    return out + "]";
  }
  if (!json.is_object()) return to_json(json);
  std::map<std::string, std::string> members;
  for (const auto& [key, value] : json.get_object()) members[std::string(key)] = sorted_json(value);
  std::string out = "{";
  for (const auto& [key, value] : members) out += json_quote(key) + ":" + value + ",";
  return out + "}";
}

std::string call_line(std::string_view id, std::string_view name, std::string_view input) {
  const auto json = parse_json(input.empty() ? "{}" : input);
  return "call " + std::string(id) + " " + std::string(name) + " " + (json ? sorted_json(*json) : std::string(input));
}

std::string text_line(std::string_view text, const JsonObject& more) {
  return "text " + std::string(text) + (more.empty() ? "" : " " + sorted_json(more));
}

std::vector<std::string> lines_of(const Message& message) {
  std::vector<std::string> lines;
  for (const Block& block : message.blocks) {
    if (const auto* text = std::get_if<TextBlock>(&block)) lines.push_back(text_line(text->text, text->extra));
    if (const auto* thinking = std::get_if<ThinkingBlock>(&block)) {
      lines.push_back("thinking " + thinking->thinking + " " + thinking->signature);
    }
    if (const auto* use = std::get_if<ToolUseBlock>(&block)) {
      lines.push_back(call_line(use->call.id, use->call.name, use->call.input_text));
    }
    if (const auto* other = std::get_if<OtherBlock>(&block)) lines.push_back("other " + sorted_json(other->json));
  }
  return lines;
}

std::vector<std::string> expected_of_anthropic(const Json& body) {
  std::vector<std::string> lines;
  for (const Json& block : *find_array(body, "content")) {
    const std::string type = string_or_empty(block, "type");
    if (type == "text") {
      lines.push_back(text_line(string_or_empty(block, "text"), without(block.get_object(), {"type", "text"})));
    } else if (type == "thinking") {
      lines.push_back("thinking " + string_or_empty(block, "thinking") + " " + string_or_empty(block, "signature"));
    } else if (type == "tool_use") {
      lines.push_back(
          call_line(string_or_empty(block, "id"), string_or_empty(block, "name"), to_json(*find(block, "input"))));
    } else {
      lines.push_back("other " + sorted_json(block));
    }
  }
  return lines;
}

// Chat completions have no order between text, refusal and calls; thoughts have many names and are ours to find.
std::vector<std::string> expected_of_chat(const Json& choice) {
  std::vector<std::string> lines;
  const Json& message = *find(choice, "message");
  if (const std::string text = string_or_empty(message, "content"); !text.empty()) lines.push_back("text " + text);
  if (const std::string refusal = string_or_empty(message, "refusal"); !refusal.empty()) {
    lines.push_back("other " + sorted_json(JsonObject{{"type", "refusal"}, {"refusal", refusal}}));
  }
  const JsonArray* calls = find_array(message, "tool_calls");
  for (std::size_t i = 0; calls && i < calls->size(); ++i) {
    const Json& function = *find((*calls)[i], "function");
    lines.push_back(call_line(string_or_empty((*calls)[i], "id"), string_or_empty(function, "name"),
                              string_or_empty(function, "arguments")));
  }
  return lines;
}

std::vector<std::string> lines_of_chat(const Message& message) {
  std::vector<std::string> lines = lines_of(message);
  std::erase_if(lines, [](const std::string& line) {
    const bool is_refusal = line.starts_with("other ") && line.find("\"refusal\"") != std::string::npos;
    return line.starts_with("thinking ") || (line.starts_with("other ") && !is_refusal);
  });
  const auto rank = [](const std::string& line) {
    return line.starts_with("text ") ? 0 : line.starts_with("other ") ? 1 : 2;
  };
  stable_sort_by(lines, rank);
  return lines;
}

void add_expected_part(std::vector<std::string>& lines, const Json& part, const std::string& phase) {
  if (string_or_empty(part, "type") != "output_text") {
    lines.push_back("other " + sorted_json(without(part.get_object(), {"parsed"})));  // that one is the SDK's own
    return;
  }
  JsonObject more;
  const JsonArray* annotations = find_array(part, "annotations");
  if (annotations && !annotations->empty()) more["annotations"] = *annotations;
  if (!phase.empty()) more["phase"] = phase;
  lines.push_back(text_line(string_or_empty(part, "text"), more));
}

std::vector<std::string> expected_of_responses(const Json& body) {
  std::vector<std::string> lines;
  for (const Json& item : *find_array(body, "output")) {
    const std::string type = string_or_empty(item, "type");
    if (type == "message") {
      const std::string phase = string_or_empty(item, "phase");
      for (const Json& part : *find_array(item, "content")) add_expected_part(lines, part, phase);
    } else if (type == "function_call") {
      lines.push_back(call_line(string_or_empty(item, "call_id"), string_or_empty(item, "name"),
                                string_or_empty(item, "arguments")));
    } else if (type == "reasoning") {
      std::string thinking;
      for (const Json& part : *find_array(item, "summary")) {
        thinking += (thinking.empty() ? "" : "\n\n") + string_or_empty(part, "text");
      }
      lines.push_back("thinking " + thinking + " " + string_or_empty(item, "encrypted_content"));
    } else {
      lines.push_back("other " + sorted_json(item));
    }
  }
  return lines;
}

// "completed", or why it is not.
std::string expected_status(const Json& body) {
  const Json* details = find(body, "incomplete_details");
  const std::string reason = details ? string_or_empty(*details, "reason") : "";
  return reason.empty() ? string_or_empty(body, "status") : reason;
}

// The members that the SDK's usage has must be ours; nulls are fillers.
void expect_usage(const Json& usage, const Json* expected, const fs::path& path) {
  if (!expected || !expected->is_object()) return;
  for (const auto& [key, value] : expected->get_object()) {
    if (value.is_null()) continue;
    const Json* ours = find(usage, {key.data(), key.size()});
    EXPECT_EQ(ours ? sorted_json(*ours) : "missing", sorted_json(value)) << path << " usage." << key;
  }
}

void expect_sdk_message(const fs::path& path, const Message& message, const Json& body) {
  std::vector<std::string> ours = lines_of(message);
  std::vector<std::string> expected;
  switch (api_of(path)) {
    case Api::anthropic:
      expected = expected_of_anthropic(body);
      EXPECT_EQ(message.stop_reason, string_or_empty(body, "stop_reason")) << path;
      for (const std::string_view key : {"stop_sequence", "stop_details", "container"}) {
        const Json* said = find(body, key);
        const Json* known = find(message.extra, key);
        EXPECT_EQ(known ? sorted_json(*known) : "null", said ? sorted_json(*said) : "null") << path << " " << key;
      }
      break;
    case Api::chat: {
      ours = lines_of_chat(message);
      const JsonArray* choices = find_array(body, "choices");
      ASSERT_TRUE(choices && !choices->empty()) << path;
      expected = expected_of_chat((*choices)[0]);
      EXPECT_EQ(message.raw_stop_reason, string_or_empty((*choices)[0], "finish_reason")) << path;
      break;
    }
    case Api::responses:
      expected = expected_of_responses(body);
      EXPECT_EQ(message.raw_stop_reason, expected_status(body)) << path;
      break;
  }
  EXPECT_EQ(ours.size(), expected.size()) << path;
  for (std::size_t i = 0; i < std::min(ours.size(), expected.size()); ++i) {
    EXPECT_TRUE(ours[i] == expected[i]) << path << " block " << i << "\n"
                                        << ours[i].substr(0, 300) << "\n"
                                        << expected[i].substr(0, 300);
  }
  expect_usage(message.usage, find(body, "usage"), path);
  EXPECT_EQ(message.id, string_or_empty(body, "id")) << path;
  EXPECT_EQ(message.model, string_or_empty(body, "model")) << path;
}

// Returns how many were compared.
std::size_t expect_sdk_messages(const fs::path& folder) {
  std::size_t compared = 0;
  for (const fs::path& path : streams_in(folder)) {
    const fs::path expectation = fs::path(path).replace_extension(".expected.json");
    if (!fs::exists(expectation)) continue;
    const auto body = parse_event(read_file(expectation));
    EXPECT_TRUE(body) << path;
    if (!body) continue;
    const bool is_error = find(*body, "error") && !find(*body, "error")->is_null();
    auto events = ask_for(api_of(path), read_file(path), static_cast<unsigned>(++compared));
    const auto* done = std::get_if<MessageDone>(&events.back());
    EXPECT_EQ(done == nullptr, is_error) << path;
    if (done && !is_error) expect_sdk_message(path, done->message, *body);
  }
  return compared;
}

TEST(RecordedAnswers, StreamsMadeByChanceGiveWhatTheSdksBuild) { EXPECT_GT(expect_sdk_messages(sdk_folder()), 30U); }

TEST(RecordedAnswers, WhatProvidersSentGivesWhatTheirSdksBuild) {
  const std::size_t compared = expect_sdk_messages(shared_folder());
  EXPECT_EQ(compared == 0, streams_in(shared_folder()).empty());  // there may be no such folder
}

}  // namespace
}  // namespace deft
