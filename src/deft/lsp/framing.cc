#include "deft/lsp/framing.h"

#include <algorithm>
#include <charconv>
#include <utility>

#include "deft/base/text.h"

namespace deft::lsp {
namespace {

constexpr std::size_t kShownCharactersMax = 120;

std::string_view trimmed(std::string_view text) {
  const auto first = text.find_first_not_of(" \t");
  if (first == text.npos) return {};
  return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

bool is_name(std::string_view text, std::string_view name) {
  return std::ranges::equal(text, name, [](char a, char b) { return (a >= 'A' && a <= 'Z' ? a + 32 : a) == b; });
}

// With the empty line: what ends a header.
bool is_whole(std::string_view header) {
  return header.ends_with("\n\r\n") || header.ends_with("\n\n") || header == "\r\n" || header == "\n";
}

}  // namespace

std::vector<std::string> FrameReader::feed(std::string_view bytes) {
  std::vector<std::string> bodies;
  while (!error_) {
    if (!body_bytes_ && !take_header(bytes)) break;
    if (error_) break;
    const std::string_view piece = bytes.substr(0, *body_bytes_ - body_.size());
    body_ += piece;
    bytes.remove_prefix(piece.size());
    if (body_.size() < *body_bytes_) break;
    bodies.push_back(std::exchange(body_, {}));
    body_bytes_.reset();
  }
  return bodies;
}

// False: it is not whole yet.
bool FrameReader::take_header(std::string_view& bytes) {
  while (!bytes.empty()) {
    const std::size_t end = bytes.find('\n');
    const std::string_view piece = bytes.substr(0, end == bytes.npos ? bytes.size() : end + 1);
    if (header_.size() + piece.size() > limits_.header_bytes_max) {
      header_ += piece.substr(0, limits_.header_bytes_max - header_.size());
      give_up(Errc::limit, "it wrote something that is no message: " + one_line(header_, kShownCharactersMax));
      return true;
    }
    header_ += piece;
    bytes.remove_prefix(piece.size());
    if (!is_whole(header_)) continue;
    read_header();
    header_.clear();
    return true;
  }
  return false;
}

void FrameReader::read_header() {
  std::string_view rest = header_;
  while (!rest.empty()) {
    std::string_view line = rest.substr(0, rest.find('\n'));
    rest.remove_prefix(line.size() + 1);
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (line.empty()) break;
    const std::size_t colon = line.find(':');
    if (colon == line.npos) {
      return give_up(Errc::invalid_input,
                     "it wrote something that is no message: " + one_line(header_, kShownCharactersMax));
    }
    if (!is_name(trimmed(line.substr(0, colon)), "content-length")) continue;
    const std::string_view number = trimmed(line.substr(colon + 1));
    std::size_t length = 0;
    const auto [end, problem] = std::from_chars(number.data(), number.data() + number.size(), length);
    if (problem != std::errc() || end != number.data() + number.size() || number.empty() || body_bytes_) {
      return give_up(Errc::invalid_input, "it wrote a header that is none: " + one_line(header_, kShownCharactersMax));
    }
    if (length > limits_.message_bytes_max) {
      return give_up(Errc::limit, "it began a message of " + human_bytes(length) + "; at most " +
                                      human_bytes(limits_.message_bytes_max) + " are read");
    }
    body_bytes_ = length;
  }
  if (!body_bytes_) {
    give_up(Errc::invalid_input, "it wrote a header without a length: " + one_line(header_, kShownCharactersMax));
  }
}

void FrameReader::give_up(Errc code, std::string message) {
  error_ = Error{code, std::move(message)};
  body_bytes_.reset();
  header_.clear();
}

std::string frame(std::string_view body) {
  return "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" + std::string(body);
}

}  // namespace deft::lsp
