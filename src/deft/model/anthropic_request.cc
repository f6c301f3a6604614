#include "deft/model/anthropic_request.h"

#include <array>
#include <initializer_list>

#include "deft/base/contains.h"
#include "deft/core/message_content.h"
#include "deft/model/event_json.h"
#include "deft/model/tool_references.h"

namespace deft {
namespace {

constexpr std::int64_t kThinkingTokensMin = 1'024;  // the API's
constexpr std::size_t kContentsKnownMax = 100'000;
constexpr std::size_t kMarkedMessagesMax = 2;  // with tools and system prompt: the four that the API allows

std::string cache_mark(const AnthropicDialect& dialect) {
  if (dialect.cache_ttl.empty()) return {};
  if (dialect.cache_ttl == "5m") return R"("cache_control":{"type":"ephemeral"})";  // what every server knows
  return R"("cache_control":{"type":"ephemeral","ttl":)" + json_quote(dialect.cache_ttl) + "}";
}

// "[…,{…}]" with one more member in its last object.
void append_marked(std::string& out, std::string_view array, std::string_view member) {
  const bool has_end = array.ends_with("}]") && !array.ends_with("{}]");
  if (member.empty() || !has_end) {
    out += array;
    return;
  }
  out += array.substr(0, array.size() - 2);
  out += ',';
  out += member;
  out += "}]";
}

void append_member(std::string& out, std::string_view key, std::string_view json) {
  out += ',';
  append_json_string(out, key);
  out += ':';
  out += json;
}

// Thoughts are part of the answer and must be able to end before it does.
std::string thinking_json(const ModelRequest& request) {
  if (!request.thinking) return {};
  const auto budget = find_int(*request.thinking, "budget_tokens");
  const auto most = static_cast<std::int64_t>(request.output_tokens_max) - 1;
  if (!budget || *budget <= most) return to_json(*request.thinking);
  if (most < kThinkingTokensMin) return {};
  Json fitting = *request.thinking;
  fitting.get_object()["budget_tokens"] = most;
  return to_json(fitting);
}

std::string output_config(const ModelRequest& request) {
  JsonObject config;
  if (!request.effort.empty()) config["effort"] = request.effort;
  if (request.output_format) config["format"] = *request.output_format;
  return config.empty() ? std::string() : to_json(config);
}

// Only blocks of other providers have any of these. Inside a text quotes are escaped, so a text is never one of them;
// an input may be, and is then only looked at more closely.
bool may_be_foreign(std::string_view content, bool own_models) {
  static constexpr std::array<std::string_view, 10> kSigns = {
      R"("annotations":)", R"("type":"refusal")", R"("type":"reasoning)",  R"("summary":)",           R"(_call")",
      R"(_call_output")",  R"("extra_content":)", R"("reasoning_field":)", R"("reasoning_details":)", R"("phase":)"};
  for (const std::string_view sign : kSigns) {
    if (contains(content, sign)) return true;
  }
  return own_models && contains(content, R"("signature":"")");
}

std::string pick(std::string_view block, std::initializer_list<std::string_view> keys) {
  std::string out;
  for (const RawMember& member : raw_members(block)) {
    if (std::find(keys.begin(), keys.end(), member.key) == keys.end()) continue;
    out += out.empty() ? '{' : ',';
    append_json_string(out, member.key);
    out += ':';
    out += member.value;
  }
  return out.empty() ? "{}" : out + "}";
}

// An id that this API would refuse, behind one of these words: some providers' have points and colons.
bool has_odd_id(std::string_view content, std::string_view words) {
  for (std::size_t at = find_in(content, words); at < content.size(); at = find_in(content, words)) {
    content.remove_prefix(at + words.size());
    const std::string_view id = content.substr(0, content.find('"'));
    if (id.find_first_of(".:") != std::string_view::npos) return true;
  }
  return false;
}

constexpr std::string_view kCallBegins = R"("type":"tool_use","id":")";
constexpr std::string_view kResultBegins = R"("type":"tool_result","tool_use_id":")";

std::string plain_id(std::string_view json) {
  const auto id = parse_json(json);
  return id && id->is_string() ? json_quote(api_call_id(view(id->get_string()))) : std::string(json);
}

// The block with such an id made a word.
std::string with_plain_id(std::string_view block, std::string_view key) {
  std::string out;
  for (const RawMember& member : raw_members(block)) {
    out += out.empty() ? '{' : ',';
    append_json_string(out, member.key);
    out += ':';
    out += member.key == key ? plain_id(member.value) : std::string(member.value);
  }
  return out.empty() ? "{}" : out + "}";
}

// The content of a message of the user's, results included.
std::string with_plain_ids(std::string content) {
  if (!has_odd_id(content, kResultBegins)) return content;
  std::vector<std::string> blocks;
  for (const std::string_view block : raw_elements(content)) {
    const bool is_result = has_odd_id(block, kResultBegins);
    blocks.push_back(is_result ? with_plain_id(block, "tool_use_id") : std::string(block));
  }
  return content_of(blocks);
}

std::string native_block(std::string_view block, bool own_models) {
  const auto json = parse_json(block);
  if (!json) return std::string(block);
  const std::string_view type = find_string(*json, "type").value_or(std::string_view());
  if (type == "text") return pick(block, {"type", "text", "citations"});
  if (type == "tool_use") {
    return with_plain_id(pick(block, {"type", "id", "name", "input", "caller", "toolset_name"}), "id");
  }
  if (type == "thinking") {
    const bool foreign = find(*json, "summary") || find(*json, "id");
    const bool unsigned_thought = find_string(*json, "signature").value_or("").empty();
    const bool of_chat = find(*json, "reasoning_field") || find(*json, "reasoning_details");
    if (foreign || (own_models && (unsigned_thought || of_chat))) return {};
    return pick(block, {"type", "thinking", "signature"});
  }
  if (type == "refusal") return text_block(find_string(*json, "refusal").value_or(std::string_view()));
  if (type.starts_with("reasoning") || type.ends_with("_call") || type.ends_with("_call_output")) return {};
  return std::string(block);
}

