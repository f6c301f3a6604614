// What the official conformance suite drives: a small client on the library. The suite names the scenario in
// MCP_CONFORMANCE_SCENARIO, says more in MCP_CONFORMANCE_CONTEXT, and appends the server's URL to the command line.
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <string_view>

#include "conformance_login.h"
#include "deft/base/clock.h"
#include "deft/mcp/client.h"
#include "deft/mcp/http_headers.h"
#include "deft/mcp/http_transport.h"
#include "deft/mcp/sse_transport.h"
#include "deft/os/curl_http_client.h"

namespace deft {
namespace {

std::string environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? std::string() : std::string(value);
}

Json context() {
  const std::string text = environment("MCP_CONFORMANCE_CONTEXT");
  auto value = parse_json(text.empty() ? "{}" : text);
  return value ? *std::move(value) : Json(JsonObject{});
}

// Something that fits, for each argument that has to be there.
Json sample_value(const Json& schema) {
  if (const Json* fallback = find(schema, "default")) return *fallback;
  if (const JsonArray* choices = find_array(schema, "enum"); choices != nullptr && !choices->empty()) {
    return choices->front();
  }
  const std::string_view type = find_string(schema, "type").value_or("string");
  if (type == "integer" || type == "number") return 5;
  if (type == "boolean") return true;
  if (type == "array") return JsonArray{};
  if (type == "object") return JsonObject{};
  return "test";
}

JsonObject sample_arguments(const Json& schema) {
  JsonObject out;
  const JsonArray* required = find_array(schema, "required");
  const JsonObject* properties = find_object(schema, "properties");
  if (required == nullptr || properties == nullptr) return out;
  for (const Json& name : *required) {
    if (!name.is_string()) continue;
    const Json* property = properties->if_contains(view(name.get_string()));
    out[name.get_string()] = property == nullptr ? Json("test") : sample_value(*property);
  }
  return out;
}

class Visit {
 public:
  Visit(McpClient& client, Json context) : client_(client), context_(std::move(context)) {}

  int run() {
    if (!check("connect", client_.connect({}))) return 1;
    const auto tools = client_.list(McpListKind::tools, {});
    if (!check("tools/list", tools)) return 1;
    bool all_well = true;
    for (const auto& [name, arguments] : calls(tools->items)) {
      const Json* tool = tool_named(tools->items, name);
      const auto headers = tool == nullptr ? std::vector<McpParamHeader>{} : usable_headers(*tool);
      auto outcome = client_.call_tool(
          name, arguments, {.progress = [](Json) {}, .headers = param_header_values(headers, arguments)}, {});
      all_well = check(name.c_str(), outcome) && all_well;
    }
    all_well = read_resources() && all_well;
    all_well = get_prompts() && all_well;
    return all_well ? 0 : 1;
  }

 private:
  struct Call {
    std::string name;
    Json arguments;
  };

  template <class T>
  static bool check(const char* what, const std::expected<T, McpFailure>& outcome) {
    if (outcome) return true;
    std::fprintf(stderr, "%s: %s\n", what, outcome.error().message.c_str());
    return false;
  }

  static const Json* tool_named(const std::vector<Json>& tools, std::string_view name) {
    for (const Json& tool : tools) {
      if (find_string(tool, "name") == name) return &tool;
    }
    return nullptr;
  }

  static std::vector<McpParamHeader> usable_headers(const Json& tool) {
    const Json* schema = find(tool, "inputSchema");
    auto headers = schema == nullptr ? std::vector<McpParamHeader>{}
                                     : param_headers(*schema).value_or(std::vector<McpParamHeader>{});
    return headers;
  }

  std::vector<Call> calls(const std::vector<Json>& tools) const {
    std::vector<Call> out;
    if (const JsonArray* wanted = find_array(context_, "toolCalls")) {
      for (const Json& call : *wanted) {
        const Json* arguments = find(call, "arguments");
        out.push_back({std::string(find_string(call, "name").value_or("")),
                       arguments == nullptr ? Json(JsonObject{}) : *arguments});
      }
      return out;
    }
    for (const Json& tool : tools) {
      const Json* schema = find(tool, "inputSchema");
      // A tool whose annotations are against the rules is not used, as in deft.
      if (schema == nullptr || !param_headers(*schema)) continue;
      JsonObject arguments = sample_arguments(*schema);
      // One tool wants to see a schema of another as we got it.
      const Json* other = find(tools.front(), "inputSchema");
      if (arguments.contains("schema") && other != nullptr) arguments["schema"] = *other;
      out.push_back({std::string(find_string(tool, "name").value_or("")), std::move(arguments)});
    }
    return out;
  }

  bool read_resources() {
    const auto resources = client_.list(McpListKind::resources, {});
    if (!check("resources/list", resources)) return false;
    bool all_well = true;
    for (const Json& resource : resources->items) {
      all_well =
          check("resources/read", client_.read_resource(find_string(resource, "uri").value_or(""), {})) && all_well;
    }
    return all_well;
  }

  bool get_prompts() {
    const auto prompts = client_.list(McpListKind::prompts, {});
    if (!check("prompts/list", prompts)) return false;
    bool all_well = true;
    for (const Json& prompt : prompts->items) {
      all_well = check("prompts/get", client_.get_prompt(find_string(prompt, "name").value_or(""), {}, {})) && all_well;
    }
    return all_well;
  }

  McpClient& client_;
  const Json context_;
};

int run(const std::string& url) {
  const SystemClock clock;
  CurlHttpClient http((HttpNetwork()));
  const auto login = make_conformance_login(http, clock, url, environment("MCP_CONFORMANCE_SCENARIO"), context());
  McpHandlers handlers;
  handlers.roots = [] { return std::vector<std::string>{"/tmp"}; };
  handlers.sampling = [](const Json&, const std::stop_token&) -> Result<Json> {
    return JsonObject{{"role", "assistant"},
                      {"content", {{"type", "text"}, {"text", "a sample"}}},
                      {"model", "scripted"},
                      {"stopReason", "endTurn"}};
  };
  handlers.elicitation = [](const McpElicitation& elicitation, const std::stop_token&) -> Result<Json> {
    JsonObject content;
    if (const JsonObject* properties = find_object(elicitation.schema, "properties")) {
      for (const auto& [name, field] : *properties) {
        if (find(field, "default") == nullptr) content[name] = sample_value(field);
      }
    }
    return JsonObject{{"action", "accept"}, {"content", std::move(content)}};
  };
  handlers.noted = [](const std::string& text) { std::fprintf(stderr, "note: %s\n", text.c_str()); };
  McpClient client(clock,
                   {.server = "conformance",
                    .client_name = "deft-conformance",
                    .make_transport = [&](bool old_sse) -> std::unique_ptr<McpTransport> {
                      const HttpTransport::Options options{.url = url, .authorizer = login.get()};
                      if (old_sse) return std::make_unique<SseTransport>(http, clock, options);
                      return std::make_unique<HttpTransport>(http, clock, options);
                    }},
                   std::move(handlers));
  const int code = Visit(client, context()).run();
  client.close();
  return code;
}

}  // namespace
}  // namespace deft

int main(int argc, char** argv) {
  if (argc < 2) {
    std::fprintf(stderr, "usage: %s … URL\n", argv[0]);
    return 2;
  }
  return deft::run(argv[argc - 1]);
}
