// An MCP server over standard input and output that misbehaves in the way its argument names. See kModes.
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <functional>
#include <iostream>
#include <map>
#include <string>
#include <string_view>
#include <thread>

#include "deft/base/json.h"
#include "deft/base/json_rpc.h"

namespace {

using deft::Json;
using deft::JsonArray;
using deft::JsonObject;
using deft::RpcRequest;

constexpr std::size_t kHugeLineBytes = std::size_t{100} << 20;
constexpr std::size_t kErrorFloodBytes = std::size_t{20} << 20;
constexpr int kFloodMessages = 20'000;
constexpr int kManyTools = 10'000;
constexpr int kFloodRequests = 5'000;
constexpr int kToolboxRest = 60;
constexpr std::size_t kDeepBytes = std::size_t{1} << 20;

std::string mode;
int calls = 0;
int pages = 0;
int looks = 0;
std::string task_text;
std::string own_name;

void write_raw(std::string_view text) {
  std::fwrite(text.data(), 1, text.size(), stdout);
  std::fflush(stdout);
}
void write_line(const std::string& text) { write_raw(text + "\n"); }
void answer(const RpcRequest& request, Json result) {
  write_line(deft::to_text(deft::rpc_answer(request.id, std::move(result))));
}
void pause() { std::this_thread::sleep_for(std::chrono::milliseconds(20)); }
void sleep_for_ever() {
  while (true) std::this_thread::sleep_for(std::chrono::hours(1));
}

JsonObject echo_tool() {
  return {{"name", "echo"},
          {"description", "Says what it is told."},
          {"inputSchema", {{"type", "object"}, {"properties", {{"text", {{"type", "string"}}}}}}}};
}

Json tools_page() {
  JsonArray tools{echo_tool()};
  if (mode == "recursive-schema") {
    JsonObject tree = echo_tool();
    tree["name"] = "tree";
    tree["inputSchema"] = {{"type", "object"},
                           {"properties", {{"children", {{"type", "array"}, {"items", {{"$ref", "#"}}}}}}}};
    tools.emplace_back(std::move(tree));
  }
  if (mode == "odd-names") {
    JsonObject tool = echo_tool();
    tool["name"] = "users/get.one";
    tools.emplace_back(tool);
    tool["name"] = "find_" + std::string(70, 'x');
    tools.emplace_back(tool);
  }
  if (mode == "named") tools[0].get_object()["name"] = own_name;
  if (mode == "tasks") tools[0].get_object()["execution"] = {{"taskSupport", "required"}};
  if (mode == "many-tools") {
    for (int i = 1; i < kManyTools; ++i) {
      JsonObject tool = echo_tool();
      tool["name"] = "tool" + std::to_string(i);
      tools.emplace_back(std::move(tool));
    }
  }
  if (mode == "toolbox") {
    const auto offer = [&](std::string name, std::string_view description) -> JsonObject& {
      JsonObject tool = echo_tool();
      tool["name"] = std::move(name);
      tool["description"] = description;
      tools.emplace_back(std::move(tool));
      return tools.back().get_object();
    };
    offer("slack_send", "Posts a text to a channel.")["inputSchema"].get_object()["required"] = {"text"};
    offer("slack_list", "Lists channels.");
    offer("notebook_run", "Runs a cell of a jupyter notebook.");
    offer("pinned", "Is never left out.")["_meta"] = {{"anthropic/alwaysLoad", true}};
    for (int i = 0; i < kToolboxRest; ++i) offer("record_" + std::to_string(i), "Keeps one record of an archive.");
  }
  if (mode == "hostile-tools") {
    JsonObject tool = echo_tool();
    tool["name"] = "loud";
    tool["description"] = "Reads.\x1b[2J\u202E\u200B Quietly." + std::string(10'000, 'x');
    tool["_meta"] = {{"anthropic/alwaysLoad", true}};
    tools.emplace_back(tool);
    // Each of these alone could be always loaded.
    const std::string words(60'000, 'w');
    tool["inputSchema"] = {{"type", "object"}, {"description", words}};
    tool["name"] = "greedy";
    tools.emplace_back(tool);
    tool["name"] = "greedier";
    tools.emplace_back(tool);
    tool["inputSchema"] = {{"type", "object"}, {"description", words + words + words + words + words}};
    tool["name"] = "huge";
    tools.emplace_back(tool);
    tool = echo_tool();
    tool["name"] = "get one";
    tools.emplace_back(tool);
    tool["name"] = "get_one";
    tools.emplace_back(tool);
  }
  if (mode == "wrong-types") return JsonObject{{"tools", {{"echo", echo_tool()}}}, {"nextCursor", 7}};
  if (mode == "odd-tools") {
    tools.emplace_back(JsonObject{{"name", "no schema"}});
    tools.emplace_back(JsonObject{{"name", "a\u202Eb"}, {"inputSchema", {{"type", "object"}}}});
    JsonObject twin = echo_tool();
    twin["description"] = "Takes the place of another.";
    tools.emplace_back(std::move(twin));
    tools.emplace_back(7);
  }
  JsonObject result{{"tools", std::move(tools)}};
  if (mode == "endless-pages") {
    result["tools"].get_array()[0].get_object()["name"] = "tool" + std::to_string(pages);
    result["nextCursor"] = "page " + std::to_string(++pages);
  }
  if (mode == "same-page") result["nextCursor"] = "again";
  return result;
}

void misbehave_at_call(const RpcRequest& request) {
  if (mode == "dies" || (mode == "dies-once" && calls == 1)) {
    std::fputs("the end is near\n", stderr);
    std::fflush(stderr);
    std::_Exit(3);
  }
  if (mode == "forks") {
    if (::fork() == 0) sleep_for_ever();
    std::_Exit(0);
  }
  if (mode == "closes-output") {
    std::fclose(stdout);
    ::close(1);
    sleep_for_ever();
  }
  if (mode == "huge-line") {
    const std::string piece(std::size_t{1} << 20, 'x');
    for (std::size_t sent = 0; sent < kHugeLineBytes; sent += piece.size()) write_raw(piece);
  }
  if (mode == "silent-call") sleep_for_ever();
  if (mode == "late" && calls == 1) {
    std::string line;
    std::getline(std::cin, line);  // the call is taken back; it is answered all the same
  }
  if (mode == "asks-flood") {
    for (int i = 0; i < kFloodRequests; ++i) {
      write_line(deft::to_text(RpcRequest{.id = deft::RpcId("q" + std::to_string(i)), .method = "roots/list"}));
    }
  }
  if (mode == "deep") write_line(std::string(kDeepBytes, '['));
  if (mode == "error") {
    write_line(deft::to_text(deft::rpc_failure(request.id, -32602, "there is no such thing")));
  }
}

void serve(const RpcRequest& request) {
  const Json none = JsonObject{};
  const Json& params = request.params ? *request.params : none;
  if (mode == "slow") pause();
  if (mode == "flood") {
    for (int i = 0; i < kFloodMessages; ++i) {
      write_raw(
          "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/message\",\"params\":{\"level\":\"info\",\"data\":1}}\n");
    }
  }
  if (mode == "stderr-flood") {
    const std::string piece(std::size_t{1} << 20, 'e');
    for (std::size_t sent = 0; sent < kErrorFloodBytes; sent += piece.size())
      std::fwrite(piece.data(), 1, piece.size(), stderr);
  }
  if (mode == "malformed") {
    write_line("Starting up!");
    write_line("{\"jsonrpc\":\"2.0\",\"id\":1,\"id\":2,\"result\":{}}");
    write_line("{\"jsonrpc\":");
    write_line("[1,2]");
  }
  if (mode == "wrong-ids") {
    answer({.id = deft::RpcId(987654), .method = ""}, JsonObject{});
    answer({.id = deft::RpcId(request.id.shown()), .method = ""}, JsonObject{});
  }
  if (request.method == "server/discover") {
    if (mode == "dies-at-discovery") std::_Exit(1);
    if (mode == "modern") {
      return answer(request, JsonObject{{"resultType", "complete"},
                                        {"supportedVersions", {"2026-07-28"}},
                                        {"capabilities", {{"tools", JsonObject{}}}}});
    }
    write_line(deft::to_text(deft::rpc_failure(request.id, -32601, "not found")));
    return;
  }
  if (request.method == "initialize") {
    if (mode == "modern") {
      write_line(
          deft::to_text(deft::rpc_failure(request.id, -32022, "too old", JsonObject{{"supported", {"2026-07-28"}}})));
      return;
    }
    const std::string version = mode == "future" ? "2099-01-01" : mode == "old" ? "2024-11-05" : "2025-11-25";
    JsonObject capabilities{{"tools", {{"listChanged", true}}},
                            {"prompts", JsonObject{}},
                            {"resources", {{"subscribe", mode == "watched"}}}};
    if (mode == "tasks") {
      capabilities["tasks"] = {{"cancel", JsonObject{}}, {"requests", {{"tools", {{"call", JsonObject{}}}}}}};
    }
    Json result = JsonObject{{"protocolVersion", version},
                             {"capabilities", std::move(capabilities)},
                             {"serverInfo", {{"name", mode}, {"version", "1"}}}};
    if (mode == "half-lines") {
      const std::string text = deft::to_text(deft::rpc_answer(request.id, result)) + "\r\n\r\n";
      write_raw(text.substr(0, 10));
      pause();
      write_raw(text.substr(10));
      return;
    }
    answer(request, std::move(result));
    return;
  }
  if (request.method == "tools/list") {
    answer(request, tools_page());
    if (mode == "slow-reader") sleep_for_ever();
    return;
  }
  if (request.method == "tools/call") {
    ++calls;
    misbehave_at_call(request);
    const deft::Json* arguments = deft::find(params, "arguments");
    const std::string text(arguments ? deft::find_string(*arguments, "text").value_or("") : "");
    if (mode == "asks") {
      write_line(deft::to_text(RpcRequest{.id = deft::RpcId(std::string("q")), .method = "roots/list"}));
      std::string line;
      std::getline(std::cin, line);
      answer(request, JsonObject{{"content", {{{"type", "text"}, {"text", line}}}}});
      return;
    }
    if (mode == "samples") {
      const Json question =
          JsonObject{{"messages", {{{"role", "user"}, {"content", {{"type", "text"}, {"text", "What is it?"}}}}}},
                     {"maxTokens", 50}};
      write_line(deft::to_text(
          RpcRequest{.id = deft::RpcId(std::string("s")), .method = "sampling/createMessage", .params = question}));
      std::string line;
      std::getline(std::cin, line);
      answer(request, JsonObject{{"content", {{{"type", "text"}, {"text", line}}}}});
      return;
    }
    if (mode == "tasks") {
      if (deft::find(params, "task") == nullptr) {
        write_line(deft::to_text(deft::rpc_failure(request.id, -32601, "this tool only runs as a task")));
        return;
      }
      task_text = text;
      return answer(request, JsonObject{{"task", {{"taskId", "one"}, {"status", "working"}, {"pollInterval", 1}}}});
    }
    if (mode == "wrong-types") return answer(request, JsonArray{1, "two"});
    if (mode == "watched") {
      write_line(deft::to_text(deft::RpcNotification{.method = "notifications/resources/updated",
                                                     .params = JsonObject{{"uri", "note://1"}}}));
    }
    if (mode == "progress") {
      const deft::Json* meta = deft::find(params, "_meta");
      const deft::Json* token = meta ? deft::find(*meta, "progressToken") : nullptr;
      for (int i = 1; token && i <= 3; ++i) {
        write_line(deft::to_text(
            deft::RpcNotification{.method = "notifications/progress",
                                  .params = JsonObject{{"progressToken", *token}, {"progress", i}, {"total", 3}}}));
      }
    }
    if (mode == "changes-tools") {
      write_line(deft::to_text(deft::RpcNotification{.method = "notifications/tools/list_changed"}));
      mode = "recursive-schema";
    }
    const std::string said = mode == "named" ? "by " + own_name : text;
    answer(request, JsonObject{{"content", {{{"type", "text"}, {"text", said}}}}});
    if (mode == "wrong-ids") answer(request, JsonObject{{"content", JsonArray{}}});
    return;
  }
  if (request.method == "prompts/list") {
    return answer(request, JsonObject{{"prompts", {{{"name", "greet"}, {"arguments", {{{"name", "who"}}}}}}}});
  }
  if (request.method == "prompts/get") {
    const deft::Json* arguments = deft::find(params, "arguments");
    const std::string who(arguments ? deft::find_string(*arguments, "who").value_or("") : "");
    return answer(request,
                  JsonObject{{"messages",
                              {{{"role", "user"}, {"content", {{"type", "text"}, {"text", "Greet " + who + "."}}}}}}});
  }
  if (request.method == "resources/list") {
    return answer(request, JsonObject{{"resources", {{{"uri", "note://1"}, {"name", "a note"}}}}});
  }
  if (request.method == "resources/read") {
    return answer(request, JsonObject{{"contents", {{{"uri", "note://1"}, {"text", "what the note says"}}}}});
  }
  if (request.method == "resources/subscribe" && mode == "watched") return answer(request, JsonObject{});
  if (request.method == "tasks/get") {
    const std::string_view status = ++looks < 3 ? "working" : "completed";
    return answer(request, JsonObject{{"taskId", "one"}, {"status", status}, {"pollInterval", 1}});
  }
  if (request.method == "tasks/result") {
    return answer(request, JsonObject{{"content", {{{"type", "text"}, {"text", "by a task: " + task_text}}}}});
  }
  if (request.method == "ping") return answer(request, JsonObject{});
  write_line(deft::to_text(deft::rpc_failure(request.id, -32601, "not found")));
}

}  // namespace

int main(int argc, char** argv) {
  mode = argc > 1 ? argv[1] : "good";
  own_name = argc > 2 ? argv[2] : "";
  if (mode == "exits") {
    std::fputs("no licence\n", stderr);
    return 4;
  }
  if (mode == "babbles") {
    while (true) write_line("hello");
  }
  std::string line;
  while (std::getline(std::cin, line)) {
    if (mode == "silent") continue;
    const auto message = deft::parse_rpc(line);
    if (!message) continue;
    if (const auto* request = std::get_if<RpcRequest>(&*message)) serve(*request);
  }
  return 0;
}