bool needs_no_change(const HistoryMessage& message, bool own_models) {
  const std::string_view content = message.content;
  if (message.role == Role::user) return !has_references(content) && !has_odd_id(content, kResultBegins);
  return !may_be_foreign(content, own_models) && !has_odd_id(content, kCallBegins);
}

}  // namespace

std::vector<bool> KnownContents::are_plain(const History& history, bool own_models) {
  std::vector<bool> plain;
  plain.reserve(history.size());
  const std::lock_guard lock(mutex_);
  for (const HistoryMessage& message : history) plain.push_back(is_plain(message, own_models));
  return plain;
}

bool KnownContents::is_plain(const HistoryMessage& message, bool own_models) {
  if (message.number == 0) return needs_no_change(message, own_models);
  const std::uint64_t key = message.number * 2 + (own_models ? 1 : 0);
  if (const auto known = plain_.find(key); known != plain_.end()) return known->second;
  if (plain_.size() >= kContentsKnownMax) plain_.clear();
  return plain_[key] = needs_no_change(message, own_models);
}

std::string anthropic_content(std::string_view content, bool own_models) {
  // Nothing in it but what this API has said itself, or could have.
  if (!may_be_foreign(content, own_models) && !has_odd_id(content, kCallBegins)) return std::string(content);
  std::vector<std::string> blocks;
  for (const std::string_view block : raw_elements(content)) blocks.push_back(native_block(block, own_models));
  return content_of(blocks);
}

std::string anthropic_tool(const OfferedTool& tool, const AnthropicDialect& dialect) {
  std::string out = "{\"name\":" + json_quote(tool.name);
  append_member(out, "description", tool.description);
  append_member(out, "input_schema", tool.input_schema);
  if (dialect.eager_input) append_member(out, "eager_input_streaming", "true");
  if (tool.deferred) append_member(out, "defer_loading", "true");
  return out + "}";
}

AnthropicPreface anthropic_preface(const std::string& tools, const std::string& system,
                                   const AnthropicDialect& dialect) {
  AnthropicPreface preface;
  const std::string mark = cache_mark(dialect);
  if (!tools.empty()) {
    std::string& out = preface.tools;
    out = ",\"tools\":";
    const std::size_t listed = end_of_listed(tools);
    if (listed + 1 == tools.size()) {
      append_marked(out, tools, mark);
    } else {
      append_marked(out, std::string(tools, 0, listed) + "]", mark);
      out.pop_back();
      out += std::string_view(tools).substr(listed);
    }
    preface.deferred = deferred_names(tools);
  }
  if (!system.empty()) {
    preface.system = ",\"system\":";
    append_marked(preface.system, "[" + text_block(system) + "]", mark);
  }
  return preface;
}

std::string anthropic_body(const ModelRequest& request, const AnthropicPreface& preface,
                           const AnthropicDialect& dialect, KnownContents& known) {
  const History& history = *request.history;
  const std::string mark = cache_mark(dialect);
  std::size_t size = preface.tools.size() + preface.system.size() + 4096;
  for (const HistoryMessage& message : history) size += message.content.size() + 64;

  std::string out;
  out.reserve(size);
  out += "{\"model\":" + json_quote(request.model);
  append_member(out, "max_tokens", std::to_string(request.output_tokens_max));
  if (request.stream) append_member(out, "stream", "true");
  if (const std::string thinking = thinking_json(request); !thinking.empty()) append_member(out, "thinking", thinking);
  if (const std::string config = output_config(request); !config.empty()) append_member(out, "output_config", config);
  if (!request.session_id.empty()) {
    append_member(out, "metadata", to_json(JsonObject{{"user_id", request.session_id}}));
  }
  if (!preface.tools.empty() && request.tool_choice) append_member(out, "tool_choice", to_json(*request.tool_choice));
  out += preface.tools;
  out += preface.system;
  out += ",\"messages\":[";
  std::size_t users_left = 0;
  for (const HistoryMessage& message : history) users_left += message.role == Role::user ? 1 : 0;
  const std::vector<bool> plain = known.are_plain(history, dialect.own_models);
  for (std::size_t i = 0; i < history.size(); ++i) {
    const HistoryMessage& message = history[i];
    const bool is_user = message.role == Role::user;
    const bool no_thoughts = !is_user && dialect.refused.thoughts_of(message);
    const bool no_pictures = is_user && dialect.refused.pictures_of(message);
    const bool is_plain = plain[i] && !no_thoughts && !no_pictures;
    std::string changed;
    if (!is_plain && is_user) changed = with_plain_ids(with_known_references(message.content, preface.deferred));
    if (!is_plain && !is_user) changed = anthropic_content(message.content, dialect.own_models);
    if (no_thoughts) changed = without_thoughts(changed);
    if (no_pictures) changed = without_pictures(changed);
    const std::string_view filtered = is_plain ? message.content : changed;
    if (!is_user && filtered.empty()) continue;  // two messages of the user's in a row are taken as one
    if (out.back() != '[') out += ',';
    out += is_user ? R"({"role":"user","content":)" : R"({"role":"assistant","content":)";
    const bool marked = is_user && users_left-- <= kMarkedMessagesMax;
    append_marked(out, filtered, marked ? mark : "");
    out += '}';
  }
  out += "]}";
  return out;
}

}  // namespace deft
