#include <gtest/gtest.h>
#include <signal.h>

#include <atomic>
#include <deque>
#include <functional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "deft/base/json.h"
#include "deft/os/curl_http_client.h"
#include "deft/os/http_network.h"
#include "deft/testing/places.h"
#include "deft/testing/program.h"
#include "deft/testing/temp_folder.h"

// `deft mcp serve` as MCP clients drive it.

namespace deft::testing {
namespace {

constexpr std::string_view kToken = "0123456789abcdef0123456789abcdef";

ProgramSetup setup(const TempFolder& folder, std::vector<std::string> more) {
  std::vector<std::string> argv{DEFT_PROGRAM, "mcp", "serve", "--setting-sources", ""};
  argv.insert(argv.end(), more.begin(), more.end());
  return {.argv = std::move(argv),
          .environment = {"PATH=/usr/bin:/bin", "HOME=" + folder.path(), "TMPDIR=" + folder.path(),
                          "DEFT_MCP_TOKEN=" + std::string(kToken)},
          .directory = folder.path()};
}

// Over standard input and output.
class StdioClient {
 public:
  explicit StdioClient(const TempFolder& folder, std::vector<std::string> more = {}, std::string capabilities = "{}")
      : StdioClient(setup(folder, std::move(more)), std::move(capabilities)) {}
  explicit StdioClient(const ProgramSetup& how, std::string capabilities = "{}") : program(how) {
    request(0, "initialize", R"({"protocolVersion":"2025-11-25","capabilities":)" + capabilities + "}");
    answer(0);
    program.write("{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}\n");
  }
  void request(int id, std::string_view method, std::string_view params) {
    program.write(R"({"jsonrpc":"2.0","id":)" + std::to_string(id) + R"(,"method":")" + std::string(method) +
                  R"(","params":)" + std::string(params) + "}\n");
  }
  void call(int id, std::string_view tool, const JsonObject& arguments, JsonObject meta = {}) {
    JsonObject params{{"name", std::string(tool)}, {"arguments", arguments}};
    if (!meta.empty()) params["_meta"] = std::move(meta);
    request(id, "tools/call", to_json(params));
  }
  // The next message that fits.
  Json message(const std::function<bool(const Json&)>& fits) {
    for (auto kept = kept_.begin(); kept != kept_.end(); ++kept) {
      if (!fits(*kept)) continue;
      Json found = std::move(*kept);
      kept_.erase(kept);
      return found;
    }
    while (const auto line = program.read_line()) {
      Json json = *parse_json(*line);
      if (fits(json)) return json;
      kept_.push_back(std::move(json));
    }
    ADD_FAILURE() << "the server ended: " << program.errors();
    return nullptr;
  }
  Json answer(int id) {
    return message([id](const Json& json) { return find_int(json, "id") == id && !find(json, "method"); });
  }
  Json notification(std::string_view method) {
    return message([method](const Json& json) { return find_string(json, "method") == method; });
  }
  std::string text(int id) { return text_of(answer(id)); }
  static std::string result_of(const Json& message) {
    const Json* result = find(message, "result");
    return to_json(result ? *result : message);
  }
  static std::string text_of(const Json& message) {
    const Json* result = find(message, "result");
    const JsonArray* content = result ? find_array(*result, "content") : nullptr;
    return content && !content->empty() ? std::string(find_string((*content)[0], "text").value_or(""))
                                        : to_json(message);
  }

  Program program;

 private:
  std::deque<Json> kept_;
};

TEST(McpServe, OffersTheToolsThatAClientCanUse) {
  const TempFolder folder;
  StdioClient client(folder, {"--settings", R"({"permissions":{"deny":["WebFetch"]}})"});
  client.request(1, "tools/list", "{}");
  const std::string list = to_json(client.answer(1));
  for (const char* tool : {"Bash", "Read", "Edit", "Write", "Grep", "Glob"}) {
    EXPECT_NE(list.find("\"name\":\"" + std::string(tool) + "\""), std::string::npos) << tool;
  }
  for (const char* tool : {"AskUserQuestion", "ExitPlanMode", "ToolSearch", "WebFetch"}) {
    EXPECT_EQ(list.find("\"name\":\"" + std::string(tool) + "\""), std::string::npos) << tool;
  }
}

