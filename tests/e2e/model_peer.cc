#include "model_peer.h"

#include <algorithm>

namespace deft::testing {
namespace {

const HttpHeaders kEvents = {{"Content-Type", "text/event-stream"}};

std::string event(const JsonObject& json) {
  return "event: " + std::string(find_string(Json(json), "type").value_or("message")) + "\ndata: " + to_json(json) +
         "\n\n";
}
std::string data(const JsonObject& json) { return "data: " + to_json(json) + "\n\n"; }

std::string message_begin(const JsonObject& usage) {
  return event({{"type", "message_start"},
                {"message", JsonObject{{"id", "msg_1"},
                                       {"type", "message"},
                                       {"role", "assistant"},
                                       {"model", "m"},
                                       {"content", JsonArray{}},
                                       {"usage", usage.empty() ? JsonObject{{"input_tokens", 10}} : usage}}}});
}
std::string message_end(std::string_view reason) {
  return event({{"type", "message_delta"},
                {"delta", JsonObject{{"stop_reason", reason}}},
                {"usage", JsonObject{{"output_tokens", 5}}}}) +
         event({{"type", "message_stop"}});
}
std::string text_block(int index, std::string_view text) {
  return event({{"type", "content_block_start"},
                {"index", index},
                {"content_block", JsonObject{{"type", "text"}, {"text", ""}}}}) +
         event({{"type", "content_block_delta"},
                {"index", index},
                {"delta", JsonObject{{"type", "text_delta"}, {"text", text}}}}) +
         event({{"type", "content_block_stop"}, {"index", index}});
}

}  // namespace

std::string anthropic_text(std::string_view text, const JsonObject& usage) {
  return message_begin(usage) + text_block(0, text) + message_end("end_turn");
}

std::string anthropic_calls(const std::vector<StreamedCall>& calls, std::string_view text, const JsonObject& usage) {
  std::string stream = message_begin(usage);
  int index = 0;
  if (!text.empty()) stream += text_block(index++, text);
  for (const StreamedCall& call : calls) {
    stream +=
        event({{"type", "content_block_start"},
               {"index", index},
               {"content_block",
                JsonObject{{"type", "tool_use"}, {"id", call.id}, {"name", call.tool}, {"input", JsonObject{}}}}});
    stream += event({{"type", "content_block_delta"},
                     {"index", index},
                     {"delta", JsonObject{{"type", "input_json_delta"}, {"partial_json", to_json(call.input)}}}});
    stream += event({{"type", "content_block_stop"}, {"index", index}});
    ++index;
  }
  return stream + message_end("tool_use");
}

std::string anthropic_blocks(const std::vector<JsonObject>& blocks, std::string_view text) {
  std::string stream = message_begin({});
  int index = 0;
  for (const JsonObject& block : blocks) {
    stream += event({{"type", "content_block_start"}, {"index", index}, {"content_block", block}});
    stream += event({{"type", "content_block_stop"}, {"index", index}});
    ++index;
  }
  return stream + text_block(index, text) + message_end("end_turn");
}

std::string chat_text(std::string_view text) {
  return data({{"id", "c"},
               {"choices", JsonArray{JsonObject{{"index", 0},
                                                {"delta", JsonObject{{"role", "assistant"}, {"content", text}}},
                                                {"finish_reason", "stop"}}}}}) +
         "data: [DONE]\n\n";
}

std::string chat_calls(const std::vector<StreamedCall>& calls) {
  JsonArray entries;
  for (const StreamedCall& call : calls) {
    entries.push_back(JsonObject{{"index", entries.size()},
                                 {"id", call.id},
                                 {"type", "function"},
                                 {"function", JsonObject{{"name", call.tool}, {"arguments", to_json(call.input)}}}});
  }
  return data({{"id", "c"},
               {"choices", JsonArray{JsonObject{
                               {"index", 0},
                               {"delta", JsonObject{{"role", "assistant"}, {"tool_calls", std::move(entries)}}}}}}}) +
         data({{"id", "c"},
               {"choices",
                JsonArray{JsonObject{{"index", 0}, {"delta", JsonObject{}}, {"finish_reason", "tool_calls"}}}}}) +
         "data: [DONE]\n\n";
}

ModelPeer::ModelPeer(std::vector<Answer> answers)
    : answers_(std::move(answers)), peer_([this](const PeerRequest& request, PeerAnswer& answer) {
        const std::size_t number = std::min(served_++, answers_.size() - 1);
        answers_[number](request, answer);
      }) {}

ModelPeer::ModelPeer(const std::vector<std::string>& all)
    : ModelPeer([&] {
        std::vector<Answer> answers;
        for (const std::string& one : all) answers.push_back(streams(one));
        return answers;
      }()) {}

ModelPeer::Answer ModelPeer::streams(std::string events) {
  return [events = std::move(events)](const PeerRequest&, PeerAnswer& answer) { answer.send(200, kEvents, events); };
}

ModelPeer::Answer ModelPeer::fails(int status, std::string body, HttpHeaders headers) {
  return [status, body = std::move(body), headers = std::move(headers)](const PeerRequest&, PeerAnswer& answer) {
    answer.send(status, headers, body);
  };
}

std::vector<Json> ModelPeer::bodies() const {
  std::vector<Json> bodies;
  for (const PeerRequest& request : peer_.requests()) {
    if (request.method == "POST") bodies.push_back(parse_json(request.body).value_or(Json()));
  }
  return bodies;
}

}  // namespace deft::testing
