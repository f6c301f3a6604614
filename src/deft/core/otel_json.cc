#include "deft/core/otel_json.h"

#include <algorithm>
#include <charconv>
#include <span>
#include <utility>

#include "deft/base/url.h"

namespace deft {
namespace {

constexpr int kInternalKind = 1;
constexpr int kClientKind = 3;
constexpr int kErrorStatus = 2;
constexpr std::string_view kMcpPrefix = "mcp__";

std::string hex(std::span<const std::uint8_t> bytes) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string out;
  for (const std::uint8_t byte : bytes) {
    out += kDigits[byte >> 4U];
    out += kDigits[byte & 0xFU];
  }
  return out;
}

// 64-bit numbers are texts in this JSON.
std::string nanoseconds(std::int64_t us) { return std::to_string(us) + "000"; }

class Attributes {
 public:
  Attributes& text(std::string_view key, const std::string& value) {
    if (!value.empty()) add(key, {{"stringValue", value}});
    return *this;
  }
  Attributes& number(std::string_view key, std::uint64_t value) {
    add(key, {{"intValue", std::to_string(value)}});
    return *this;
  }
  Attributes& flag(std::string_view key, bool value) {
    add(key, {{"boolValue", value}});
    return *this;
  }
  Attributes& texts(std::string_view key, const std::string& only) {
    if (only.empty()) return *this;
    JsonArray values{JsonObject{{"stringValue", only}}};
    add(key, {{"arrayValue", JsonObject{{"values", std::move(values)}}}});
    return *this;
  }
  JsonArray take() { return std::move(attributes_); }

 private:
  void add(std::string_view key, JsonObject value) {
    attributes_.push_back(JsonObject{{"key", key}, {"value", std::move(value)}});
  }
  JsonArray attributes_;
};

Attributes attributes_of(std::string_view operation, const std::string& agent, const OtelSession& session) {
  Attributes attributes;
  attributes.text("gen_ai.operation.name", std::string(operation))
      .text("gen_ai.provider.name", session.provider)
      .text("gen_ai.conversation.id", session.id)
      .text("gen_ai.agent.id", agent);
  return attributes;
}

JsonObject span_of(std::string name, int kind, const TimelineSpan& time, const OtelPlace& place,
                   Attributes attributes) {
  JsonObject span{{"traceId", hex(place.trace)},
                  {"spanId", hex(place.span)},
                  {"name", std::move(name)},
                  {"kind", kind},
                  {"startTimeUnixNano", nanoseconds(time.begin_us)},
                  {"endTimeUnixNano", nanoseconds(time.end_us)},
                  {"attributes", attributes.take()}};
  if (place.parent != OtelSpanId{}) span["parentSpanId"] = hex(place.parent);
  return span;
}

void mark_failed(JsonObject& span, const std::string& why) {
  span["status"] = JsonObject{{"code", kErrorStatus}, {"message", why}};
}

// mcp__SERVER__TOOL
void add_server(Attributes& attributes, std::string_view tool) {
  if (!tool.starts_with(kMcpPrefix)) return;
  tool.remove_prefix(kMcpPrefix.size());
  const std::size_t end = tool.find("__");
  if (end == std::string_view::npos) return;
  attributes.text("deft.mcp.server", std::string(tool.substr(0, end)))
      .text("deft.mcp.tool", std::string(tool.substr(end + 2)));
}

}  // namespace

OtelServer otel_server(std::string_view base_url) {
  const auto url = parse_web_url(base_url);
  if (!url) return {};
  OtelServer server{.address = url->host, .port = url->scheme == "http" ? 80U : 443U};
  if (server.address.starts_with('[')) server.address = server.address.substr(1, server.address.size() - 2);
  const std::string& port = url->port;
  if (!port.empty()) std::from_chars(port.data(), port.data() + port.size(), server.port);
  return server;
}