TEST(McpServe, CallsPassTheGateAndADenialSaysHowToAllow) {
  const TempFolder folder;
  folder.put("a.txt", "one\n");
  StdioClient client(folder, {"--settings", R"x({"permissions":{"allow":["Bash(echo *)","Edit"]}})x"});
  client.call(1, "Read", {{"file_path", "a.txt"}});
  EXPECT_NE(client.text(1).find("one"), std::string::npos);
  client.call(2, "Edit", {{"file_path", "a.txt"}, {"old_string", "one"}, {"new_string", "two"}});
  client.answer(2);
  EXPECT_EQ(folder.bytes("a.txt"), "two\n");
  client.call(3, "Bash", {{"command", "echo hello"}});
  EXPECT_NE(client.text(3).find("hello"), std::string::npos);
  client.call(4, "Bash", {{"command", "touch forbidden"}});
  const Json denied = client.answer(4);
  EXPECT_EQ(find_bool(*find(denied, "result"), "isError"), true);
  EXPECT_NE(client.text_of(denied).find("permissions.allow"), std::string::npos) << to_json(denied);
  client.call(5, "NoSuchTool", {});
  EXPECT_NE(to_json(client.answer(5)).find("-32602"), std::string::npos);
  client.call(6, "Read", {{"wrong", true}});
  EXPECT_NE(client.text(6).find("InputValidationError"), std::string::npos);
  client.program.close_input();
  EXPECT_EQ(client.program.wait(), 0);
}

TEST(McpServe, AnswersACallAlthoughAnEarlierOneStillRunsAndStopsTheOneThatIsTakenBack) {
  const TempFolder folder;
  folder.put("a.txt", "one\n");
  StdioClient client(folder, {"--settings", R"({"permissions":{"allow":["Bash"]}})"});
  client.call(1, "Bash", {{"command", "cat a.txt; sleep 100"}}, {{"progressToken", "p"}});
  client.call(2, "Read", {{"file_path", "a.txt"}});
  EXPECT_NE(client.text(2).find("one"), std::string::npos);
  EXPECT_NE(to_json(client.notification("notifications/progress")).find("\"progressToken\":\"p\""), std::string::npos);
  client.program.write(R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}})"
                       "\n");
  client.call(3, "Bash", {{"command", "touch done; echo after"}});
  EXPECT_NE(client.text(3).find("after"), std::string::npos) << "which had to wait for the first";
}

TEST(McpServe, WhatIsTooLongToBeSentIsAResource) {
  const TempFolder folder;
  StdioClient client(folder, {"--settings", R"({"permissions":{"allow":["Bash"]}})"});
  client.call(1, "Bash", {{"command", "seq 1 100000"}});
  const std::string answer = to_json(client.answer(1));
  const std::size_t at = answer.find("deft://results/");
  ASSERT_NE(at, std::string::npos) << answer.substr(0, 500);
  const std::string uri = answer.substr(at, answer.find('"', at) - at);
  client.notification("notifications/resources/list_changed");
  client.request(2, "resources/list", "{}");
  EXPECT_NE(to_json(client.answer(2)).find(uri), std::string::npos);
  client.request(3, "resources/read", to_json(JsonObject{{"uri", uri}}));
  EXPECT_NE(to_json(client.answer(3)).find("\\n99999\\n100000"), std::string::npos);
  for (const char* other : {"deft://results/../journal.jsonl", "file:///etc/passwd", "deft://results/"}) {
    client.request(4, "resources/read", to_json(JsonObject{{"uri", other}}));
    EXPECT_NE(to_json(client.answer(4)).find("-32002"), std::string::npos) << other;
  }
}

TEST(McpServe, AsksTheClientsUserIfThatIsWanted) {
  const TempFolder folder;
  StdioClient client(folder, {"--ask", "client"}, R"({"elicitation":{}})");
  client.call(1, "Bash", {{"command", "touch made"}});
  const Json asked = client.notification("elicitation/create");
  EXPECT_NE(to_json(asked).find("touch made"), std::string::npos) << to_json(asked);
  const auto answer = [&](const Json& question, std::string_view result) {
    client.program.write(R"({"jsonrpc":"2.0","id":)" + to_json(*find(question, "id")) + R"(,"result":)" +
                         std::string(result) + "}\n");
  };
  answer(asked, R"({"action":"accept","content":{"decision":"allow"}})");
  client.answer(1);
  EXPECT_TRUE(folder.bytes("made").has_value());
  client.call(2, "Bash", {{"command", "touch other"}});
  answer(client.notification("elicitation/create"), R"({"action":"decline"})");
  EXPECT_EQ(find_bool(*find(client.answer(2), "result"), "isError"), true);
  EXPECT_FALSE(folder.bytes("other").has_value());
}

