#include "deft/mcp/server_streams.h"

#include <charconv>
#include <utility>

namespace deft {
namespace {

constexpr std::string_view kRetryMillis = "1000";

struct EventId {
  std::uint64_t stream = 0;
  std::uint64_t event = 0;
};

// "12-3".
std::optional<EventId> parse_event_id(std::string_view text) {
  EventId id;
  const char* end = text.data() + text.size();
  const auto first = std::from_chars(text.data(), end, id.stream);
  if (first.ec != std::errc() || first.ptr == end || *first.ptr != '-') return std::nullopt;
  const auto second = std::from_chars(first.ptr + 1, end, id.event);
  if (second.ec != std::errc() || second.ptr != end) return std::nullopt;
  return id;
}

HttpFields stream_fields(HttpFields fields) {
  fields.emplace_back("Content-Type", "text/event-stream");
  fields.emplace_back("Cache-Control", "no-cache, no-transform");
  fields.emplace_back("X-Accel-Buffering", "no");
  return fields;
}

}  // namespace

std::uint64_t McpStreams::open(const std::shared_ptr<HttpAnswer>& answer, HttpFields fields, bool primed) {
  std::uint64_t number = 0;
  {
    const std::lock_guard lock(mutex_);
    number = ++opened_;
    Stream& stream = streams_[number];
    stream.resumable = primed;
    attach(stream, answer, std::move(fields));
    if (primed) put(number, stream, "");
    trim();
  }
  watch(number, answer);
  return number;
}

void McpStreams::attach(Stream& stream, const std::shared_ptr<HttpAnswer>& answer, HttpFields fields) {
  if (stream.reader) stream.reader->end();
  answer->begin(200, stream_fields(std::move(fields)));
  stream.reader = answer;
}

// Once its connection is gone, what follows is only kept. Without the lock: it may be gone already.
void McpStreams::watch(std::uint64_t number, const std::shared_ptr<HttpAnswer>& answer) {
  answer->when_gone([streams = weak_from_this(), number, reader = answer.get()] {
    const auto alive = streams.lock();
    if (!alive) return;
    const std::lock_guard lock(alive->mutex_);
    const auto found = alive->streams_.find(number);
    if (found != alive->streams_.end() && found->second.reader.get() == reader) found->second.reader = nullptr;
  });
}

void McpStreams::put(std::uint64_t number, Stream& stream, std::string_view data) {
  std::string text;
  const std::uint64_t event = stream.events++;
  if (stream.resumable) {
    text += "id: " + std::to_string(number) + "-" + std::to_string(event) + "\n";
    if (event == 0) text += "retry: " + std::string(kRetryMillis) + "\n";
  }
  if (!data.empty()) text += "event: message\n";
  text += "data: ";
  text += data;  // JSON in one line: it holds no line end
  text += "\n\n";
  if (stream.reader) stream.reader->write(text);
  if (!stream.resumable) return;
  bytes_ += text.size();
  stream.kept.push_back({event, std::move(text)});
}

void McpStreams::send(std::uint64_t number, std::string_view message) {
  const std::lock_guard lock(mutex_);
  const auto found = streams_.find(number);
  if (found == streams_.end() || found->second.finished) return;
  put(number, found->second, message);
  trim();
}

void McpStreams::finish(std::uint64_t number) {
  const std::lock_guard lock(mutex_);
  const auto found = streams_.find(number);
  if (found == streams_.end()) return;
  Stream& stream = found->second;
  stream.finished = true;
  if (stream.reader) stream.reader->end();
  stream.reader = nullptr;
  if (!stream.resumable) streams_.erase(found);
}

void McpStreams::let_go(std::uint64_t number) {
  const std::lock_guard lock(mutex_);
  const auto found = streams_.find(number);
  if (found == streams_.end() || !found->second.resumable || !found->second.reader) return;
  std::exchange(found->second.reader, nullptr)->end();
}

bool McpStreams::resume(std::string_view last_event, const std::shared_ptr<HttpAnswer>& answer, HttpFields fields) {
  const auto id = parse_event_id(last_event);
  if (!id) return false;
  {
    const std::lock_guard lock(mutex_);
    const auto found = streams_.find(id->stream);
    if (found == streams_.end() || !found->second.resumable) return false;
    Stream& stream = found->second;
    const std::uint64_t next = id->event + 1;
    const bool is_whole = next >= stream.events || (!stream.kept.empty() && stream.kept.front().number <= next);
    if (!is_whole) return false;
    attach(stream, answer, std::move(fields));
    for (const Event& event : stream.kept) {
      if (event.number >= next) answer->write(event.text);
    }
    if (stream.finished) {
      answer->end();
      stream.reader = nullptr;
      return true;
    }
  }
  watch(id->stream, answer);
  return true;
}

void McpStreams::keep_alive() {
  const std::lock_guard lock(mutex_);
  for (auto& [number, stream] : streams_) {
    if (stream.reader) stream.reader->write(": still here\n\n");
  }
}

void McpStreams::end() {
  const std::lock_guard lock(mutex_);
  for (auto& [number, stream] : streams_) {
    if (stream.reader) stream.reader->end();
  }
  streams_.clear();
  bytes_ = 0;
}

bool McpStreams::has_reader(std::uint64_t number) const {
  const std::lock_guard lock(mutex_);
  const auto found = streams_.find(number);
  return found != streams_.end() && found->second.reader;
}

// The oldest go first: streams that have ended, then what clients have had the longest time to read.
void McpStreams::trim() {
  for (auto stream = streams_.begin(); stream != streams_.end();) {
    if (bytes_ <= kMcpEventsKeptBytesMax && streams_.size() <= kMcpStreamsKeptMax) return;
    for (const Event& event : stream->second.kept) bytes_ -= event.text.size();
    stream->second.kept.clear();
    stream = stream->second.finished ? streams_.erase(stream) : std::next(stream);
  }
}

}  // namespace deft
