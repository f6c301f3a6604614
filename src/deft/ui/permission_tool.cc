#include "deft/ui/permission_tool.h"

#include <utility>
#include <vector>

#include "deft/core/mcp_server_word.h"
#include "deft/mcp/tool_definition.h"
#include "deft/ui/headless_host.h"

namespace deft {

Result<Json> permission_reply(const Json& tool_result) {
  if (find_bool(tool_result, "isError").value_or(false)) return fail(Errc::failed, "it says that it failed");
  const JsonArray* content = find_array(tool_result, "content");
  if (!content || content->size() != 1 || find_string(content->front(), "type") != "text") {
    return fail(Errc::failed, "its answer must be one text");
  }
  const std::string_view text = find_string(content->front(), "text").value_or("");
  auto reply = parse_json(text, {.bytes_max = kPermissionTextBytesMax});
  if (!reply || !reply->is_object()) return fail(Errc::failed, "its text must be a JSON object");
  const auto behavior = find_string(*reply, "behavior");
  if (behavior != "allow" && behavior != "deny") {
    return fail(Errc::failed, "its \"behavior\" must be \"allow\" or \"deny\"");
  }
  return reply;
}

void PermissionTool::show(Event event) {
  if (const auto* asked = std::get_if<PermissionAsked>(&event)) ask(*asked);
  if (const auto* withdrawn = std::get_if<PermissionWithdrawn>(&event)) {
    const std::lock_guard lock(mutex_);
    const auto found = asking_.find(withdrawn->id);
    if (found != asking_.end()) found->second.request_stop();
  }
}

void PermissionTool::stop() {
  std::map<std::string, std::jthread> rest;  // joined without the lock
  const std::lock_guard lock(mutex_);
  has_stopped_ = true;
  rest.swap(asking_);
}

void PermissionTool::ask(const PermissionAsked& asked) {
  std::vector<std::jthread> over;  // joined without the lock
  const std::lock_guard lock(mutex_);
  if (has_stopped_) return;
  for (const std::string& id : std::exchange(answered_, {})) over.push_back(std::move(asking_.extract(id).mapped()));
  asking_.emplace(asked.id, std::jthread([this, asked](const std::stop_token& stop) {
                    auto reply = reply_to(asked, stop);
                    if (!reply) reply.error().message = name_ + ": " + reply.error().message;
                    if (!stop.stop_requested()) {
                      session_.agent().feed(answer_of_host(asked.id, std::move(reply)));
                    }
                    const std::lock_guard last(mutex_);
                    answered_.push_back(asked.id);
                  }));
}

Result<Json> PermissionTool::reply_to(const PermissionAsked& asked, const std::stop_token& stop) {
  const auto found = find_tool(stop);
  if (!found) return std::unexpected(found.error());
  JsonObject question{{"tool_name", asked.call.name}, {"input", asked.call.input}, {"tool_use_id", asked.call.id}};
  const auto outcome = found->server->call_tool(found->tool, Json(std::move(question)), {}, stop);
  if (!outcome) return std::unexpected(mcp_call_error(found->server->name(), outcome.error()));
  return permission_reply(*outcome);
}

// By the names that the servers and their tools have: the whole is never taken apart.
Result<PermissionTool::Found> PermissionTool::find_tool(const std::stop_token& stop) {
  for (const auto& server : session_.servers().servers().connections()) {
    if (!name_.starts_with(mcp_server_word(server->name()) + "__")) continue;
    server->wait_until_settled(clock_.now() + kMcpConnectTimeout, stop);
    if (const auto down = server->down()) return fail(Errc::failed, *down);
    const auto tools = server->list(McpListKind::tools, stop);
    if (!tools) return std::unexpected(mcp_call_error(server->name(), tools.error()));
    std::vector<std::string> own;
    for (const Json& tool : tools->items) own.emplace_back(find_string(tool, "name").value_or(""));
    for (const McpToolName& tool : mcp_tool_names(server->name(), own)) {
      if (tool.full() == name_ || mcp_api_name(tool) == name_) return Found{server, tool.tool};
    }
  }
  return fail(Errc::not_found, "there is no such tool of an MCP server");
}

}  // namespace deft