// A client of 2026-07-28 over standard input and output: no session, every request stands for itself.
class ModernClient {
 public:
  explicit ModernClient(const TempFolder& folder, std::vector<std::string> more, std::string_view capabilities)
      : program(setup(folder, std::move(more))), capabilities_(*parse_json(capabilities)) {}
  Json call(std::string_view tool, const JsonObject& arguments, JsonObject more = {}) {
    JsonObject params{{"name", std::string(tool)},
                      {"arguments", arguments},
                      {"_meta", JsonObject{{"io.modelcontextprotocol/protocolVersion", "2026-07-28"},
                                           {"io.modelcontextprotocol/clientCapabilities", capabilities_}}}};
    for (auto& field : more) params[field.key()] = field.value();
    program.write(
        to_json(JsonObject{{"jsonrpc", "2.0"}, {"id", ++last_id_}, {"method", "tools/call"}, {"params", params}}) +
        "\n");
    while (const auto line = program.read_line()) {
      Json json = *parse_json(*line);
      if (find_int(json, "id") == last_id_) return json;
    }
    ADD_FAILURE() << program.errors();
    return nullptr;
  }
  static JsonObject answer(const Json& asked, std::string_view decision, std::string_view action = "accept") {
    return {
        {"requestState", *find(*find(asked, "result"), "requestState")},
        {"inputResponses",
         JsonObject{{"permission", JsonObject{{"action", action}, {"content", JsonObject{{"decision", decision}}}}}}}};
  }
  static bool asks(const Json& message) {
    const Json* result = find(message, "result");
    return result && find_string(*result, "resultType") == "input_required";
  }

  Program program;

 private:
  const Json capabilities_;
  std::int64_t last_id_ = 0;
};

TEST(McpServe, AsksAClientWithoutASessionByAnAnswerThatAsksForMore) {
  const TempFolder folder;
  ModernClient client(folder, {"--ask", "client"}, R"({"elicitation":{}})");
  const JsonObject make{{"command", "touch made"}};
  const Json asked = client.call("Bash", make);
  ASSERT_TRUE(ModernClient::asks(asked)) << to_json(asked);
  EXPECT_NE(to_json(asked).find("touch made"), std::string::npos) << "what is asked about is shown";
  EXPECT_FALSE(folder.bytes("made").has_value());
  const JsonObject yes = ModernClient::answer(asked, "allow");

  EXPECT_NE(to_json(client.call("Bash", {{"command", "touch other"}}, yes)).find("-32602"), std::string::npos)
      << "the answer is for another call";
  EXPECT_NE(to_json(client.call("Bash", make, yes)).find("-32602"), std::string::npos) << "it has been used";
  EXPECT_FALSE(folder.bytes("made").has_value());
  EXPECT_FALSE(folder.bytes("other").has_value());

  const Json again = client.call("Bash", make);
  ASSERT_TRUE(ModernClient::asks(again));
  const Json done = client.call("Bash", make, ModernClient::answer(again, "allow"));
  EXPECT_EQ(find_string(*find(done, "result"), "resultType"), "complete") << to_json(done);
  EXPECT_TRUE(folder.bytes("made").has_value());

  const JsonObject second{{"command", "touch second"}};
  const Json denied = client.call("Bash", second, ModernClient::answer(client.call("Bash", second), "deny"));
  EXPECT_EQ(find_bool(*find(denied, "result"), "isError"), true) << to_json(denied);
  EXPECT_FALSE(folder.bytes("second").has_value());
  EXPECT_TRUE(ModernClient::asks(client.call("Bash", make))) << "an allowance is for one call";
}

TEST(McpServe, AClientWithoutASessionThatCannotAskIsToldHowToAllow) {
  const TempFolder folder;
  ModernClient client(folder, {"--ask", "client"}, "{}");
  const std::string denied = to_json(client.call("Bash", {{"command", "touch made"}}));
  EXPECT_NE(denied.find("permissions.allow"), std::string::npos) << denied;
  EXPECT_FALSE(folder.bytes("made").has_value());
}

