#include "deft/base/http_message.h"

#include <algorithm>
#include <array>
#include <charconv>

namespace deft {
namespace {

constexpr std::size_t kMethodBytesMax = 32;
constexpr std::size_t kChunkSizeDigitsMax = 8;

bool is_token_character(char c) {
  if ((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9')) return true;
  return std::string_view("!#$%&'*+-.^_`|~").find(c) != std::string_view::npos;
}

bool is_token(std::string_view text) { return !text.empty() && std::ranges::all_of(text, is_token_character); }

bool is_visible(char c) { return c > ' ' && c < 0x7F; }

bool is_field_value(std::string_view text) {
  return std::ranges::all_of(text, [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return byte == '\t' || (byte >= ' ' && byte != 0x7F);
  });
}

std::string_view trim(std::string_view text) {
  const auto is_blank = [](char c) { return c == ' ' || c == '\t'; };
  while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
  return text;
}

std::string lower(std::string_view text) {
  std::string out(text);
  for (char& c : out) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return out;
}

bool has_option(std::string_view list, std::string_view option) {
  const std::string options = lower(list);
  for (std::size_t at = 0; at <= options.size();) {
    const std::size_t comma = std::min(options.find(',', at), options.size());
    if (trim(std::string_view(options).substr(at, comma - at)) == option) return true;
    at = comma + 1;
  }
  return false;
}

}  // namespace

const std::string* ReadRequest::field(std::string_view name) const {
  const auto found = std::ranges::find(fields, name, &HttpFields::value_type::first);
  return found == fields.end() ? nullptr : &found->second;
}

std::size_t ReadRequest::count(std::string_view name) const {
  return static_cast<std::size_t>(std::ranges::count(fields, name, &HttpFields::value_type::first));
}

std::size_t HttpRequestReader::feed(std::string_view bytes) {
  std::size_t used = 0;
  while (used < bytes.size() && state_ != State::complete && state_ != State::refused) {
    switch (state_) {
      case State::head: {
        const std::size_t left = limits_.head_bytes_max - head_bytes_;
        const auto line = take_line(bytes, used, left, 431);
        if (!line) break;
        head_bytes_ += line->size() + 2;
        if (!has_request_line_) {
          if (!line->empty()) read_request_line(*line);  // an empty line before a request is left over from the last
        } else if (line->empty()) {
          end_head();
        } else {
          read_field(*line);
        }
        break;
      }
      case State::body:
      case State::chunk: {
        const std::size_t count = std::min(body_left_, bytes.size() - used);
        request_.body.append(bytes.substr(used, count));
        used += count;
        body_left_ -= count;
        if (body_left_ == 0) state_ = state_ == State::body ? State::complete : State::chunk_end;
        break;
      }
      case State::chunk_size: {
        if (const auto line = take_line(bytes, used, limits_.chunk_line_bytes_max, 400)) read_chunk_size(*line);
        break;
      }
      case State::chunk_end: {
        const auto line = take_line(bytes, used, limits_.chunk_line_bytes_max, 400);
        if (!line) break;
        if (!line->empty()) {
          refuse(400, "a chunk is longer than it says");
        } else {
          state_ = State::chunk_size;
        }
        break;
      }
      case State::trailer: {
        const auto line = take_line(bytes, used, limits_.head_bytes_max - head_bytes_, 431);
        if (!line) break;
        head_bytes_ += line->size() + 2;  // what stands there is not used
        if (line->empty()) state_ = State::complete;
        break;
      }
      case State::complete:
      case State::refused: break;
    }
  }
  return used;
}

// A line ends in CR LF and nothing else.
std::optional<std::string> HttpRequestReader::take_line(std::string_view bytes, std::size_t& used,
                                                        std::size_t bytes_max, int status) {
  const std::size_t end = bytes.find('\n', used);
  const std::size_t stop = end == std::string_view::npos ? bytes.size() : end + 1;
  if (line_.size() + (stop - used) > bytes_max) {
    used = stop;
    refuse(status, "the head of the request is too long");
    return std::nullopt;
  }
  line_.append(bytes.substr(used, stop - used));
  used = stop;
  if (end == std::string_view::npos) return std::nullopt;
  if (line_.size() < 2 || line_[line_.size() - 2] != '\r') {
    refuse(400, "a line must end in CR LF");
    return std::nullopt;
  }
  std::string line = std::exchange(line_, {});
  line.resize(line.size() - 2);
  return line;
}

void HttpRequestReader::read_request_line(const std::string& line) {
  has_request_line_ = true;
  const std::size_t first = line.find(' ');
  const std::size_t last = line.rfind(' ');
  if (first == std::string::npos || first == last) return refuse(400, "this is no request of HTTP/1.1");
  const std::string_view method = std::string_view(line).substr(0, first);
  const std::string_view target = std::string_view(line).substr(first + 1, last - first - 1);
  const std::string_view version = std::string_view(line).substr(last + 1);
  if (!is_token(method) || method.size() > kMethodBytesMax) return refuse(400, "this is no method");
  if (version != "HTTP/1.1" && version != "HTTP/1.0") {
    return refuse(version.starts_with("HTTP/") ? 505 : 400, "only HTTP/1.1 is spoken here");
  }
  if (target.size() > limits_.target_bytes_max) return refuse(414, "the address is too long");
  if (!target.starts_with('/') || !std::ranges::all_of(target, is_visible)) return refuse(400, "this is no path");
  is_version_1_1_ = version == "HTTP/1.1";
  request_.method = method;
  const std::size_t question = target.find('?');
  request_.path = target.substr(0, question);
  if (question != std::string_view::npos) request_.query = target.substr(question + 1);
}

void HttpRequestReader::read_field(const std::string& line) {
  if (request_.fields.size() >= limits_.fields_max) return refuse(431, "the request has too many fields");
  const std::size_t colon = line.find(':');
  // A blank before the colon, or at the beginning (a folded line), is read differently by others.
  if (colon == std::string::npos || !is_token(std::string_view(line).substr(0, colon))) {
    return refuse(400, "a field of the head has no proper name");
  }
  const std::string_view value = trim(std::string_view(line).substr(colon + 1));
  if (!is_field_value(value)) return refuse(400, "a field of the head holds control characters");
  request_.fields.emplace_back(lower(std::string_view(line).substr(0, colon)), value);
}

void HttpRequestReader::end_head() {
  const std::size_t hosts = request_.count("host");
  if (hosts > 1 || (hosts == 0 && is_version_1_1_)) return refuse(400, "exactly one Host must be named");
  const std::string* connection = request_.field("connection");
  request_.keeps_alive = is_version_1_1_ && !(connection && has_option(*connection, "close"));

  const std::string* encoding = request_.field("transfer-encoding");
  const std::string* length = request_.field("content-length");
  if (encoding && (length || !is_version_1_1_)) return refuse(400, "how long the body is can be read in two ways");
  if (request_.count("content-length") > 1 || request_.count("transfer-encoding") > 1) {
    return refuse(400, "how long the body is was said twice");
  }
  if (encoding) {
    if (lower(*encoding) != "chunked") return refuse(501, "only chunked bodies are understood");
    state_ = State::chunk_size;
  } else if (length) {
    const bool is_number =
        !length->empty() && std::ranges::all_of(*length, [](char c) { return c >= '0' && c <= '9'; });
    if (!is_number) return refuse(400, "Content-Length is no number");
    std::size_t count = 0;
    const auto read = std::from_chars(length->data(), length->data() + length->size(), count);
    if (read.ec != std::errc() || count > limits_.body_bytes_max) return refuse(413, "the body is too large");
    body_left_ = count;
    state_ = count == 0 ? State::complete : State::body;
  } else {
    state_ = State::complete;
  }
  const std::string* expects = request_.field("expect");
  if (!expects) return;
  if (lower(*expects) != "100-continue") return refuse(417, "this expectation is not known");
  expects_continue_ = state_ != State::complete && is_version_1_1_;
}

void HttpRequestReader::read_chunk_size(const std::string& line) {
  if (!is_field_value(line)) return refuse(400, "the size of a chunk has control characters with it");
  const std::size_t end = std::min(line.find(';'), line.size());
  const std::string_view digits = trim(std::string_view(line).substr(0, end));
  std::size_t size = 0;
  const auto read = std::from_chars(digits.data(), digits.data() + digits.size(), size, 16);
  const bool is_number = !digits.empty() && digits.size() <= kChunkSizeDigitsMax && read.ec == std::errc() &&
                         read.ptr == digits.data() + digits.size();
  if (!is_number || digits.front() == '-') return refuse(400, "a chunk has no proper size");
  if (size > limits_.body_bytes_max - request_.body.size()) return refuse(413, "the body is too large");
  body_left_ = size;
  state_ = size == 0 ? State::trailer : State::chunk;
}

void HttpRequestReader::refuse(int status, std::string message) {
  state_ = State::refused;
  fault_ = HttpFault{status, std::move(message)};
}

ReadRequest HttpRequestReader::take() {
  ReadRequest whole = std::exchange(request_, {});
  const HttpReadLimits limits = limits_;
  *this = HttpRequestReader(limits);
  return whole;
}

// --- what is answered ---

std::string_view http_reason(int status) {
  switch (status) {
    case 100: return "Continue";
    case 200: return "OK";
    case 202: return "Accepted";
    case 204: return "No Content";
    case 400: return "Bad Request";
    case 401: return "Unauthorized";
    case 403: return "Forbidden";
    case 404: return "Not Found";
    case 405: return "Method Not Allowed";
    case 406: return "Not Acceptable";
    case 408: return "Request Timeout";
    case 409: return "Conflict";
    case 413: return "Content Too Large";
    case 414: return "URI Too Long";
    case 415: return "Unsupported Media Type";
    case 417: return "Expectation Failed";
    case 429: return "Too Many Requests";
    case 431: return "Request Header Fields Too Large";
    case 500: return "Internal Server Error";
    case 501: return "Not Implemented";
    case 503: return "Service Unavailable";
    case 505: return "HTTP Version Not Supported";
    default: return "Status";
  }
}

std::string http_head(int status, const HttpFields& fields) {
  std::string head = "HTTP/1.1 " + std::to_string(status) + " " + std::string(http_reason(status)) + "\r\n";
  for (const auto& [name, value] : fields) {
    if (!is_token(name) || !is_field_value(value)) continue;
    head += name + ": " + value + "\r\n";
  }
  return head + "\r\n";
}

std::string http_chunk(std::string_view bytes) {
  if (bytes.empty()) return {};
  std::array<char, 20> digits{};
  const auto written = std::to_chars(digits.data(), digits.data() + digits.size(), bytes.size(), 16);
  std::string chunk(digits.data(), written.ptr);
  chunk += "\r\n";
  chunk += bytes;
  return chunk + "\r\n";
}

}  // namespace deft
