#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "deft/core/timeline.h"

// What happened, as OpenTelemetry's spans in OTLP's JSON, with the names of the GenAI conventions: a turn is
// "invoke_agent", a request to the model "chat", a call "execute_tool".

namespace deft {

using OtelTraceId = std::array<std::uint8_t, 16>;
using OtelSpanId = std::array<std::uint8_t, 8>;

struct OtelPlace {
  OtelTraceId trace{};
  OtelSpanId span{};
  OtelSpanId parent{};  // zeros: none
};

struct OtelServer {
  std::string address = {};  // empty: none
  std::uint64_t port = 0;    // 0: not known
};
// Of a model's API. Nothing but host and port: the rest of an address may hold a key.
OtelServer otel_server(std::string_view base_url);

// What is true for all spans of a session.
struct OtelSession {
  std::string id;
  std::string provider;    // "anthropic" …; empty: not known
  std::string version;     // of deft
  OtelServer server = {};  // of the model
};

Json otel_span(const TimelineTurn& turn, const OtelPlace& place, const OtelSession& session);
Json otel_span(const TimelineRequest& request, const OtelPlace& place, const OtelSession& session);
Json otel_span(const TimelineCall& call, const OtelPlace& place, const OtelSession& session);

// The body of one POST to /v1/traces.
std::string otel_body(JsonArray spans, const OtelSession& session);

}  // namespace deft