// Over HTTP.
class HttpServing {
 public:
  explicit HttpServing(const TempFolder& folder, const std::vector<std::string>& more = {})
      : program(setup(folder, with_http(more))) {
    const auto line = program.read_line();
    url = line ? std::string(find_string(*parse_json(*line), "url").value_or("")) : program.errors();
  }
  HttpResponse post(std::string body, HttpHeaders more = {}, std::string_view token = kToken) {
    HttpHeaders headers{{"Content-Type", "application/json"}, {"Accept", "application/json, text/event-stream"}};
    if (!token.empty()) headers.emplace_back("Authorization", "Bearer " + std::string(token));
    headers.insert(headers.end(), more.begin(), more.end());
    auto response = fetch(http,
                          {.method = "POST",
                           .url = url,
                           .headers = std::move(headers),
                           .body = std::move(body),
                           .body_bytes_max = std::size_t{8} << 20,
                           .use_proxy = false},
                          {});
    EXPECT_TRUE(response) << response.error().message;
    return response ? std::move(*response) : HttpResponse{};
  }
  HttpResponse modern(std::string_view method, JsonObject params, HttpHeaders more = {}) {
    params["_meta"] = JsonObject{{"io.modelcontextprotocol/protocolVersion", "2026-07-28"},
                                 {"io.modelcontextprotocol/clientCapabilities", JsonObject()}};
    more.emplace_back("MCP-Protocol-Version", "2026-07-28");
    more.emplace_back("Mcp-Method", std::string(method));
    return post(to_json(JsonObject{{"jsonrpc", "2.0"}, {"id", 1}, {"method", std::string(method)}, {"params", params}}),
                std::move(more));
  }
  static std::vector<std::string> with_http(const std::vector<std::string>& more) {
    std::vector<std::string> all{"--http", "127.0.0.1:0"};
    all.insert(all.end(), more.begin(), more.end());
    return all;
  }

  Program program;
  CurlHttpClient http{HttpNetwork{}};
  std::string url;
};

constexpr std::string_view kInitialize =
    R"({"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{}}})";

TEST(McpServe, OverHttpOnlyWhoHasTheTokenIsServed) {
  const TempFolder folder;
  HttpServing serving(folder);
  EXPECT_EQ(serving.post(std::string(kInitialize), {}, "").status, 401);
  EXPECT_EQ(serving.post(std::string(kInitialize), {}, "wrong").status, 401);
  EXPECT_EQ(serving.post(std::string(kInitialize), {{"Origin", "http://evil.example"}}).status, 403);
  EXPECT_EQ(serving.post(std::string(kInitialize)).status, 200);
}

TEST(McpServe, ServesBothErasOverHttp) {
  const TempFolder folder;
  folder.put("a.txt", "one\n");
  HttpServing serving(folder);
  const HttpResponse begun = serving.post(std::string(kInitialize));
  const std::string session(find_header(begun.headers, "mcp-session-id").value_or(""));
  ASSERT_FALSE(session.empty());
  const std::string call =
      R"({"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"Read","arguments":{"file_path":"a.txt"}}})";
  const HttpResponse streamed = serving.post(call, {{"Mcp-Session-Id", session}});
  EXPECT_EQ(find_header(streamed.headers, "content-type"), "text/event-stream");
  EXPECT_NE(streamed.body.find("one"), std::string::npos);
  EXPECT_EQ(serving.post(call).status, 400);
  EXPECT_EQ(serving.post(call, {{"Mcp-Session-Id", "no-such"}}).status, 404);
  const HttpResponse modern = serving.modern(
      "tools/call", {{"name", "Read"}, {"arguments", JsonObject{{"file_path", "a.txt"}}}}, {{"Mcp-Name", "Read"}});
  EXPECT_NE(modern.body.find("one"), std::string::npos) << modern.body;
  EXPECT_EQ(serving.modern("tools/call", {{"name", "Read"}}, {{"Mcp-Name", "Bash"}}).status, 400);
  EXPECT_EQ(serving.modern("ping", {}).status, 404);
  serving.program.send_signal(SIGTERM);
  EXPECT_EQ(serving.program.wait(), 0);
}

