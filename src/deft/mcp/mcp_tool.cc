#include "deft/mcp/mcp_tool.h"

#include <atomic>
#include <mutex>
#include <utility>

#include "deft/base/text.h"
#include "deft/mcp/content.h"

namespace deft {
namespace {

constexpr std::size_t kShownFailureCharacters = 1000;
constexpr std::int64_t kUrlElicitationRequired = -32042;

// Progress on its way from the server's thread to the call: not more often than somebody can look, and nothing once the
// call is over.
class ProgressGate {
 public:
  ProgressGate(std::function<void(Json)> report, const Clock& clock) : report_(std::move(report)), clock_(clock) {}

  void pass(const Json& params) {
    const std::lock_guard lock(mutex_);
    const TimePoint now = clock_.now();
    if (!report_ || (last_ && now - *last_ < kMcpProgressPause)) return;
    last_ = now;
    JsonObject shown{{"type", "mcp_progress"}};
    for (const std::string_view key : {"progress", "total", "message"}) {
      if (const Json* value = find(params, key)) shown[key] = *value;
    }
    report_(std::move(shown));
  }
  void close() {
    const std::lock_guard lock(mutex_);
    report_ = nullptr;
  }

 private:
  std::mutex mutex_;
  std::function<void(Json)> report_;  // this and all below under mutex_; null: closed
  const Clock& clock_;
  std::optional<TimePoint> last_;
};

class McpTool final : public Tool {
 public:
  McpTool(std::shared_ptr<McpCaller> server, McpToolDefinition definition, McpToolName name, bool changed,
          std::function<void()> was_run)
      : server_(std::move(server)),
        definition_(std::move(definition)),
        changed_(changed),
        was_run_(std::move(was_run)),
        spec_{.name = mcp_api_name(name),
              .aliases = {},
              .description = definition_.description.empty() ? definition_.title : definition_.description,
              .input_schema = definition_.input_schema} {
    spec_.output_schema = definition_.output_schema;
    spec_.search_hint = definition_.search_hint;
    spec_.should_defer = !definition_.always_load;
    spec_.always_load = definition_.always_load;
    spec_.result_characters_declared = definition_.result_characters_max;
    spec_.origin = Origin::mcp;
    spec_.mcp = std::move(name);
    if (!definition_.output_schema) return;
    // An output schema that cannot be used checks nothing: that is the server's loss.
    if (auto schema = Schema::compile(*definition_.output_schema)) output_schema_ = *std::move(schema);
  }

  const ToolSpec& spec() const override { return spec_; }
  std::optional<std::string> disabled() const override { return server_->down(); }
  bool is_concurrency_safe(const Json&, const SessionView&) const override { return definition_.read_only_hint; }
  bool is_destructive(const Json&) const override {
    return definition_.destructive_hint && !definition_.read_only_hint;
  }

  std::optional<OwnVerdict> check_permission(const Json&, const SessionView&) const override {
    if (definition_.requires_user_interaction) {
      return OwnVerdict{Verdict::ask, "the tool wants the user to take part", true};
    }
    if (changed_) {
      const std::string& server = server_->name();
      return OwnVerdict{Verdict::ask, "the server " + server +
                                          " describes this tool otherwise than when it was last allowed; the user can "
                                          "accept that with `deft mcp approve " +
                                          server + "`"};
    }
    return std::nullopt;
  }

  Result<ToolResult> run(const Json& input, ToolIo& io) override {
    McpCallOptions options;
    const auto gate = std::make_shared<ProgressGate>(io.progress, io.os.clock);
    if (io.progress) {
      options.progress = [gate](const Json& params) { gate->pass(params); };
    }
    options.headers = param_header_values(definition_.param_headers, input);
    options.as_task = definition_.needs_task;
    const auto outcome = server_->call_tool(definition_.name, input, std::move(options), io.stop);
    gate->close();
    if (!outcome) {
      return std::unexpected(mcp_call_error(server_->name(), outcome.error()));
    }
    changed_ = false;
    if (was_run_) was_run_();
    return mcp_tool_result(*outcome, server_->name(), output_schema_ ? &*output_schema_ : nullptr, io);
  }

  std::string render_use(const Json& input) const override {
    return server_->name() + ": " + (definition_.title.empty() ? definition_.name : definition_.title) + "(" +
           one_line(to_json(input), 200) + ")";
  }

 private:
  const std::shared_ptr<McpCaller> server_;
  const McpToolDefinition definition_;
  std::atomic<bool> changed_;
  const std::function<void()> was_run_;
  ToolSpec spec_;
  std::optional<Schema> output_schema_;
};

}  // namespace

Error mcp_call_error(const std::string& server, const McpFailure& failure) {
  const std::string why = one_line(failure.message, kShownFailureCharacters);
  if (failure.code == Errc::cancelled) return {Errc::cancelled, "The call was cancelled."};
  if (failure.rpc && failure.rpc->code == kUrlElicitationRequired) {
    return {Errc::denied, "The server " + server + " needs the user to visit a page first: " + why +
                              " Ask the user to do so, then call the tool again."};
  }
  if (failure.rpc) return {Errc::failed, "The server " + server + " refused the call: " + why};
  if (failure.not_processed) return {failure.code, "The server " + server + " did not get the call: " + why};
  if (failure.code == Errc::timeout) {
    return {Errc::timeout, "The server " + server + " gave no answer: " + why +
                               ". It may have done it all the same; look before you call it again."};
  }
  if (failure.code == Errc::failed) {
    return {failure.code, "The server " + server + " gave no answer that could be used: " + why +
                              ". It may have done it all the same; look before you call it again."};
  }
  return {failure.code, "The connection to the server " + server + " was lost during the call: " + why +
                            ". Nobody knows whether it was carried out, so it was not sent again; look before you do."};
}

std::shared_ptr<Tool> make_mcp_tool(std::shared_ptr<McpCaller> server, McpToolDefinition definition, McpToolName name,
                                    bool changed, std::function<void()> was_run) {
  return std::make_shared<McpTool>(std::move(server), std::move(definition), std::move(name), changed,
                                   std::move(was_run));
}

}  // namespace deft
