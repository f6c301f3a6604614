#include "deft/testing/tool_bench.h"

namespace deft {

ToolBench::ToolBench(Files& files, std::string working_directory) : files_(files) {
  session_.directories = {working_directory};
  session_.working_directory = std::move(working_directory);
}

Result<ToolResult> ToolBench::call(Tool& tool, const Json& input) {
  if (auto good = validate(tool, input); !good) return std::unexpected(good.error());
  return run(tool, input);
}

Result<void> ToolBench::validate(const Tool& tool, const Json& input) {
  const SessionView view(session_, {});
  ToolIo io = make_io(view);
  return tool.validate(input, io);
}

Result<ToolResult> ToolBench::run(Tool& tool, const Json& input) {
  const SessionView view(session_, {});
  ToolIo io = make_io(view);
  auto result = tool.run(input, io);
  if (!result) return result;
  tool.map_result(input, *result);
  for (const Modifier& modifier : result->modifiers) session_.apply(modifier);
  session_.files.end_message();
  return result;
}

std::optional<Result<ToolResult>> ToolBench::run_briefly(Tool& tool, const Json& input) {
  const SessionView view(session_, {});
  ToolIo io = make_io(view);
  auto result = tool.run_briefly(input, io);
  if (result && *result) tool.map_result(input, **result);
  return result;
}

ToolIo ToolBench::make_io(const SessionView& view) {
  return {.os = {files_, *processes_, clock_},
          .session = view,
          .stop = stop_.get_token(),
          .progress = [this](Json shown) { progress_.push_back(std::move(shown)); },
          .call_id = "call_1",
          .outputs = outputs_,
          .changes = changes_,
          .permissions = permissions_};
}

}  // namespace deft