TEST(McpServe, NoClientReadsWhatWasStoredForAnother) {
  const TempFolder folder;
  HttpServing serving(folder, {"--settings", R"({"permissions":{"allow":["Bash"]}})"});
  std::vector<std::pair<std::string, std::string>> stored;  // session, uri
  for (int client = 0; client < 2; ++client) {
    const HttpResponse begun = serving.post(std::string(kInitialize));
    const std::string session(find_header(begun.headers, "mcp-session-id").value_or(""));
    const std::string body = serving
                                 .post(R"({"jsonrpc":"2.0","id":2,"method":"tools/call","params":)"
                                       R"({"name":"Bash","arguments":{"command":"seq 1 100000"}}})",
                                       {{"Mcp-Session-Id", session}})
                                 .body;
    const std::size_t at = body.find("deft://results/");
    ASSERT_NE(at, std::string::npos) << body.substr(0, 500);
    stored.emplace_back(session, body.substr(at, body.find('"', at) - at));
  }
  EXPECT_NE(stored[0].second, stored[1].second);
  const auto read = [&](const std::string& session, const std::string& uri) {
    return serving
        .post(R"({"jsonrpc":"2.0","id":3,"method":"resources/read","params":{"uri":")" + uri + R"("}})",
              {{"Mcp-Session-Id", session}})
        .body;
  };
  EXPECT_NE(read(stored[0].first, stored[0].second).find("99999"), std::string::npos);
  EXPECT_NE(read(stored[0].first, stored[1].second).find("-32002"), std::string::npos);
}

TEST(McpServe, FiftyClientsAtOnceAreAllAnswered) {
  const TempFolder folder;
  folder.put("a.txt", "one\n");
  HttpServing serving(folder);
  std::atomic<int> right = 0;
  std::vector<std::jthread> clients;
  for (int client = 0; client < 50; ++client) {
    clients.emplace_back([&] {
      for (int i = 0; i < 4; ++i) {
        const HttpResponse response =
            serving.modern("tools/call", {{"name", "Read"}, {"arguments", JsonObject{{"file_path", "a.txt"}}}},
                           {{"Mcp-Name", "Read"}});
        if (response.status == 200 && response.body.find("one") != std::string::npos) ++right;
      }
    });
  }
  clients.clear();
  EXPECT_EQ(right, 200);
}

TEST(McpServe, OffersTheToolsOfConfiguredServersTooAndTheirCallsPassTheSameGate) {
  const TempFolder folder;
  folder.put("a.txt", "one\n");
  ProgramSetup add = setup(folder, {});
  add.argv = {DEFT_PROGRAM,        "mcp", "add", "-s", "user", "inner", "--", DEFT_PROGRAM, "mcp", "serve",
              "--setting-sources", ""};
  Program adding(add);
  ASSERT_EQ(adding.wait(), 0) << adding.errors();
  ProgramSetup proxy = setup(folder, {});
  proxy.argv = {DEFT_PROGRAM, "mcp",        "serve",
                "--proxy",    "--settings", R"({"permissions":{"allow":["mcp__inner__Read"]}})"};
  StdioClient client(proxy);
  // The inner server may be there already, or comes later and that is told.
  client.request(1, "tools/list", "{}");
  std::string list = to_json(client.answer(1));
  for (int id = 2; list.find("mcp__inner__Read") == std::string::npos && id < 10; ++id) {
    client.notification("notifications/tools/list_changed");
    client.request(id, "tools/list", "{}");
    list = to_json(client.answer(id));
  }
  ASSERT_NE(list.find("mcp__inner__Read"), std::string::npos) << client.program.errors();
  client.call(20, "mcp__inner__Read", {{"file_path", "a.txt"}});
  EXPECT_NE(client.text(20).find("one"), std::string::npos);
  client.call(21, "mcp__inner__Bash", {{"command", "ls"}});
  EXPECT_NE(client.text(21).find("mcp__inner__Bash would have to be asked for"), std::string::npos);
  client.program.close_input();
  EXPECT_EQ(client.program.wait(), 0);
}

TEST(McpServe, TheFirstListHasTheToolsOfServersThatAreStillStarting) {
  const TempFolder folder;
  folder.put("a.txt", "one\n");
  const std::string servers = to_json(JsonObject{
      {"mcpServers", {{"inner", {{"command", DEFT_PROGRAM}, {"args", {"mcp", "serve", "--setting-sources", ""}}}}}}});
  StdioClient client(
      folder, {"--proxy", "--mcp-config", servers, "--settings", R"({"permissions":{"allow":["mcp__inner__Read"]}})"});
  client.call(1, "mcp__inner__Read", {{"file_path", "a.txt"}});
  client.request(2, "tools/list", "{}");
  EXPECT_NE(to_json(client.answer(2)).find("mcp__inner__Read"), std::string::npos);
  EXPECT_NE(client.text(1).find("one"), std::string::npos) << "neither is a call of one of them made in vain";
}

