#include "deft/agent/structured_output.h"

#include <algorithm>
#include <array>
#include <utility>

#include "deft/base/text.h"
#include "deft/core/schema.h"

namespace deft {
namespace {

constexpr std::size_t kFailureShownCharacters = 500;
constexpr std::size_t kRootReferencesMax = 10;

// The registry checks the input against the schema, as it does for every tool: what arrives here fits.
class StructuredOutputTool final : public Tool {
 public:
  explicit StructuredOutputTool(Json schema) {
    spec_.name = kStructuredOutputTool;
    spec_.description =
        "Gives your final answer in the form that is wanted: the input is the answer. Call it exactly once, when "
        "everything else is done. If the input does not fit, you are told what is wrong: repair it and call it again.";
    spec_.input_schema = std::move(schema);
    spec_.always_load = true;
  }
  const ToolSpec& spec() const override { return spec_; }
  bool is_read_only(const Json&, const SessionView&) const override { return true; }
  bool is_session_only(const Json&) const override { return true; }
  std::optional<Footprint> footprint(const Json&, const SessionView&) const override { return Footprint::nothing(); }
  Result<ToolResult> run(const Json& input, ToolIo&) override {
    return ToolResult{.text = "The answer was taken.", .details = input};
  }

 private:
  ToolSpec spec_;
};

// What a schema says about the whole may be there or behind a name: APIs want it at the root of a tool's input.
void put_named_type_at_root(Json& schema) {
  for (std::size_t step = 0; step < kRootReferencesMax; ++step) {
    const auto reference = find_string(schema, "$ref");
    if (!reference || !reference->starts_with("#/")) return;
    boost::system::error_code ec;
    const Json* target = schema.find_pointer(reference->substr(1), ec);
    if (!target || !target->is_object()) return;
    const JsonObject named = target->get_object();
    JsonObject& root = schema.get_object();
    root.stable_erase(root.find("$ref"));
    for (const auto& member : named) root.insert_or_assign(member.key(), member.value());
  }
}

// Whether an answer can be an object, though the schema says it in another way than APIs want it said.
bool means_object(const Json& schema) {
  if (const Json* type = find(schema, "type")) {
    return type->is_array() && std::ranges::find(type->get_array(), Json("object")) != type->get_array().end();
  }
  const auto decides = [&](const char* key) { return find(schema, key) != nullptr; };
  return find_object(schema, "properties") &&
         std::ranges::none_of(std::array{"$ref", "anyOf", "oneOf", "allOf"}, decides);
}

}  // namespace

Result<std::shared_ptr<StructuredOutput>> StructuredOutput::make(Json schema) {
  if (!schema.is_object()) return fail(Errc::invalid_input, "the JSON Schema of the answer must be an object");
  put_named_type_at_root(schema);
  if (means_object(schema)) schema.get_object()["type"] = "object";
  if (find_string(schema, "type") != "object") {
    return fail(Errc::invalid_input,
                "the JSON Schema of the answer must be one of an object (\"type\": \"object\"); put a list or a single "
                "value into a property of one");
  }
  if (const auto compiled = Schema::compile(schema); !compiled) {
    return fail(Errc::invalid_input, "the JSON Schema of the answer is not usable: " + compiled.error().message);
  }
  return std::shared_ptr<StructuredOutput>(
      new StructuredOutput(std::make_shared<StructuredOutputTool>(std::move(schema))));
}

void StructuredOutput::begin_turn() {
  value_.reset();
  failures_ = 0;
  last_failure_.clear();
}

StructuredOutput::State StructuredOutput::state() const {
  if (value_) return State::given;
  return failures_ > kStructuredOutputRetriesMax ? State::given_up : State::open;
}

StructuredOutput::State StructuredOutput::take(const std::vector<CallAnswered>& answers) {
  for (const CallAnswered& answer : answers) {
    if (answer.tool != kStructuredOutputTool) continue;
    if (answer.result.is_error()) {
      ++failures_;
      last_failure_ = one_line(answer.result.text, kFailureShownCharacters);
    } else {
      value_ = answer.result.details;
    }
  }
  return state();
}

StructuredOutput::State StructuredOutput::ended_without() {
  ++failures_;
  last_failure_ = "it ended without a call of " + std::string(kStructuredOutputTool);
  return state();
}

std::string StructuredOutput::explanation() const {
  return "the model gave no answer that fits the JSON Schema, in " + std::to_string(failures_) +
         " attempts; the last one: " + last_failure_;
}

}  // namespace deft
