#include "deft/testing/lsp_bench.h"

#include "deft/base/path.h"
#include "deft/os/capabilities.h"
#include "deft/testing/places.h"

namespace deft::testing {
namespace {

LanguageServerSpec fake_server(const TempFolder& folder, std::vector<std::string> arguments) {
  LanguageServerSpec spec{.name = "fake", .programs = {DEFT_FAKE_LANGUAGE_SERVER}};
  spec.arguments = std::move(arguments);
  spec.languages[".fake"] = "fake";
  spec.environment = {"FAKE_LSP_LOG=" + (folder / "server.log")};
  spec.settings = JsonObject{{"fake", JsonObject{{"level", 7}}}};
  return spec;
}

// Calls the observer where a tool would.
class LookingTool final : public Tool {
 public:
  explicit LookingTool(FileChangeObserver& observer) : observer_(observer) {}
  const ToolSpec& spec() const override { return spec_; }
  Result<ToolResult> run(const Json& input, ToolIo& io) override {
    const std::string paths[] = {std::string(*find_string(input, "path"))};
    return ToolResult{.text = observer_.look_at(paths, io)};
  }

 private:
  FileChangeObserver& observer_;
  const ToolSpec spec_{.name = "Look", .aliases = {}, .description = {}, .input_schema = JsonObject()};
};

}  // namespace

LspBench::LspBench(Options options) {
  lsp::LanguageServersOptions of_servers{
      .settings = std::move(options.settings), .profile = UseProfile::never, .can_restrict = can_run_read_only()};
  of_servers.settle_time = Duration::zero();
  of_servers.settings.diagnostics_wait = std::chrono::minutes(1);  // nobody waits so long
  of_servers.settings.servers.push_back(fake_server(folder, std::move(options.arguments)));
  servers = std::make_shared<lsp::LanguageServers>(std::move(of_servers));
  tool = lsp::make_lsp_tool(servers);
  bench.use(processes);
  PermissionSetup setup{
      .sources = {{.rules = std::move(options.rules)}}, .directory = folder.path(), .trusted = options.trusted};
  bench.use(std::make_shared<const Permissions>(std::move(setup)));
}

std::string LspBench::ask(std::string_view operation, std::string_view file, std::size_t line, std::size_t column,
                          std::string_view query) {
  JsonObject input{{"operation", operation}};
  if (!file.empty()) input["file_path"] = absolute_path(file, folder.path());
  if (line > 0) input["line"] = line;
  if (column > 0) input["column"] = column;
  if (!query.empty()) input["query"] = query;
  const auto result = call(input);
  return result ? result->text : result.error().message;
}

std::string LspBench::look_at(std::string_view file) {
  LookingTool looking(*servers);
  return bench.call(looking, JsonObject{{"path", folder / file}}).value().text;
}

}  // namespace deft::testing