// A server of one tool and one resource, in the shell.
constexpr std::string_view kLinkingServer = R"sh(while read -r line; do
  id=${line##*\"id\":}; id=${id%%[,\}]*}
  say() { printf '{"jsonrpc":"2.0","id":%s,%s}\n' "$id" "$1"; }
  case $line in
    *'"initialize"'*) say '"result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{},"resources":{}},"serverInfo":{"name":"linking","version":"1"}}' ;;
    *'"tools/list"'*) say '"result":{"tools":[{"name":"look","inputSchema":{"type":"object"}}]}' ;;
    *'"tools/call"'*) say '"result":{"content":[{"type":"text","text":"hear"},{"type":"audio","data":"UklGRg==","mimeType":"audio/wav"},{"type":"resource_link","uri":"test://notes","name":"notes"}],"_meta":{"m":1}}' ;;
    *'"resources/read"'*) say '"result":{"contents":[{"uri":"test://notes","mimeType":"text/html","text":"<p>notes"}]}' ;;
    *'"id":'*) say '"error":{"code":-32601,"message":"no such method"}' ;;
  esac
done
)sh";

TEST(McpServe, AProxyPassesOnWhatServersGiveAndReadsWhatTheyHaveNamed) {
  const TempFolder folder;
  folder.put("linking", kLinkingServer);
  const std::string servers =
      to_json(JsonObject{{"mcpServers", {{"linking", {{"command", "sh"}, {"args", {folder.path() + "/linking"}}}}}}});
  StdioClient client(folder, {"--proxy", "--mcp-config", servers, "--settings",
                              R"({"permissions":{"allow":["mcp__linking__look","ReadMcpResourceTool"]}})"});
  client.request(1, "resources/read", R"({"uri":"test://notes"})");
  EXPECT_NE(to_json(client.answer(1)).find("-32002"), std::string::npos) << "nobody has named it yet";
  client.call(2, "mcp__linking__look", {});
  EXPECT_EQ(StdioClient::result_of(client.answer(2)),
            R"({"content":[{"type":"text","text":"hear"},{"type":"audio","data":"UklGRg==","mimeType":"audio/wav"},)"
            R"({"type":"resource_link","uri":"test://notes","name":"notes"}],"_meta":{"m":1}})");
  client.request(3, "resources/read", R"({"uri":"test://notes"})");
  EXPECT_EQ(StdioClient::result_of(client.answer(3)),
            R"({"contents":[{"uri":"test://notes","mimeType":"text/html","text":"<p>notes"}]})");
  client.call(4, "ReadMcpResourceTool", {{"server", "linking"}, {"uri", "test://notes"}});
  EXPECT_EQ(StdioClient::result_of(client.answer(4)),
            R"({"content":[{"type":"resource","resource":)"
            R"({"uri":"test://notes","mimeType":"text/html","text":"<p>notes"}}]})");
  client.program.close_input();
  EXPECT_EQ(client.program.wait(), 0);
}

TEST(McpServe, ALogTellsWhatWasDeniedAndAPlaceInAListThatNobodyGaveOutIsRefused) {
  const TempFolder folder;
  StdioClient client(folder);
  client.call(1, "Bash", {{"command", "touch x"}});
  const std::string said = to_json(client.notification("notifications/message"));
  EXPECT_NE(said.find(R"("level":"warning")"), std::string::npos) << said;
  EXPECT_NE(said.find(R"("outcome":"denied")"), std::string::npos) << said;
  client.answer(1);
  client.request(2, "tools/list", R"({"cursor":"2"})");
  EXPECT_NE(to_json(client.answer(2)).find("-32602"), std::string::npos);
  client.request(3, "tools/call", R"({"name":"Glob","arguments":{"pattern":"*"},"task":{"ttl":1000}})");
  EXPECT_EQ(to_json(client.answer(3)).find("\"error\""), std::string::npos)
      << "whoever wants a task where there are none gets the result";
}

TEST(McpServe, SaysWhatIsWrongWithItsArguments) {
  const TempFolder folder;
  const std::vector<std::vector<std::string>> all = {
      {"--http", "here"},     {"--http", "127.0.0.1:99999"},
      {"--ask", "everybody"}, {"--nonsense"},
      {"--events"},           {"--http", "127.0.0.1:0", "--token-file", "/no/such/file"}};
  for (const std::vector<std::string>& wrong : all) {
    Program program(setup(folder, wrong));
    EXPECT_EQ(program.wait(), 2) << wrong[0];
    EXPECT_NE(program.errors(), "");
  }
}

}  // namespace
}  // namespace deft::testing
