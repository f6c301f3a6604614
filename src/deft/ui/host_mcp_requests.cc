#include <memory>
#include <utility>

#include "deft/base/text.h"
#include "deft/core/mcp_server_word.h"
#include "deft/os/uuid.h"
#include "deft/ui/headless_host.h"
#include "deft/ui/host_requests.h"
#include "deft/ui/mcp_result.h"

// What a host wants of the session's MCP servers.

namespace deft {
namespace {

std::string text_at(const Json& wanted, std::string_view key) {
  return std::string(find_string(wanted, key).value_or(""));
}

std::string no_such_server(const std::string& name) {
  return "there is no MCP server " + json_quote(name.substr(0, 60));
}

// A call that is wrong by itself, whatever the server says; nothing: it may be tried.
std::optional<std::string> wrong_with_call(const Json& wanted) {
  if (text_at(wanted, "tool").empty()) return "\"tool\" is missing";
  if (const Json* arguments = find(wanted, "arguments"); arguments && !arguments->is_object()) {
    return "\"arguments\" must be an object";
  }
  if (const Json* checks = find(wanted, "check_permissions"); checks && !checks->is_bool()) {
    return "\"check_permissions\" must be true or false";
  }
  for (const char* key : {"input_files", "output_files", "expires_at", "timeout_ms"}) {
    if (find(wanted, key)) return std::string(key) + ": staged calls are not offered here";
  }
  return std::nullopt;
}

// What the server's tool gave, as the model would be shown it.
Result<JsonObject> answer_of(ToolResult result) {
  const bool is_of_server = !result.is_error() || result.error == Errc::failed;
  if (!is_of_server) return fail(*result.error, "The tool did not run: " + result.text);
  JsonObject answer{{"content", mcp_content_of(result)}};
  if (result.is_error()) answer["isError"] = true;
  if (const Json* structured = find(result.details, "structuredContent")) answer["structuredContent"] = *structured;
  if (!result.meta_text.empty()) {
    if (auto meta = parse_json(result.meta_text)) answer["_meta"] = std::move(*meta);
  }
  return answer;
}

bool is_policy(std::string_view word) { return is_among_words(word, "always_allow always_ask always_deny"); }

}  // namespace

// What the host says of single tools: always_deny and always_ask hold in every mode, as rules do. It allows none by
// this, as it can allow them otherwise; a word that is none asks.
void HostRequests::note_policies(const JsonObject& servers, bool replaces) {
  bool has_changed = false;
  for (const auto& member : servers) {
    const std::string server(member.key());
    const JsonArray* tools = member.value().is_object() ? find_array(member.value(), "tools") : nullptr;
    if (!tools && !(replaces && policies_.contains(server))) continue;
    ServerPolicy policy;
    for (std::size_t i = 0; tools && i < tools->size() && i < kHostToolPoliciesMax; ++i) {
      const std::string tool = text_at((*tools)[i], "name");
      const Json* said = find((*tools)[i], "permission_policy");
      if (tool.empty() || !said) continue;
      const std::string word = text_at((*tools)[i], "permission_policy");
      const std::string rule = mcp_server_word(server) + "__" + plain_mcp_word(tool);
      if (word == "always_deny") policy.denied.push_back(rule);
      if (word == "always_ask" || !is_policy(word)) policy.asked.push_back(rule);
    }
    policies_.insert_or_assign(server, std::move(policy));
    has_changed = true;
  }
  if (!has_changed) return;
  std::vector<std::string> denied, asked;
  for (const auto& [server, policy] : policies_) {
    denied.insert(denied.end(), policy.denied.begin(), policy.denied.end());
    asked.insert(asked.end(), policy.asked.begin(), policy.asked.end());
  }
  parts_.session.use_server_rules(std::move(denied), std::move(asked));
}

HostRequests::Answer HostRequests::mcp_status(const Json&) {
  return JsonObject{{"mcpServers", parts_.session.servers().statuses()}};
}

HostRequests::Answer HostRequests::mcp_set_servers(const Json& wanted) {
  const Json* servers = find(wanted, "servers");
  if (servers && servers->is_object()) note_policies(servers->get_object(), /*replaces=*/true);
  return parts_.session.servers().set_servers(servers ? *servers : Json());
}

HostRequests::Answer HostRequests::mcp_reconnect(const Json& wanted) {
  if (auto done = parts_.session.servers().reconnect(text_at(wanted, "serverName")); !done) {
    return std::unexpected(done.error());
  }
  return JsonObject{};
}

HostRequests::Answer HostRequests::mcp_toggle(const Json& wanted) {
  const bool enabled = find_bool(wanted, "enabled").value_or(true);
  if (auto done = parts_.session.servers().enable(text_at(wanted, "serverName"), enabled); !done) {
    return std::unexpected(done.error());
  }
  return JsonObject{};
}

// A server inside of the host says something by itself. Its answers come in answers; nothing else is waited for.
HostRequests::Answer HostRequests::mcp_message(const Json& wanted) {
  const std::string name = text_at(wanted, "server_name");
  if (!find_object(wanted, "message")) return fail(Errc::invalid_input, "\"message\" must be an object");
  if (!parts_.session.servers().take_host_message(name, *find(wanted, "message"))) {
    return fail(Errc::not_found, "the host has no MCP server " + json_quote(name.substr(0, 60)));
  }
  return JsonObject{};
}

// What the host wants from now on for the tools of one server, where the mode would allow them by itself.
HostRequests::Answer HostRequests::mcp_set_mode(const Json& wanted) {
  const std::string name = text_at(wanted, "serverName");
  const Json* mode = find(wanted, "mode");
  if (name.empty() || !mode) return fail(Errc::invalid_input, "\"serverName\" and \"mode\" are needed");
  std::optional<Mode> said;
  if (!mode->is_null()) {
    const auto word = find_string(wanted, "mode");
    if (word != "default" && word != "auto") {
      return fail(Errc::invalid_input, "\"mode\" must be default, auto or null");
    }
    said = word == "auto" ? Mode::auto_ : Mode::normal;
  }
  parts_.session.agent().engine().workshop().server_modes().set(plain_mcp_word(name), said);
  if (parts_.session.servers().servers().find(name)) return JsonObject{};
  return JsonObject{{"warning", no_such_server(name)}};
}

// A page that a tool brings along, for the host to show; a host reads nothing else of servers through us.
void HostRequests::mcp_read_resource(const HostRequest& request) {
  const std::string name = text_at(request.request, "serverName");
  const std::string uri = text_at(request.request, "uri");
  if (!uri.starts_with("ui://")) return parts_.port.refuse(request.id, "\"uri\" must begin with ui://");
  const auto server = parts_.session.servers().servers().find(name);
  if (!server) return parts_.port.refuse(request.id, no_such_server(name));
  work_.start(request.id, [server, uri](const std::stop_token& stop) -> Answer {
    const auto read = server->read_resource(uri, stop);
    if (!read) return std::unexpected(mcp_call_error(server->name(), read.error()));
    const JsonArray* contents = find_array(*read, "contents");
    return JsonObject{{"contents", contents ? *contents : JsonArray{}}};
  });
}

// Through the gate, as a call of the model's: whoever drives us may be the page of a stranger. It belongs to no message
// and the model does not hear of it.
void HostRequests::mcp_call(const HostRequest& request) {
  const Json& wanted = request.request;
  if (const auto wrong = wrong_with_call(wanted)) return parts_.port.refuse(request.id, *wrong);
  const std::string tool = text_at(wanted, "tool");
  Executor& executor = parts_.session.agent().engine().executor();
  const auto find_tool = [&] {
    const auto pool = executor.pool();
    const RegisteredTool* entry = pool->find(tool);
    return entry && entry->tool->spec().mcp ? entry->tool->spec().mcp : std::nullopt;
  };
  auto name = find_tool();
  if (!name && executor.idle()) {  // it may come before the servers are there
    parts_.session.wait_for_servers();
    name = find_tool();
  }
  if (!name) {
    return parts_.port.refuse(request.id,
                              "no MCP server that is connected has the tool " + json_quote(tool.substr(0, 200)));
  }
  if (parts_.session.servers().is_of_host(name->server)) {
    return parts_.port.refuse(request.id, "the server " + name->server + " is the host's own: it can call it directly");
  }
  const auto stopped = std::make_shared<std::stop_source>();
  CallPipeline::AskAndWait ask;
  if (parts_.host_decides) {
    ask = [&port = parts_.port, stopped](const PermissionAsked& asked) {
      return answer_of_host(asked.id, port.ask_and_wait(can_use_tool(asked), std::nullopt, stopped->get_token()));
    };
  }
  auto gate = executor.host_gate("host_" + random_uuid(), std::move(ask), stopped->get_token());
  const Json* arguments = find(wanted, "arguments");
  work_.start(request.id,
              [gate = std::move(gate), stopped, tool,
               input = arguments ? *arguments : Json(JsonObject{})](const std::stop_token& stop) -> Answer {
                const std::stop_callback stops(stop, [&] { stopped->request_stop(); });
                return answer_of(gate(tool, input));
              });
}

}  // namespace deft
