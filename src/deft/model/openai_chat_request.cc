#include "deft/model/openai_chat_request.h"

#include "deft/base/overloaded.h"
#include "deft/model/event_json.h"
#include "deft/model/openai_content.h"

namespace deft {
namespace {

constexpr std::string_view kReasoningField = "reasoning_content";

std::string part_json(const ContentPart& part) {
  return std::visit(
      Overloaded{
          [](const ContentText& text) { return "{\"type\":\"text\",\"text\":" + json_quote(text.text) + "}"; },
          [](const ContentImage& image) {
            return "{\"type\":\"image_url\",\"image_url\":{\"url\":" + json_quote(image.url) + "}}";
          },
          [](const ContentFile& file) {
            return "{\"type\":\"file\",\"file\":{\"filename\":" + json_quote(file.name) +
                   ",\"file_data\":" + json_quote(file.data_url) + "}}";
          },
      },
      part);
}

std::string call_json(const ContentCall& call) {
  std::string out = "{\"id\":" + json_quote(call.id) + R"(,"type":"function","function":{"name":)" +
                    json_quote(call.name) + ",\"arguments\":" + json_quote(call.arguments) + "}";
  if (!call.extra_content.empty()) append_member(out, "extra_content", call.extra_content);
  return out + "}";
}

// The thoughts of one message.
class Thoughts {
 public:
  void add(std::string_view block) {
    const auto json = parse_json(block);
    if (!json) return;
    text_ += string_or_empty(*json, "thinking");
    if (const auto field = find_string(*json, "reasoning_field")) field_ = *field;
    if (find_string(*json, "type") == "reasoning.encrypted") details_.push_back(*json);
    const JsonArray* details = find_array(*json, "reasoning_details");
    for (std::size_t i = 0; details && i < details->size(); ++i) details_.push_back((*details)[i]);
  }

  void append_to(std::string& message, const OpenAiChatDialect& dialect) const {
    using Wanted = OpenAiChatDialect::Thoughts;
    if (dialect.own_models || dialect.thoughts == Wanted::never) return;
    if (dialect.thoughts == Wanted::required) {  // an empty one is refused as if there were none
      append_member(message, kReasoningField, json_quote(text_.empty() ? " " : text_));
    } else if (field_ == kReasoningField && !text_.empty()) {
      append_member(message, kReasoningField, json_quote(text_));
    }
    if (!details_.empty()) append_member(message, "reasoning_details", to_json(details_));
  }

 private:
  std::string text_;
  std::string field_;
  JsonArray details_;
};

class Messages {
 public:
  explicit Messages(const OpenAiChatDialect& dialect) : dialect_(dialect) {}

  void add_system(const std::string& text) { add(R"({"role":"system","content":)" + json_quote(text) + "}"); }

  // Results are messages of their own and come first. They are texts: what is none follows with the user's own words.
  void add_user(const HistoryMessage& message) {
    const std::string content =
        dialect_.refused.pictures_of(message) ? without_pictures(message.content) : std::string();
    std::vector<ContentPart> parts;
    std::vector<ContentPart> others;
    for (ContentItem& item : content_items(content.empty() ? message.content : content)) {
      if (auto* part = std::get_if<ContentPart>(&item)) parts.push_back(std::move(*part));
      if (auto* result = std::get_if<ContentResult>(&item)) add_result(*result, others);
    }
    others.insert(others.end(), parts.begin(), parts.end());
    if (!others.empty()) add(R"({"role":"user","content":)" + parts_json(others, part_json) + "}");
  }

  void add_assistant(const HistoryMessage& message) {
    std::vector<ContentPart> parts;
    std::string calls;
    Thoughts thoughts;
    for (ContentItem& item : content_items(message.content)) {
      std::visit(Overloaded{
                     [&](ContentPart& part) { parts.push_back(std::move(part)); },
                     [&](ContentCall& call) {
                       calls += calls.empty() ? '[' : ',';
                       calls += call_json(call);
                     },
                     [&](ContentThought& thought) { thoughts.add(thought.json); },
                     [](auto&) {},
                 },
                 item);
    }
    const std::string text = joined_text(parts);
    if (text.empty() && calls.empty()) return;
    std::string out = R"({"role":"assistant","content":)" + (text.empty() ? "null" : json_quote(text));
    if (!calls.empty()) {
      if (!dialect_.refused.thoughts_of(message)) thoughts.append_to(out, dialect_);
      append_member(out, "tool_calls", calls + "]");
    }
    add(out + "}");
  }

  std::string take() { return (out_.empty() ? "[" : std::move(out_)) + "]"; }

