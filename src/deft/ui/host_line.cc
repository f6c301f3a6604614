#include "deft/ui/host_line.h"

#include <algorithm>
#include <utility>

#include "deft/base/text.h"
#include "deft/ui/host_attachment.h"

namespace deft {
namespace {

std::unexpected<Error> wrong(std::string_view what) { return fail(Errc::invalid_input, std::string(what)); }

std::string shown(std::string_view text) { return json_quote(text.substr(0, 60)); }

// What a person may say: results of calls are not theirs to give. `problem`: what of it is left out.
Result<Prompt> prompt_of(const Json& content, std::string& problem) {
  if (content.is_string()) return Prompt::of(view(content.get_string()));
  if (!content.is_array()) return wrong("message.content must be a text or a list of content blocks");
  Prompt prompt;
  for (const Json& block : content.get_array()) {
    const auto type = find_string(block, "type");
    if (!type || !is_among_words(*type, "text image document search_result")) {
      return wrong("a content block of a user's message must be text, image, document or search_result, not " +
                   shown(type.value_or("")));
    }
    if (*type == "text" && !find_string(block, "text")) return wrong("a text block needs its \"text\"");
    if ((*type == "image" || *type == "document") && !find_object(block, "source")) {
      return wrong("a block of type " + std::string(*type) + " needs its \"source\"");
    }
    prompt.blocks.push_back(block);
    if (std::string left_out = repair_attachment(prompt.blocks.back()); !left_out.empty())
      problem = std::move(left_out);
  }
  return prompt;
}

// What a person has to say is not lost because of when it was to be heard.
void read_priority(const Json& json, HostMessage& message) {
  const Json* given = find(json, "priority");
  if (!given || given->is_null()) return;
  const auto word = find_string(json, "priority");
  if (word == "now") message.priority = MessagePriority::now;
  if (word == "later") message.priority = MessagePriority::later;
  if (word && is_among_words(*word, "now next later")) return;
  message.problem = "\"priority\" of a message must be now, next or later, not " +
                    (word ? shown(*word) : to_json(*given).substr(0, 60)) + "; it counts as next";
}

Result<HostLine> message_of(const Json& json) {
  const Json* message = find(json, "message");
  if (!message || find_string(*message, "role") != "user") return wrong("\"message\" must be one of the role user");
  const Json* content = find(*message, "content");
  if (!content) return wrong("message.content is missing");
  std::string problem;
  auto prompt = prompt_of(*content, problem);
  if (!prompt) return std::unexpected(prompt.error());
  prompt->uuid = std::string(find_string(json, "uuid").value_or("").substr(0, kHostWordBytesMax));
  HostMessage read{.prompt = std::move(*prompt),
                   .asks_model = find_bool(json, "shouldQuery").value_or(true),
                   .is_named = false,
                   .message = *message,
                   .problem = std::move(problem)};
  // What nobody typed calls no command, nor does what is said beside the prompt.
  read.prompt.is_verbatim = !read.asks_model || find_bool(json, "client_composed").value_or(false);
  read.is_named = !read.prompt.uuid.empty();
  read_priority(json, read);
  return read;
}

Result<std::string> id_of(const Json& json) {
  const auto id = find_string(json, "request_id");
  if (!id || id->empty() || id->size() > kHostWordBytesMax) return wrong("\"request_id\" is missing");
  return std::string(*id);
}

Result<HostLine> request_of(const Json& json) {
  auto id = id_of(json);
  if (!id) return std::unexpected(id.error());
  // Whoever waits for an answer to this id gets one, also where it is not clear what was wanted.
  const Json* request = find(json, "request");
  const auto subtype = request ? find_string(*request, "subtype") : std::nullopt;
  return HostRequest{.id = std::move(*id),
                     .subtype = std::string(subtype.value_or("").substr(0, kHostWordBytesMax)),
                     .request = request ? *request : Json()};
}

Result<HostLine> response_of(const Json& json) {
  const Json* response = find(json, "response");
  if (!response) return wrong("\"response\" is missing");
  auto id = id_of(*response);
  if (!id) return std::unexpected(id.error());
  const auto subtype = find_string(*response, "subtype");
  if (subtype == "success") {
    const Json* answer = find(*response, "response");
    return HostResponse{.id = std::move(*id), .answer = answer ? *answer : Json()};
  }
  const std::string_view error = find_string(*response, "error").value_or("the host did not say why");
  return HostResponse{.id = std::move(*id), .answer = fail(Errc::failed, one_line(error, kHostWordBytesMax))};
}

}  // namespace

Result<HostLine> parse_host_line(std::string_view line) {
  auto json = parse_json(line, {.bytes_max = kHostLineBytesMax, .replace_lone_surrogates = true});
  if (!json) return wrong("it is no JSON: " + json.error().message);
  const auto type = find_string(*json, "type");
  if (type == "user") return message_of(*json);
  if (type == "control_request") return request_of(*json);
  if (type == "control_response") return response_of(*json);
  if (type == "keep_alive") return HostIsAlive{};
  if (type == "control_cancel_request") {
    auto id = id_of(*json);
    if (!id) return std::unexpected(id.error());
    return HostCancelled{std::move(*id)};
  }
  return wrong("\"type\" must be user, control_request, control_response, control_cancel_request or keep_alive, not " +
               shown(type.value_or("")));
}

void LineSplitter::feed(std::string_view bytes, const Take& take) {
  while (!bytes.empty()) {
    const auto newline = bytes.find('\n');
    const std::string_view piece = bytes.substr(0, newline);
    if (!too_long_ && line_.size() + piece.size() > bytes_max_) {
      too_long_ = true;
      line_.clear();
      line_.shrink_to_fit();
    }
    if (!too_long_) line_ += piece;
    if (newline == std::string_view::npos) return;
    end_line(take);
    bytes.remove_prefix(newline + 1);
  }
}

void LineSplitter::finish(const Take& take) { end_line(take); }

void LineSplitter::end_line(const Take& take) {
  if (std::exchange(too_long_, false)) {
    take(fail(Errc::limit, "it is longer than " + human_bytes(bytes_max_)));
  } else if (line_.find_first_not_of(" \t\r") != std::string::npos) {
    take(std::string_view(line_));
  }
  line_.clear();
}

}  // namespace deft
