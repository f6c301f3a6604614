#include "deft/tools/host_tool.h"

#include <utility>

namespace deft {
namespace {

class HostTool final : public Tool {
 public:
  HostTool(ToolSpec spec, bool read_only_hint, bool destructive_hint)
      : spec_(std::move(spec)), read_only_hint_(read_only_hint), destructive_hint_(destructive_hint) {}

  const ToolSpec& spec() const override { return spec_; }
  bool is_concurrency_safe(const Json&, const SessionView&) const override { return read_only_hint_; }
  bool is_destructive(const Json&) const override { return destructive_hint_; }
  std::optional<Wait> wait_for(const Json&, ToolIo&) const override { return Wait{.for_host = true}; }

  Result<ToolResult> run(const Json&, ToolIo& io) override {
    if (!io.answer || !io.answer->is_object()) return fail(Errc::failed, "The host gave no usable answer.");
    const Json& answer = *io.answer;
    ToolResult result{.details = answer};
    if (find_bool(answer, "is_error").value_or(false)) result.error = Errc::failed;
    return result;
  }

  void map_result(const Json&, ToolResult& result) const override {
    const Json* content = find(result.details, "content");
    if (content && content->is_array()) {
      take_blocks(content->get_array(), result);
    } else if (content && content->is_string()) {
      result.text = view(content->get_string());
    } else if (content && !content->is_null()) {
      result.text = to_json(*content);
    }
    if (const Json* structured = find(result.details, "structured_content")) result.details = Json(*structured);
  }

 private:
  // Text joins the text; what is not text stays a block.
  static void take_blocks(const JsonArray& blocks, ToolResult& result) {
    for (const Json& block : blocks) {
      const auto text = find_string(block, "type") == "text" ? find_string(block, "text") : std::nullopt;
      if (!text) {
        result.blocks.push_back(block);
        continue;
      }
      if (!result.text.empty()) result.text += '\n';
      result.text += *text;
    }
  }

  ToolSpec spec_;
  bool read_only_hint_;
  bool destructive_hint_;
};

}  // namespace

Result<std::shared_ptr<Tool>> make_host_tool(const Json& definition) {
  const auto name = find_string(definition, "name");
  const Json* schema = find(definition, "input_schema");
  if (!name) return fail(Errc::invalid_input, "a tool needs a name");
  if (!schema || !schema->is_object() || find_string(*schema, "type") != "object") {
    return fail(Errc::invalid_input, "the tool " + json_quote(*name) + " needs an input_schema of type object");
  }
  const Json* annotations = find(definition, "annotations");
  const auto hint = [&](std::string_view key) { return annotations && find_bool(*annotations, key).value_or(false); };
  const bool read_only = hint("readOnlyHint");
  ToolSpec spec{.name = std::string(*name),
                .description = std::string(find_string(definition, "description").value_or("")),
                .input_schema = *schema,
                .on_interrupt = read_only ? OnInterrupt::cancel : OnInterrupt::block,
                .result_characters_declared = declared_result_maximum(find(definition, "_meta")),
                .origin = Origin::host};
  return std::make_shared<HostTool>(std::move(spec), read_only, hint("destructiveHint"));
}

}  // namespace deft
