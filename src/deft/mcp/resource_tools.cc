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

  Result<ToolResult> run(const Json& input, ToolIo& io) override {
    const auto wanted = find_string(input, "server");
    if (wanted && !server_named(servers_, *wanted)) return no_such_server(servers_, *wanted);
    JsonArray resources;
    std::string problems;
    for (const auto& server : servers_()) {
      if (wanted && server->name() != *wanted) continue;
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
        "ListMcpResourcesTool or a link in a result names it";
    spec_.input_schema = JsonObject{{"type", "object"},
                                    {"properties",
                                     {{"server", {{"type", "string"}, {"description", "The name of the server"}}},
                                      {"uri", {{"type", "string"}, {"description", "The URI of the resource"}}}}},
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
  // A rule names the server: ReadMcpResourceTool(docs).
  bool matches_rule(const Json& input, std::string_view specifier) const override {
    return find_string(input, "server") == specifier;
  }

  Result<ToolResult> run(const Json& input, ToolIo& io) override {
    const std::string name(find_string(input, "server").value_or(""));
    const std::string uri(find_string(input, "uri").value_or(""));
    const auto server = server_named(servers_, name);
    if (!server) return no_such_server(servers_, name);
    const auto outcome = server->read_resource(uri, io.stop);
    if (!outcome) return std::unexpected(mcp_call_error(name, outcome.error()));
    return mcp_resource_result(*outcome, name, uri, io);
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
