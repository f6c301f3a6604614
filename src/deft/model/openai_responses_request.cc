#include "deft/model/openai_responses_request.h"

#include "deft/base/overloaded.h"
#include "deft/core/message_content.h"
#include "deft/model/event_json.h"
#include "deft/model/openai_content.h"

namespace deft {
namespace {

std::string part_json(const ContentPart& part) {
  return std::visit(
      Overloaded{
          [](const ContentText& text) { return "{\"type\":\"input_text\",\"text\":" + json_quote(text.text) + "}"; },
          [](const ContentImage& image) {
            return "{\"type\":\"input_image\",\"image_url\":" + json_quote(image.url) + "}";
          },
          [](const ContentFile& file) {
            return "{\"type\":\"input_file\",\"filename\":" + json_quote(file.name) +
                   ",\"file_data\":" + json_quote(file.data_url) + "}";
          },
      },
      part);
}

// A thought of this API's own goes back sealed, as it came; others stay away.
std::string reasoning_json(std::string_view block) {
  const auto json = parse_json(block);
  if (!json || !find_array(*json, "summary")) return {};
  const std::string sealed = string_or_empty(*json, "signature");
  if (sealed.empty()) return {};
  std::string out = "{";
  append_member(out, "type", "\"reasoning\"");
  if (const auto id = find_string(*json, "id")) append_member(out, "id", json_quote(*id));
  append_member(out, "summary", to_json(*find(*json, "summary")));
  append_member(out, "encrypted_content", json_quote(sealed));
  return out + "}";
}

class Items {
 public:
  explicit Items(const OpenAiResponsesDialect& dialect) : dialect_(dialect) {}

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
    const bool no_thoughts = dialect_.refused.thoughts_of(message);
    for (ContentItem& item : content_items(message.content)) {
      std::visit(Overloaded{
                     [&](ContentPart& part) {
                       const auto* text = std::get_if<ContentText>(&part);
                       if (text && !text->text.empty()) add_text(*text);
                     },
                     [&](ContentCall& call) {
                       add(R"({"type":"function_call","call_id":)" + json_quote(api_call_id(call.id)) +
                           ",\"name\":" + json_quote(call.name) + ",\"arguments\":" + json_quote(call.arguments) + "}");
                     },
                     [&](ContentThought& thought) {
                       const std::string item_json = no_thoughts ? std::string() : reasoning_json(thought.json);
                       if (!item_json.empty()) add(item_json);
                     },
                     [&](ContentOther& other) {
                       if (!no_thoughts) add(other.json);  // the API refuses it without the thought that led to it
                     },
                     [](ContentResult&) {},
                 },
                 item);
    }
  }

  std::string take() { return (out_.empty() ? "[" : std::move(out_)) + "]"; }

 private:
  void add_text(const ContentText& text) {
    std::string item = R"({"role":"assistant","content":)" + json_quote(text.text);
    if (!text.phase.empty()) append_member(item, "phase", json_quote(text.phase));
    add(item + "}");
  }

  void add(std::string_view item) {
    out_ += out_.empty() ? '[' : ',';
    out_ += item;
  }

  // Pictures inside a result are known to the makers' API; elsewhere they follow with the user's words.
  void add_result(ContentResult& result, std::vector<ContentPart>& others) {
    const bool all_text = is_all_text(result.parts);
    std::string output = parts_json(result.parts, part_json);
    if (!all_text && !dialect_.own_models) {
      std::string text = joined_text(result.parts);
      if (text.empty()) text = "What it gave follows the results.";
      output = json_quote(text);
      others.emplace_back(ContentText{"From the call " + result.call_id + ":"});
      for (ContentPart& part : result.parts) {
        if (!std::holds_alternative<ContentText>(part)) others.push_back(std::move(part));
      }
    }
    add(R"({"type":"function_call_output","call_id":)" + json_quote(api_call_id(result.call_id)) +
        ",\"output\":" + output + "}");
  }

  const OpenAiResponsesDialect& dialect_;
  std::string out_;
};

void append_tool_choice(std::string& out, const Json& choice) {
  const std::string_view type = find_string(choice, "type").value_or(std::string_view());
  if (type == "auto" || type == "none") append_member(out, "tool_choice", json_quote(type));
  if (type == "any") append_member(out, "tool_choice", "\"required\"");
  if (type == "tool") {
    append_member(out, "tool_choice",
                  R"({"type":"function","name":)" + json_quote(string_or_empty(choice, "name")) + "}");
  }
  if (find_bool(choice, "disable_parallel_tool_use").value_or(false))
    append_member(out, "parallel_tool_calls", "false");
}

std::string text_format(const Json& format) {
  const Json* schema = find(format, "schema");
  return R"({"format":{"type":"json_schema","name":"answer","strict":false,"schema":)" +
         (schema ? to_json(*schema) : "{}") + "}}";
}

}  // namespace

std::string openai_responses_tool(const OfferedTool& tool) {
  // Strict is the API's default, and asks for schemas without optional properties.
  return R"({"type":"function","name":)" + json_quote(tool.name) + ",\"description\":" + tool.description +
         ",\"parameters\":" + tool.input_schema + ",\"strict\":false}";
}

std::optional<OpenAiResponsesDialect> taught_by(const ModelFailure& failure, const OpenAiResponsesDialect& dialect) {
  if (failure.kind != ModelFailure::Kind::status || failure.status != 400) return std::nullopt;
  const auto says = [&](std::string_view words) { return failure.message.find(words) != std::string::npos; };
  OpenAiResponsesDialect taught = dialect;
  if (dialect.effort && says("reasoning.effort")) {
    taught.effort = false;
  } else if (dialect.own_models && dialect.sealed && says("ncrypted content is not supported")) {
    taught.sealed = false;
  } else {
    return std::nullopt;
  }
  return taught;
}

std::string openai_responses_body(const ModelRequest& request, const std::string& tools,
                                  const OpenAiResponsesDialect& dialect) {
  std::string out = "{\"model\":" + json_quote(request.model);
  append_member(out, "max_output_tokens", std::to_string(request.output_tokens_max));
  append_member(out, "store", "false");
  if (request.stream) append_member(out, "stream", "true");
  if (dialect.effort && !request.effort.empty()) {
    append_member(out, "reasoning", "{\"effort\":" + json_quote(openai_effort(request.effort)) + "}");
  }
  if (dialect.own_models && dialect.sealed) append_member(out, "include", R"(["reasoning.encrypted_content"])");
  if (request.output_format) append_member(out, "text", text_format(*request.output_format));
  if (dialect.own_models && !request.session_id.empty()) {
    append_member(out, "prompt_cache_key", json_quote(request.session_id));
  }
  if (!tools.empty()) {
    if (request.tool_choice) append_tool_choice(out, *request.tool_choice);
    append_member(out, "tools", tools);
  }
  if (!request.system.empty()) append_member(out, "instructions", json_quote(request.system.str()));
  Items items(dialect);
  for (const HistoryMessage& message : *request.history) {
    message.role == Role::user ? items.add_user(message) : items.add_assistant(message);
  }
  append_member(out, "input", items.take());
  return out + "}";
}

}  // namespace deft
