#include "deft/lsp/lsp_tool.h"

#include <optional>
#include <utility>

#include "deft/base/path.h"
#include "deft/base/text.h"
#include "deft/lsp/lsp_query.h"
#include "deft/lsp/operation.h"
#include "deft/tools/file_access.h"

namespace deft::lsp {
namespace {

constexpr std::string_view kDescription =
    "Asks a language server about code: it knows what a name means, where a text search only finds the same letters.\n"
    "- operation: goto_definition, find_references, hover (type and documentation), goto_implementation, "
    "prepare_call_hierarchy, incoming_calls (who calls this), outgoing_calls (what this calls): of the name at line "
    "and "
    "column; document_symbols: what a file declares; workspace_symbols: names in the whole project that match query; "
    "diagnostics: errors and warnings of a file.\n"
    "- line and column count from 1, in characters, as Read and Grep show lines. Instead of a column, query may give "
    "the "
    "name that stands in that line.\n"
    "- Answers are lines of path:line:column with the source line. Servers for C and C++, Python, TypeScript and "
    "JavaScript, shell scripts, Go and Rust are found on the machine and started when they are needed: the first "
    "answer "
    "takes longer. Where there is none, use Grep.";

constexpr std::string_view kInputSchema = R"({
  "type": "object",
  "properties": {
    "operation": {
      "type": "string",
      "description": "goto_definition, find_references, hover, document_symbols, workspace_symbols, goto_implementation, prepare_call_hierarchy, incoming_calls, outgoing_calls or diagnostics."
    },
    "file_path": {"type": "string", "description": "The file; for workspace_symbols any file of the language."},
    "line": {"type": "integer", "minimum": 1, "description": "From 1."},
    "column": {"type": "integer", "minimum": 1, "description": "In characters, from 1: anywhere in the name."},
    "query": {
      "type": "string",
      "description": "workspace_symbols: a part of the name. With a line and no column: the name in that line."
    }
  },
  "required": ["operation"],
  "additionalProperties": false
})";

class LspTool final : public Tool {
 public:
  LspTool(std::shared_ptr<LanguageServers> servers, bool enabled) : servers_(std::move(servers)), enabled_(enabled) {}

  const ToolSpec& spec() const override { return spec_; }
  std::optional<std::string> disabled() const override {
    if (enabled_) return std::nullopt;
    return "Language servers are turned off in the settings (lsp.enabled).";
  }
  bool is_read_only(const Json&, const SessionView&) const override { return true; }
  // The server reads whatever the file includes.
  std::optional<Footprint> footprint(const Json&, const SessionView&) const override {
    return Footprint::reads_tree("/").and_session(Footprint::Use::read);
  }
  bool leaves_out_denied_files() const override { return true; }
  std::optional<std::vector<std::string>> permission_paths(const Json& input,
                                                           const SessionView& session) const override {
    const auto path = find_string(input, "file_path");
    return std::vector{absolute_path(path.value_or(""), session.working_directory())};
  }

  Result<void> validate(const Json& input, ToolIo&) const override {
    if (auto query = parse_query(input); !query) return std::unexpected(query.error());
    return {};
  }

  Result<ToolResult> run(const Json& input, ToolIo& io) override {
    auto query = parse_query(input);
    if (!query) return std::unexpected(query.error());
    if (!query->path.empty()) {
      auto file = open_file(io, query->path);  // whose errors say what to do
      if (!file) return std::unexpected(file.error());
      query->path = std::move(file->path);
      query->content = std::move(file->content);
    }
    auto answer = ask(*query, io);
    // A server that died meanwhile is started again, once.
    if (!answer && answer.error().code == Errc::io) answer = ask(*query, io);
    if (!answer) return std::unexpected(answer.error());
    JsonObject details{{"operation", traits_of(query->operation).name},
                       {"result", answer->text},
                       {"resultCount", answer->results},
                       {"fileCount", answer->files}};
    if (!query->path.empty()) details["filePath"] = query->path;
    return ToolResult{.details = std::move(details)};
  }

  void map_result(const Json&, ToolResult& result) const override {
    if (const auto text = find_string(result.details, "result")) result.text = *text;
  }

  std::string render_use(const Json& input) const override {
    std::string text = "LSP(" + one_line(find_string(input, "operation").value_or(""), 40);
    if (const auto path = find_string(input, "file_path")) text += " " + one_line(file_name(*path), 60);
    if (const auto line = find_int(input, "line")) text += ":" + std::to_string(*line);
    if (const auto query = find_string(input, "query")) text += " " + one_line(*query, 40);
    return text + ")";
  }

 private:
  Result<Answer> ask(const LspQuery& query, ToolIo& io) {
    if (!query.path.empty()) {
      auto server = servers_->server_for(query.path, io);
      if (!server) return std::unexpected(server.error());
      return ask_server(**server, query, io);
    }
    // Names of the project, from all who know some.
    const auto running = servers_->running();
    if (running.empty()) {
      return fail(Errc::invalid_input,
                  "No language server runs yet: give file_path too, of any file in the language that is meant.");
    }
    Answer all;
    std::optional<Error> error;
    for (const auto& server : running) {
      auto answer = ask_server(*server, query, io);
      if (!answer) {
        error = answer.error();
        continue;
      }
      if (!all.text.empty() && !answer->text.empty()) all.text += "\n";
      all.text += answer->text;
      all.results += answer->results;
      all.files += answer->files;
    }
    if (all.text.empty() && error) return std::unexpected(*error);
    return all;
  }

  const std::shared_ptr<LanguageServers> servers_;
  const bool enabled_;
  const ToolSpec spec_{.name = "LSP",
                       .description = std::string(kDescription),
                       .input_schema = parse_json(kInputSchema).value(),
                       .search_hint = "code intelligence definition references symbols type errors language server",
                       .path_fields = {"file_path"},
                       .on_interrupt = OnInterrupt::cancel};
};

}  // namespace

std::shared_ptr<Tool> make_lsp_tool(std::shared_ptr<LanguageServers> servers, bool enabled) {
  return std::make_shared<LspTool>(std::move(servers), enabled);
}

}  // namespace deft::lsp
