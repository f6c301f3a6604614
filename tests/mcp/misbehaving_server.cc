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

std::string mode;
int calls = 0;
int pages = 0;

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
  if (mode == "many-tools") {
    for (int i = 1; i < kManyTools; ++i) {
      JsonObject tool = echo_tool();
      tool["name"] = "tool" + std::to_string(i);
      tools.emplace_back(std::move(tool));
    }
  }
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
    Json result = JsonObject{
        {"protocolVersion", version},
        {"capabilities", {{"tools", {{"listChanged", true}}}, {"prompts", JsonObject{}}, {"resources", JsonObject{}}}},
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
    answer(request, JsonObject{{"content", {{{"type", "text"}, {"text", text}}}}});
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
  if (request.method == "ping") return answer(request, JsonObject{});
  write_line(deft::to_text(deft::rpc_failure(request.id, -32601, "not found")));
}

}  // namespace

int main(int argc, char** argv) {
  mode = argc > 1 ? argv[1] : "good";
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
