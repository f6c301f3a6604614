#include "deft/ui/sampling.h"

#include <algorithm>
#include <utility>

#include "deft/base/utf8.h"
#include "deft/tools/image_block.h"

namespace deft {
namespace {

constexpr std::string_view kToolName = "McpSampling";

Result<JsonObject> read_block(const Json& content) {
  const std::string_view type = find_string(content, "type").value_or("");
  if (type == "text")
    return JsonObject{{"type", "text"}, {"text", to_valid_utf8(find_string(content, "text").value_or(""))}};
  if (type == "image") {
    return image_block(find_string(content, "mimeType").value_or(""), find_string(content, "data").value_or(""));
  }
  return fail(Errc::unsupported, "content of the kind " + json_quote(type.substr(0, 50)) + " cannot be sampled");
}

Result<HistoryMessage> read_message(const Json& message) {
  HistoryMessage out{.role = find_string(message, "role") == "assistant" ? Role::assistant : Role::user};
  const Json* content = find(message, "content");
  if (content == nullptr) return fail(Errc::invalid_input, "a message without content");
  JsonArray blocks;
  const JsonArray single{*content};
  for (const Json& part : content->is_array() ? content->get_array() : single) {
    auto block = read_block(part);
    if (!block) return std::unexpected(std::move(block.error()));
    blocks.push_back(*std::move(block));
  }
  if (blocks.empty()) return fail(Errc::invalid_input, "a message without content");
  out.content = to_json(blocks);
  return out;
}

std::string_view stop_word(const std::string& reason) {
  if (reason == "max_tokens") return "maxTokens";
  if (reason == "stop_sequence") return "stopSequence";
  return "endTurn";
}

}  // namespace

Result<ModelRequest> sampling_request(const Json& params, std::string model) {
  const JsonArray* messages = find_array(params, "messages");
  if (messages == nullptr || messages->empty()) return fail(Errc::invalid_input, "messages must be a list");
  if (messages->size() > kSamplingMessagesMax) {
    return fail(Errc::limit, "at most " + std::to_string(kSamplingMessagesMax) + " messages are sampled at once");
  }
  if (find_array(params, "tools") != nullptr) return fail(Errc::unsupported, "tools are not offered to servers");
  auto history = std::make_shared<History>();
  for (const Json& message : *messages) {
    auto read = read_message(message);
    if (!read) return std::unexpected(std::move(read.error()));
    history->push_back(*std::move(read));
  }
  if (history->back().role != Role::user) return fail(Errc::invalid_input, "the last message must be the user's");
  const std::int64_t wanted = find_int(params, "maxTokens").value_or(static_cast<std::int64_t>(kSamplingTokensMax));
  ModelRequest out{.model = std::move(model)};
  out.output_tokens_max = static_cast<std::size_t>(std::clamp<std::int64_t>(wanted, 1, kSamplingTokensMax));
  out.system = to_valid_utf8(find_string(params, "systemPrompt").value_or(""));
  out.history = std::move(history);
  return out;
}

Json sampling_answer(const SideAnswer& answer, const std::string& model) {
  return JsonObject{{"role", "assistant"},
                    {"content", {{"type", "text"}, {"text", answer.text}}},
                    {"model", model},
                    {"stopReason", stop_word(answer.stop_reason)}};
}

Decision sampling_decision(const Permissions& permissions, const std::string& server) {
  const Json input = JsonObject{{"server", server}};
  const auto decide = [&](std::string tool) {
    return permissions.decide(
        {.tool = std::move(tool), .input = &input, .uses_network = true, .all_paths_known = true});
  };
  Decision all = decide(std::string(kToolName));
  if (all.verdict == Verdict::deny) return all;
  Decision one = decide(std::string(kToolName) + "__" + server);
  // The stricter word on this server counts, and its own permission is enough.
  if (one.verdict == Verdict::deny || one.verdict == Verdict::allow) return one;
  return all;
}

}  // namespace deft
