#include "deft/base/sse.h"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <utility>

namespace deft {
namespace {

constexpr std::size_t kKeptBytesMax = std::size_t{64} << 10;  // of the room of a long event
constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

// Position of the first CR or LF, or npos. Two memchr beat one find_first_of several times over.
std::size_t find_line_end(std::string_view bytes) {
  const std::size_t newline = bytes.find('\n');
  const std::size_t carriage_return = bytes.substr(0, newline).find('\r');
  return std::min(newline, carriage_return);
}

}  // namespace

void SseReader::feed(std::string_view bytes, const Each& each) {
  if (head_read_) return read(bytes, each);
  head_ += bytes;
  if (head_.size() < kByteOrderMark.size() && kByteOrderMark.starts_with(head_)) return;
  head_read_ = true;
  const std::string head = std::exchange(head_, {});
  std::string_view start = head;
  if (start.starts_with(kByteOrderMark)) start.remove_prefix(kByteOrderMark.size());
  read(start, each);
}

void SseReader::read(std::string_view bytes, const Each& each) {
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
    end_line(piece, each);
  }
}

void SseReader::end_line(std::string_view tail, const Each& each) {
  if (line_.empty()) return read_line(tail, each);
  std::string line = std::move(line_);
  line_.clear();
  line += tail;
  read_line(line, each);
}

void SseReader::read_line(std::string_view line, const Each& each) {
  if (line.empty()) return end_event(each);
  const std::size_t colon = line.find(':');
  if (colon == 0) return;  // a comment
  const std::string_view name = line.substr(0, colon);
  std::string_view value = colon == std::string_view::npos ? std::string_view() : line.substr(colon + 1);
  if (value.starts_with(' ')) value.remove_prefix(1);
  read_field(name, value);
}

void SseReader::read_field(std::string_view name, std::string_view value) {
  if (name == "data") {
    std::string& data = event_.data;
    if (data.size() + value.size() + 1 > limits_.event_bytes_max) return refuse("an event", limits_.event_bytes_max);
    data += value;
    data += '\n';
  } else if (name == "error" && limits_.error_field && event_.data.empty()) {
    read_field("data", value);
    event_.event = name;
  } else if (name == "event") {
    event_.event = value;
  } else if (name == "id") {
    if (value.find('\0') == std::string_view::npos && value.size() <= kSseIdBytesMax) event_.id = value;
  } else if (name == "retry") {
    std::uint64_t milliseconds = 0;
    const char* begin = value.data();
    const char* end = begin + value.size();
    const auto [stop, error] = std::from_chars(begin, end, milliseconds);
    if (error == std::errc() && stop == end) event_.retry = milliseconds;
  }
}

void SseReader::end_event(const Each& each) {
  if (!event_.data.empty()) {
    event_.data.pop_back();
    each(event_);
    event_.retry.reset();
  }
  event_.event.clear();
  event_.data.clear();
  if (event_.data.capacity() > kKeptBytesMax) event_.data.shrink_to_fit();
}

std::optional<SseEvent> SseReader::take_unfinished() {
  if (error_) return std::nullopt;
  std::optional<SseEvent> last;
  const Each take = [&](const SseEvent& event) { last = event; };
  if (!line_.empty()) end_line({}, take);  // only an empty line makes an event, and this one is not empty
  end_event(take);
  return last;
}

void SseReader::refuse(const char* what, std::size_t bytes_max) {
  error_ =
      Error{Errc::limit, std::string(what) + " of the stream is longer than " + std::to_string(bytes_max) + " bytes"};
  line_ = {};
  event_.data = {};
}

}  // namespace deft