 private:
  void add(std::string_view message) {
    out_ += out_.empty() ? '[' : ',';
    out_ += message;
  }

  void add_result(ContentResult& result, std::vector<ContentPart>& others) {
    std::string text = joined_text(result.parts);
    if (!is_all_text(result.parts)) {
      if (text.empty()) text = "What it gave follows the results.";
      others.emplace_back(ContentText{"From the call " + result.call_id + ":"});
      for (ContentPart& part : result.parts) {
        if (!std::holds_alternative<ContentText>(part)) others.push_back(std::move(part));
      }
    }
    add(R"({"role":"tool","tool_call_id":)" + json_quote(result.call_id) + ",\"content\":" + json_quote(text) + "}");
  }

  const OpenAiChatDialect& dialect_;
  std::string out_;
};

void append_tool_choice(std::string& out, const Json& choice) {
  const std::string_view type = find_string(choice, "type").value_or(std::string_view());
  if (type == "auto" || type == "none") append_member(out, "tool_choice", json_quote(type));
  if (type == "any") append_member(out, "tool_choice", "\"required\"");
  if (type == "tool") {
    append_member(out, "tool_choice",
                  R"({"type":"function","function":{"name":)" + json_quote(string_or_empty(choice, "name")) + "}}");
  }
  if (find_bool(choice, "disable_parallel_tool_use").value_or(false))
    append_member(out, "parallel_tool_calls", "false");
}

std::string response_format(const Json& format) {
  const Json* schema = find(format, "schema");
  return R"({"type":"json_schema","json_schema":{"name":"answer","schema":)" + (schema ? to_json(*schema) : "{}") +
         "}}";
}

}  // namespace

std::string openai_chat_tool(const OfferedTool& tool) {
  return R"({"type":"function","function":{"name":)" + json_quote(tool.name) + ",\"description\":" + tool.description +
         ",\"parameters\":" + tool.input_schema + "}}";
}

std::optional<OpenAiChatDialect> taught_by(const ModelFailure& failure, const OpenAiChatDialect& dialect) {
  using Thoughts = OpenAiChatDialect::Thoughts;
  if (failure.kind != ModelFailure::Kind::status || (failure.status != 400 && failure.status != 422)) return {};
  const auto says = [&](std::string_view words) { return failure.message.find(words) != std::string::npos; };
  OpenAiChatDialect taught = dialect;
  if (dialect.usage_option && says("stream_options")) {
    taught.usage_option = false;
  } else if (!dialect.own_models && !dialect.completion_tokens && says("max_completion_tokens")) {
    taught.completion_tokens = true;
  } else if (dialect.effort && says("reasoning_effort")) {
    taught.effort = false;
  } else if (dialect.thoughts != Thoughts::never && (says(kReasoningField) || says("reasoning_details"))) {
    const bool wants_them = says("missing") || says("Missing") || says("must be passed back") || says("required");
    const bool has_them = dialect.thoughts == Thoughts::required;
    if (wants_them && has_them) return {};
    taught.thoughts = wants_them ? Thoughts::required : Thoughts::never;
  } else {
    return {};
  }
  return taught;
}

std::string openai_chat_body(const ModelRequest& request, const std::string& tools, const OpenAiChatDialect& dialect) {
  std::string out = "{\"model\":" + json_quote(request.model);
  // The makers' newer models know only the one, other servers only the other.
  append_member(out, dialect.own_models || dialect.completion_tokens ? "max_completion_tokens" : "max_tokens",
                std::to_string(request.output_tokens_max));
  if (request.stream) {
    append_member(out, "stream", "true");
    if (dialect.usage_option) append_member(out, "stream_options", R"({"include_usage":true})");
  }
  const bool has_effort = dialect.effort && !request.effort.empty();
  if (has_effort) append_member(out, "reasoning_effort", json_quote(openai_effort(request.effort)));
  if (request.output_format) append_member(out, "response_format", response_format(*request.output_format));
  if (dialect.own_models && !request.session_id.empty()) {
    append_member(out, "prompt_cache_key", json_quote(request.session_id));
  }
  if (!tools.empty()) {
    if (request.tool_choice) append_tool_choice(out, *request.tool_choice);
    append_member(out, "tools", tools);
  }
  Messages messages(dialect);
  if (!request.system.empty()) messages.add_system(request.system);
  for (const HistoryMessage& message : *request.history) {
    message.role == Role::user ? messages.add_user(message) : messages.add_assistant(message);
  }
  append_member(out, "messages", messages.take());
  return out + "}";
}

}  // namespace deft
