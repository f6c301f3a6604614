// ListMcpResourcesTool and ReadMcpResourceTool: what servers offer to be read, through the same gate as everything
// else.
#include <algorithm>
#include <utility>

#include "deft/base/text.h"
#include "deft/mcp/content.h"
#include "deft/mcp/mcp_tool.h"

namespace deft {
namespace {

constexpr std::size_t kShownDescriptionCharacters = 200;

std::shared_ptr<McpCaller> server_named(const McpCallers& servers, std::string_view name) {
  for (auto& server : servers()) {
    if (server->name() == name) return server;
  }
  return nullptr;
}

std::string known_names(const McpCallers& servers) {
  std::vector<std::string> names;
  for (const auto& server : servers()) names.push_back(server->name());
  return names.empty() ? "none is configured" : join(names, ", ");
}

std::unexpected<Error> no_such_server(const McpCallers& servers, std::string_view name) {
  return fail(Errc::not_found, "There is no MCP server " + json_quote(name.substr(0, 100)) +
                                   ". Known servers: " + known_names(servers) + ".");
}

// Who forbids all of a server's tools wants nothing of that server.
Result<void> check_server(std::string_view name, const ToolIo& io) {
  const McpToolName any{.server = plain_mcp_word(name), .tool = {}};
  if (!io.permissions || !io.permissions->forbids_wholly("", {}, any)) return {};
  return fail(Errc::denied, "A rule denies the use of the MCP server " + json_quote(name.substr(0, 100)) + ".");
}

class ListResources final : public Tool {
 public:
  explicit ListResources(McpCallers servers) : servers_(std::move(servers)) {
    spec_.name = "ListMcpResourcesTool";
    spec_.description =
        "Lists the resources that MCP servers offer to be read: files, records, pages. Each has a server and a URI for "
        "ReadMcpResourceTool.\n\n- server (optional): only those of this server";
    spec_.input_schema = JsonObject{
        {"type", "object"},
        {"properties", {{"server", {{"type", "string"}, {"description", "The name of one server; all by default"}}}}},
        {"additionalProperties", false}};
    spec_.should_defer = true;
    spec_.search_hint = "list resources of MCP servers";
  }

  const ToolSpec& spec() const override { return spec_; }
  bool is_read_only(const Json&, const SessionView&) const override { return true; }
  std::optional<std::vector<std::string>> permission_paths(const Json&, const SessionView&) const override {
    return std::vector<std::string>{};
  }

  Result<void> validate(const Json& input, ToolIo& io) const override {
    const auto wanted = find_string(input, "server");
    return wanted ? check_server(*wanted, io) : Result<void>();
  }

  Result<ToolResult> run(const Json& input, ToolIo& io) override {
    const auto wanted = find_string(input, "server");
    if (wanted && !server_named(servers_, *wanted)) return no_such_server(servers_, *wanted);
    JsonArray resources;
    std::string problems;
    for (const auto& server : servers_()) {
      if (wanted && server->name() != *wanted) continue;
      if (!check_server(server->name(), io)) continue;
      for (const McpListKind kind : {McpListKind::resources, McpListKind::resource_templates}) {
        const auto list = server->list(kind, io.stop);
        if (io.stop.stop_requested()) return fail(Errc::cancelled, "The call was cancelled.");
        if (!list) {
          problems += "\n" + server->name() + ": " + one_line(list.error().message, kShownDescriptionCharacters);
          break;
        }
        for (const Json& item : list->items) add(resources, server->name(), item);
      }
    }
    ToolResult result;
    result.text = resources.empty() ? "No resources found." : to_json(resources);
    result.text += problems;
    result.details = std::move(resources);
    return result;
  }

 private:
  static void add(JsonArray& out, const std::string& server, const Json& item) {
    JsonObject shown{{"server", server}};
    for (const std::string_view key : {"uri", "uriTemplate", "name", "title", "mimeType", "description"}) {
      if (const auto text = find_string(item, key)) shown[key] = tamed_text(*text, 2 * kShownDescriptionCharacters);
    }
    out.push_back(std::move(shown));
  }

  const McpCallers servers_;
  ToolSpec spec_;
};

class ReadResource final : public Tool {
 public:
  explicit ReadResource(McpCallers servers) : servers_(std::move(servers)) {
    spec_.name = "ReadMcpResourceTool";
    spec_.description =
        "Reads a resource of an MCP server.\n\n- server: the name of the server\n- uri: the URI of the resource, as "
        "ListMcpResourcesTool or a link in a result names it\n- subscribe (optional): true to be told when it changes "
        "from now on, if the server can tell; false to be told no more";
    spec_.input_schema = JsonObject{
        {"type", "object"},
        {"properties",
         {{"server", {{"type", "string"}, {"description", "The name of the server"}}},
          {"uri", {{"type", "string"}, {"description", "The URI of the resource"}}},
          {"subscribe", {{"type", "boolean"}, {"description", "Be told when it changes (true), or no more (false)"}}}}},
        {"required", {"server", "uri"}},
        {"additionalProperties", false}};
    spec_.should_defer = true;
    spec_.search_hint = "read a resource of an MCP server by URI";
  }

  const ToolSpec& spec() const override { return spec_; }
  bool is_read_only(const Json&, const SessionView&) const override { return true; }
  std::optional<std::vector<std::string>> permission_paths(const Json&, const SessionView&) const override {
    return std::vector<std::string>{};
  }
  Result<void> validate(const Json& input, ToolIo& io) const override {
    return check_server(find_string(input, "server").value_or(""), io);
  }

  Result<ToolResult> run(const Json& input, ToolIo& io) override {
    const std::string name(find_string(input, "server").value_or(""));
    const std::string uri(find_string(input, "uri").value_or(""));
    const auto server = server_named(servers_, name);
    if (!server) return no_such_server(servers_, name);
    std::string said;
    // First: what changes while it is read is told then.
    if (const auto subscribe = find_bool(input, "subscribe")) {
      const auto watched = server->watch_resource(uri, *subscribe, io.stop);
      if (io.stop.stop_requested()) return fail(Errc::cancelled, "The call was cancelled.");
      said = !watched     ? "You will not be told of changes: " + one_line(watched.error().message, 200) + "."
             : *subscribe ? "You will be told when it changes."
                          : "You will not be told of changes any more.";
    }
    const auto outcome = server->read_resource(uri, io.stop);
    if (!outcome) return std::unexpected(mcp_call_error(name, outcome.error()));
    ToolResult result = mcp_resource_result(*outcome, name, uri, io);
    if (!said.empty()) result.text += (result.text.empty() ? "" : "\n") + said;
    return result;
  }

 private:
  const McpCallers servers_;
  ToolSpec spec_;
};

}  // namespace

std::shared_ptr<Tool> make_list_mcp_resources_tool(McpCallers servers) {
  return std::make_shared<ListResources>(std::move(servers));
}

std::shared_ptr<Tool> make_read_mcp_resource_tool(McpCallers servers) {
  return std::make_shared<ReadResource>(std::move(servers));
}

}  // namespace deft
