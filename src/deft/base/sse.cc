#include "deft/base/sse.h"

#include <algorithm>
#include <charconv>
#include <cstring>

namespace deft {
namespace {

constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

// Position of the first CR or LF, or npos. Two memchr beat one find_first_of several times over.
std::size_t find_line_end(std::string_view bytes) {
  const std::size_t newline = bytes.find('\n');
  const std::size_t carriage_return = bytes.substr(0, newline).find('\r');
  return std::min(newline, carriage_return);
}

}  // namespace

std::vector<SseEvent> SseReader::feed(std::string_view bytes) {
  std::vector<SseEvent> events;
  if (head_read_) {
    read(bytes, events);
    return events;
  }
  head_ += bytes;
  if (head_.size() < kByteOrderMark.size() && kByteOrderMark.starts_with(head_)) return events;
  head_read_ = true;
  std::string_view start = head_;
  if (start.starts_with(kByteOrderMark)) start.remove_prefix(kByteOrderMark.size());
  read(start, events);
  head_ = {};
  return events;
}

void SseReader::read(std::string_view bytes, std::vector<SseEvent>& events) {
  while (!bytes.empty() && !error_) {
    if (skip_newline_ && bytes.front() == '\n') bytes.remove_prefix(1);
    skip_newline_ = false;
    if (bytes.empty()) return;

    const std::size_t end = find_line_end(bytes);
    const std::string_view piece = bytes.substr(0, end);
    if (line_.size() + piece.size() > limits_.line_bytes_max) {
      return refuse("a line", limits_.line_bytes_max);
    }
    if (end == std::string_view::npos) {
      line_ += piece;
      return;
    }
    skip_newline_ = bytes[end] == '\r';
    bytes.remove_prefix(end + 1);
    end_line(piece, events);
  }
}

void SseReader::end_line(std::string_view tail, std::vector<SseEvent>& events) {
  if (line_.empty()) return read_line(tail, events);
  std::string line = std::move(line_);
  line_.clear();
  line += tail;
  read_line(line, events);
}

void SseReader::read_line(std::string_view line, std::vector<SseEvent>& events) {
  if (line.empty()) {
    if (auto event = take_event()) events.push_back(std::move(*event));
    return;
  }
  const std::size_t colon = line.find(':');
  if (colon == 0) return;  // a comment
  const std::string_view name = line.substr(0, colon);
  std::string_view value = colon == std::string_view::npos ? std::string_view() : line.substr(colon + 1);
  if (value.starts_with(' ')) value.remove_prefix(1);
  read_field(name, value);
}

void SseReader::read_field(std::string_view name, std::string_view value) {
  if (name == "data") {
    if (data_.size() + value.size() + 1 > limits_.event_bytes_max) return refuse("an event", limits_.event_bytes_max);
    data_ += value;
    data_ += '\n';
  } else if (name == "error" && limits_.error_field && data_.empty()) {
    read_field("data", value);
    event_ = name;
  } else if (name == "event") {
    event_ = value;
  } else if (name == "id") {
    if (value.find('\0') == std::string_view::npos && value.size() <= kSseIdBytesMax) id_ = value;
  } else if (name == "retry") {
    std::uint64_t milliseconds = 0;
    const char* begin = value.data();
    const char* end = begin + value.size();
    const auto [stop, error] = std::from_chars(begin, end, milliseconds);
    if (error == std::errc() && stop == end) retry_ = milliseconds;
  }
}

std::optional<SseEvent> SseReader::take_event() {
  std::optional<SseEvent> event;
  if (!data_.empty()) {
    data_.pop_back();
    event = SseEvent{std::move(event_), std::move(data_), id_, retry_};
    retry_.reset();
  }
  event_.clear();
  data_.clear();
  return event;
}

std::optional<SseEvent> SseReader::take_unfinished() {
  if (error_) return std::nullopt;
  std::vector<SseEvent> none;  // only an empty line makes an event, and this one is not empty
  if (!line_.empty()) end_line({}, none);
  return take_event();
}

void SseReader::refuse(const char* what, std::size_t bytes_max) {
  error_ =
      Error{Errc::limit, std::string(what) + " of the stream is longer than " + std::to_string(bytes_max) + " bytes"};
  line_ = {};
  data_ = {};
}

}  // namespace deft
