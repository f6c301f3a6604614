#include "deft/agent/otel_export.h"

#include <algorithm>
#include <array>
#include <bit>
#include <utility>

#include "deft/base/keyed_hash.h"
#include "deft/model/model_failure.h"

namespace deft {
namespace {

constexpr std::string_view kTracesPath = "/v1/traces";
constexpr std::size_t kAnswerBytesMax = std::size_t{64} << 10;
constexpr std::array<int, 4> kBusyStatuses = {429, 502, 503, 504};  // the protocol's: the same may be taken later

std::string traces_url(std::string endpoint) {
  while (endpoint.ends_with('/')) endpoint.pop_back();
  return endpoint.ends_with(kTracesPath) ? endpoint : endpoint + std::string(kTracesPath);
}

template <std::size_t Size>
std::array<std::uint8_t, Size> random_bytes(std::mt19937_64& random) {
  std::array<std::uint8_t, Size> bytes{};
  for (std::uint8_t& byte : bytes) byte = static_cast<std::uint8_t>(random());
  bytes[0] |= 1U;  // all zeros would mean: none
  return bytes;
}

std::mt19937_64 seeded() {
  std::random_device device;
  std::seed_seq seed{device(), device(), device(), device()};
  return std::mt19937_64(seed);
}

}  // namespace

OtelExport::OtelExport(OtelOptions options, HttpClient& http, const Clock& clock)
    : options_(std::move(options)),
      url_(traces_url(options_.endpoint)),
      http_(http),
      clock_(clock),
      random_(seeded()),
      trace_(random_bytes<16>(random_)),
      thread_([this](const std::stop_token& stop) { serve(stop); }) {}

OtelExport::~OtelExport() {
  thread_.request_stop();
  {
    std::unique_lock lock(mutex_);
    // In real time: a collector that hangs does so whatever our clock says.
    changed_.wait_for(lock, options_.end_time, [this] { return is_over_; });
  }
  give_up_.request_stop();
  thread_.join();
}

OtelSpanId OtelExport::new_span() { return random_bytes<8>(random_); }

// What happens in a turn ends before the turn does, and is told of it first.
OtelSpanId OtelExport::open_turn(const std::string& agent) {
  const auto found = turns_.find(agent);
  if (found != turns_.end()) return found->second;
  return turns_.emplace(agent, new_span()).first->second;
}

// A call's id is its own in the session. What a call has started says so before the call ends, or long after it.
OtelSpanId OtelExport::span_of_call(const std::string& call_id) const {
  KeyedHash hash(std::bit_cast<HashKey>(trace_));
  hash.add(call_id);
  OtelSpanId span{};
  std::ranges::copy(hash.digest().substr(0, span.size()), span.begin());
  span[0] |= 1U;
  return span;
}

void OtelExport::ended(const TimelineCall& call) {
  const std::lock_guard lock(mutex_);
  put(otel_span(call, {trace_, span_of_call(call.id), open_turn(call.agent)}, options_.session));
}

void OtelExport::ended(const TimelineRequest& request) {
  const std::lock_guard lock(mutex_);
  put(otel_span(request, {trace_, new_span(), open_turn(request.agent)}, options_.session));
}

void OtelExport::ended(const TimelineTurn& turn) {
  const std::lock_guard lock(mutex_);
  const OtelSpanId own = open_turn(turn.agent);
  turns_.erase(turn.agent);
  // A subagent works within the call that started it.
  const OtelSpanId parent = turn.within.empty() ? OtelSpanId{} : span_of_call(turn.within);
  put(otel_span(turn, {trace_, own, parent}, options_.session));
}

void OtelExport::put(Json span) {
  if (waiting_.size() >= kOtelSpansWaitingMax) {
    ++figures_.lost;
    return;
  }
  waiting_.push_back(std::move(span));
  changed_.notify_all();
}

OtelExport::Figures OtelExport::figures() {
  const std::lock_guard lock(mutex_);
  return figures_;
}

void OtelExport::serve(const std::stop_token& stop) {
  std::unique_lock lock(mutex_);
  send_all(stop, lock);
  is_over_ = true;
  changed_.notify_all();
}

void OtelExport::send_all(const std::stop_token& stop, std::unique_lock<std::mutex>& lock) {
  for (;;) {
    changed_.wait(lock, stop, [this] { return !waiting_.empty(); });
    if (waiting_.empty()) return;  // told to stop, and nothing is left
    const auto is_full = [this] { return waiting_.size() >= kOtelSpansPerRequest; };
    changed_.wait_until(lock, stop, clock_.on_steady_clock(clock_.now() + kOtelBatchTime), is_full);
    JsonArray batch = std::exchange(waiting_, {});
    const std::size_t count = batch.size();
    const bool is_sent = deliver(otel_body(std::move(batch), options_.session), stop, lock);
    (is_sent ? figures_.sent : figures_.lost) += count;
    if (stop.stop_requested() && !is_sent) {
      figures_.lost += waiting_.size();
      return;
    }
  }
}

// One that is too busy, or has nobody behind it, is asked again; at the end, once more and at once.
bool OtelExport::deliver(const std::string& body, const std::stop_token& stop, std::unique_lock<std::mutex>& lock) {
  for (std::size_t tries = 1;; ++tries) {
    lock.unlock();
    const Answer answer = send(body);
    lock.lock();
    if (answer.is_taken || !answer.may_be_taken_later || tries == kOtelTriesMax || stop.stop_requested()) {
      return answer.is_taken;
    }
    const Duration delay = std::min(answer.wanted_delay.value_or(kOtelFirstDelay * (1 << (tries - 1))), kOtelDelayMax);
    const auto until = clock_.on_steady_clock(clock_.now() + delay);
    changed_.wait_until(lock, stop, until, [] { return false; });
  }
}

OtelExport::Answer OtelExport::send(const std::string& body) {
  HttpRequest request{.method = "POST", .url = url_, .headers = options_.headers};
  request.headers.emplace_back("Content-Type", "application/json");
  request.body = body;
  request.connect_timeout = kOtelRequestTime;
  request.deadline = clock_.now() + kOtelRequestTime;
  request.body_bytes_max = kAnswerBytesMax;
  // Not stopped by the end itself: what was begun has its time.
  const auto answer = fetch(http_, std::move(request), give_up_.get_token());
  if (!answer) return {};
  return {.is_taken = answer->status >= 200 && answer->status < 300,
          .may_be_taken_later = std::ranges::find(kBusyStatuses, answer->status) != kBusyStatuses.end(),
          .wanted_delay = retry_after(answer->headers, clock_.wall_time())};
}

}  // namespace deft
