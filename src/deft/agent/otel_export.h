#pragma once

#include <condition_variable>
#include <cstddef>
#include <map>
#include <mutex>
#include <optional>
#include <random>
#include <stop_token>
#include <string>
#include <thread>

#include "deft/agent/timeline_sink.h"
#include "deft/base/clock.h"
#include "deft/core/otel_json.h"
#include "deft/os/http_client.h"

namespace deft {

inline constexpr std::size_t kOtelSpansWaitingMax = 4'096;
inline constexpr std::size_t kOtelSpansPerRequest = 256;
inline constexpr Duration kOtelBatchTime = std::chrono::seconds(1);  // how long the first span waits for others
inline constexpr Duration kOtelRequestTime = std::chrono::seconds(10);
inline constexpr std::size_t kOtelTriesMax = 4;
inline constexpr Duration kOtelFirstDelay = std::chrono::seconds(1);  // before a second try; then twice as long
inline constexpr Duration kOtelDelayMax = std::chrono::seconds(30);   // also if the collector wants a longer one
inline constexpr Duration kOtelEndTime = std::chrono::seconds(2);     // at the end, for what still waits

struct OtelOptions {
  std::string endpoint;      // "http://127.0.0.1:4318": /v1/traces is added, unless it is there
  HttpHeaders headers = {};  // a key of the collector
  OtelSession session;
  Duration end_time = kOtelEndTime;
};

// Sends spans to an OpenTelemetry collector (OTLP over HTTP, JSON), on a thread of its own. A collector that is slow,
// broken or not there costs nothing but the spans: they wait in a queue with a limit, and are dropped. One that says
// that it is too busy is asked again.
class OtelExport final : public TimelineSink {
 public:
  OtelExport(OtelOptions options, HttpClient& http, const Clock& clock);
  ~OtelExport() override;  // what waits, and what is under way, has `end_time` left together
  OtelExport(const OtelExport&) = delete;
  OtelExport& operator=(const OtelExport&) = delete;

  void ended(const TimelineCall& call) override;
  void ended(const TimelineRequest& request) override;
  void ended(const TimelineTurn& turn) override;

  struct Figures {
    std::size_t sent = 0;
    std::size_t lost = 0;  // dropped, or not taken by the collector
  };
  Figures figures();

 private:
  OtelSpanId new_span();
  OtelSpanId open_turn(const std::string& agent);
  OtelSpanId span_of_call(const std::string& call_id) const;
  void put(Json span);
  void serve(const std::stop_token& stop);
  void send_all(const std::stop_token& stop, std::unique_lock<std::mutex>& lock);
  struct Answer {
    bool is_taken = false;
    bool may_be_taken_later = false;
    std::optional<Duration> wanted_delay = std::nullopt;
  };
  bool deliver(const std::string& body, const std::stop_token& stop, std::unique_lock<std::mutex>& lock);
  Answer send(const std::string& body);

  const OtelOptions options_;
  const std::string url_;
  HttpClient& http_;
  const Clock& clock_;
  std::mutex mutex_;
  std::condition_variable_any changed_;
  // Under mutex_:
  std::mt19937_64 random_;
  OtelTraceId trace_{};
  std::map<std::string, OtelSpanId> turns_;  // open ones, by agent
  JsonArray waiting_;
  Figures figures_;
  bool is_over_ = false;      // the thread has nothing left to do
  std::stop_source give_up_;  // the time at the end is over
  std::jthread thread_;       // last: it uses all of the above
};

}  // namespace deft