Json otel_span(const TimelineTurn& turn, const OtelPlace& place, const OtelSession& session) {
  Attributes attributes = attributes_of("invoke_agent", turn.agent, session);
  const std::string name = turn.agent_type.empty() ? "deft" : turn.agent_type;
  attributes.text("gen_ai.agent.name", name).text("deft.turn.reason", turn.reason);
  if (turn.has_failed) attributes.text("error.type", turn.reason);
  JsonObject span = span_of("invoke_agent " + name, kInternalKind, turn.span, place, std::move(attributes));
  if (turn.has_failed) mark_failed(span, turn.reason);
  return span;
}

Json otel_span(const TimelineRequest& request, const OtelPlace& place, const OtelSession& session) {
  Attributes attributes = attributes_of("chat", request.agent, session);
  attributes.text("gen_ai.request.model", request.model).number("deft.request.attempt", request.attempt);
  if (request.has_failed) {
    attributes.text("error.type", request.error_type.empty() ? "_OTHER" : request.error_type);
  } else {
    attributes.text("gen_ai.response.id", request.response_id)
        .text("gen_ai.response.model", request.response_model)
        .texts("gen_ai.response.finish_reasons", request.outcome)
        .number("gen_ai.usage.input_tokens", request.input_tokens)
        .number("gen_ai.usage.output_tokens", request.output_tokens)
        .number("gen_ai.usage.cache_read.input_tokens", request.cache_read_tokens)
        .number("gen_ai.usage.cache_creation.input_tokens", request.cache_write_tokens);
  }
  attributes.text("server.address", session.server.address);
  if (session.server.port != 0) attributes.number("server.port", session.server.port);
  if (request.answered_us != 0) {
    const std::int64_t waited = std::max<std::int64_t>(0, request.answered_us - request.span.begin_us);
    attributes.number("deft.request.first_byte_us", static_cast<std::uint64_t>(waited));
  }
  JsonObject span = span_of("chat " + request.model, kClientKind, request.span, place, std::move(attributes));
  if (request.has_failed) mark_failed(span, request.outcome);
  return span;
}

Json otel_span(const TimelineCall& call, const OtelPlace& place, const OtelSession& session) {
  Attributes attributes = attributes_of("execute_tool", call.agent, session);
  attributes.text("gen_ai.tool.name", call.tool)
      .text("gen_ai.tool.call.id", call.id)
      .text("gen_ai.tool.type", "function")
      .text("deft.call.title", call.title)
      .number("deft.call.queued_us", static_cast<std::uint64_t>(std::max<std::int64_t>(0, call.waited_us())))
      .number("deft.call.result_characters", call.result_characters)
      .flag("deft.call.result_stored", call.is_stored)
      .text("error.type", call.error);
  add_server(attributes, call.tool);
  JsonObject span = span_of("execute_tool " + call.tool, kInternalKind, call.span, place, std::move(attributes));
  JsonArray events;
  for (const TimelineStage& stage : call.stages) {
    Attributes of_stage;
    of_stage.number("deft.stage.duration_us",
                    static_cast<std::uint64_t>(std::max<std::int64_t>(0, stage.span.length_us())));
    of_stage.text("deft.stage.outcome", stage.outcome);
    events.push_back(JsonObject{{"timeUnixNano", nanoseconds(stage.span.end_us)},
                                {"name", "deft.stage." + stage.name},
                                {"attributes", of_stage.take()}});
  }
  span["events"] = std::move(events);
  if (!call.error.empty()) mark_failed(span, call.error);
  return span;
}

std::string otel_body(JsonArray spans, const OtelSession& session) {
  Attributes resource;
  resource.text("service.name", "deft").text("service.version", session.version);
  JsonObject scope{{"scope", JsonObject{{"name", "deft"}, {"version", session.version}}}, {"spans", std::move(spans)}};
  JsonObject one{{"resource", JsonObject{{"attributes", resource.take()}}},
                 {"scopeSpans", JsonArray{std::move(scope)}}};
  return to_json(JsonObject{{"resourceSpans", JsonArray{std::move(one)}}});
}

}  // namespace deft
