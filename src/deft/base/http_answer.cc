#include "deft/base/http_answer.h"

#include <algorithm>
#include <charconv>

namespace deft {
namespace {

constexpr std::size_t kChunkLineBytesMax = 1024;  // size and extensions

bool is_blank(char c) { return c == ' ' || c == '\t'; }

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
  return text;
}

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

bool equal_but_case(std::string_view a, std::string_view b) {
  return std::ranges::equal(a, b, [](char x, char y) { return lower(x) == lower(y); });
}

bool is_field_name(std::string_view name) {
  constexpr std::string_view kOthers = "!#$%&'*+-.^_`|~";
  return !name.empty() && std::ranges::all_of(name, [&](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           kOthers.find(c) != std::string_view::npos;
  });
}

// A control character in a value is how one header becomes two for somebody else.
bool is_field_value(std::string_view value) {
  return std::ranges::all_of(value, [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return byte == '\t' || (byte >= ' ' && byte != 0x7F);
  });
}

bool has_option(std::string_view list, std::string_view option) {
  while (true) {
    const std::size_t comma = std::min(list.find(','), list.size());
    if (equal_but_case(trimmed(list.substr(0, comma)), option)) return true;
    if (comma == list.size()) return false;
    list.remove_prefix(comma + 1);
  }
}

// Digits and nothing else.
std::optional<std::size_t> whole_number(std::string_view text, int base) {
  std::size_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, base);
  if (text.empty() || error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

}  // namespace

HttpAnswerReader::Piece HttpAnswerReader::feed(std::string_view bytes) {
  Piece piece;
  while (piece.used < bytes.size() && !piece.head_ended && piece.body.empty()) {
    switch (state_) {
      case State::body:
      case State::chunk: {
        const std::size_t count = std::min(left_, bytes.size() - piece.used);
        piece.body = bytes.substr(piece.used, count);
        piece.used += count;
        left_ -= count;
        if (left_ == 0) state_ = state_ == State::body ? State::complete : State::chunk_end;
        break;
      }
      case State::body_to_the_end:
        piece.body = bytes.substr(piece.used);
        piece.used = bytes.size();
        break;
      case State::complete:
      case State::refused: return piece;
      default:
        if (take_line(bytes, piece.used)) read_line(piece);
    }
  }
  return piece;
}

void HttpAnswerReader::feed_end() {
  if (state_ == State::body_to_the_end) {
    state_ = State::complete;
  } else if (state_ != State::complete && state_ != State::refused) {
    refuse(Fault::broke_off);
  }
}

// A line ends in LF; a CR before it belongs to its end. True: line_ is whole.
bool HttpAnswerReader::take_line(std::string_view bytes, std::size_t& used) {
  const std::size_t end = bytes.find('\n', used);
  const std::size_t stop = end == std::string_view::npos ? bytes.size() : end + 1;
  const bool is_chunk_line = state_ == State::chunk_size || state_ == State::chunk_end;
  const std::size_t most = is_chunk_line ? kChunkLineBytesMax : head_bytes_max_ - head_bytes_;
  if (line_.size() + (stop - used) > most) {
    used = stop;
    refuse(is_chunk_line ? Fault::unknown_framing : Fault::head_too_long);
    return false;
  }
  line_.append(bytes.substr(used, stop - used));
  used = stop;
  if (end == std::string_view::npos) return false;
  if (!is_chunk_line) head_bytes_ += line_.size();
  line_.pop_back();
  if (line_.ends_with('\r')) line_.pop_back();
  return true;
}

void HttpAnswerReader::read_line(Piece& piece) {
  switch (state_) {
    case State::status_line: read_status_line(); break;
    case State::fields:
      if (line_.empty()) {
        piece.head_ended = end_head();
      } else {
        read_field();
      }
      break;
    case State::chunk_size: read_chunk_size(); break;
    case State::chunk_end:
      if (line_.empty()) {
        state_ = State::chunk_size;
      } else {
        refuse(Fault::unknown_framing);
      }
      break;
    case State::trailer:  // what stands there is not used
      if (line_.empty()) state_ = State::complete;
      break;
    default: break;
  }
  line_.clear();
}

// "HTTP/1.1 200 OK"; the words at the end may be missing.
void HttpAnswerReader::read_status_line() {
  const std::string_view line = line_;
  const bool is_http = line.starts_with("HTTP/1.1 ") || line.starts_with("HTTP/1.0 ");
  const auto status = is_http ? whole_number(line.substr(9, 3), 10) : std::nullopt;
  const bool ends_there = line.size() == 12 || (line.size() > 12 && line[12] == ' ');
  if (!status || *status < 100 || !ends_there) return refuse(Fault::no_http);
  status_ = static_cast<int>(*status);
  keeps_alive_ = line[7] == '1';
  state_ = State::fields;
}

void HttpAnswerReader::read_field() {
  const std::string_view line = line_;
  if (!is_field_value(line)) return refuse(Fault::no_http);
  if (is_blank(line.front())) {  // an old way to continue the line before
    if (fields_.empty()) return refuse(Fault::no_http);
    fields_.back().second += ' ' + std::string(trimmed(line));
    return;
  }
  const std::size_t colon = line.find(':');
  if (colon == std::string_view::npos || !is_field_name(line.substr(0, colon))) return refuse(Fault::no_http);
  fields_.emplace_back(line.substr(0, colon), trimmed(line.substr(colon + 1)));
}

// False: that was not yet the answer's.
bool HttpAnswerReader::end_head() {
  if (status_ < 200 && status_ != 101) {  // 100 Continue and its like: the real one follows
    fields_.clear();
    state_ = State::status_line;
    return false;
  }
  if (!read_framing()) {
    refuse(Fault::unknown_framing);
    return false;
  }
  return true;
}

bool HttpAnswerReader::read_framing() {
  std::optional<std::size_t> length;
  bool is_chunked = false;
  for (const auto& [name, value] : fields_) {
    if (equal_but_case(name, "connection") && has_option(value, "close")) keeps_alive_ = false;
    if (equal_but_case(name, "transfer-encoding")) {
      if (is_chunked || !equal_but_case(value, "chunked")) return false;
      is_chunked = true;
    }
    if (equal_but_case(name, "content-length")) {
      const auto said = whole_number(value, 10);
      if (!said || (length && *length != *said)) return false;
      length = said;
    }
    // Nobody asked for it to be compressed.
    if (equal_but_case(name, "content-encoding") && !equal_but_case(value, "identity")) return false;
  }
  if (status_ == 101) return false;
  if (!has_body_ || status_ == 204 || status_ == 304) {
    state_ = State::complete;
  } else if (is_chunked) {
    if (length) keeps_alive_ = false;  // somebody on the way may have believed the length
    state_ = State::chunk_size;
  } else if (length) {
    left_ = *length;
    state_ = left_ > 0 ? State::body : State::complete;
  } else {
    keeps_alive_ = false;
    state_ = State::body_to_the_end;
  }
  return true;
}

void HttpAnswerReader::read_chunk_size() {
  const std::string_view size = trimmed(std::string_view(line_).substr(0, line_.find(';')));
  const auto said = whole_number(size, 16);
  if (!said) return refuse(Fault::unknown_framing);
  left_ = *said;
  state_ = left_ > 0 ? State::chunk : State::trailer;
}

void HttpAnswerReader::refuse(Fault fault) {
  state_ = State::refused;
  fault_ = fault;
}

}  // namespace deft
