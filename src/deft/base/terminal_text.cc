#include "deft/base/terminal_text.h"

#include <cstring>
#include <utility>

namespace deft {
namespace {

constexpr char kEscape = '\x1B';
constexpr char kBell = '\a';
constexpr char kLeadOfC1 = '\xC2';  // U+0080 to U+009F are C2 80 to C2 9F
constexpr std::string_view kSymbolForNull = "\xE2\x90\x80";
constexpr std::size_t kBlockBytes = 64;

// Neither 0 nor 1 is reached by a branch, so that compilers look at many bytes at once.
unsigned char is_odd(char byte) {
  const auto value = static_cast<unsigned char>(byte);
  const bool is_control = (value < 0x20) & (byte != '\n') & (byte != '\t');
  return static_cast<unsigned char>(is_control | (value == 0x7F) | (byte == kLeadOfC1));
}
bool is_plain(char byte) { return is_odd(byte) == 0; }

// How many bytes at the start need no thought. In blocks, without a branch a byte: most output is nothing else.
std::size_t plain_length(std::string_view bytes) {
  std::size_t length = 0;
  for (; length + kBlockBytes <= bytes.size(); length += kBlockBytes) {
    unsigned char odd = 0;
    for (std::size_t i = 0; i < kBlockBytes; ++i) odd |= is_odd(bytes[length + i]);
    if (odd != 0) break;
  }
  while (length < bytes.size() && is_plain(bytes[length])) ++length;
  return length;
}

bool is_between(char byte, char first, char last) { return byte >= first && byte <= last; }

}  // namespace

void TerminalText::feed(std::string_view bytes, std::string& out) {
  while (!bytes.empty()) {
    if (state_ == State::text && !after_c2_ && !begins_anew_) {
      const std::string_view plain = bytes.substr(0, plain_length(bytes));
      hold(plain, out);
      bytes.remove_prefix(plain.size());
      if (bytes.empty()) return;
    }
    const char byte = bytes.front();
    bytes.remove_prefix(1);
    if (state_ == State::text) {
      take_text(byte, out);
    } else {
      take_escape(byte, out);
    }
  }
}

// Whole lines go out; what follows the last of them is held.
void TerminalText::hold(std::string_view text, std::string& out) {
  const void* const last = text.empty() ? nullptr : ::memrchr(text.data(), '\n', text.size());
  if (last) {
    const auto newline = static_cast<std::size_t>(static_cast<const char*>(last) - text.data());
    out += line_;
    out += text.substr(0, newline + 1);
    line_.clear();
    text.remove_prefix(newline + 1);
  }
  line_ += text;
  if (line_.size() <= kLineHeldBytesMax) return;
  out += line_;  // too long to wait for its end
  line_.clear();
}

void TerminalText::take_text(char byte, std::string& out) {
  if (after_c2_) {
    after_c2_ = false;
    if (is_between(byte, '\x80', '\x9F')) return;
    hold({&kLeadOfC1, 1}, out);
  }
  if (byte == '\r') {
    begins_anew_ = true;
    return;
  }
  if (byte == '\n') {
    begins_anew_ = false;
    return hold("\n", out);
  }
  if (byte == kEscape) {
    state_ = State::escape;  // colours say nothing about where the line begins
    return;
  }
  if (std::exchange(begins_anew_, false)) line_.clear();
  if (byte == '\b') return take_back();
  if (byte == '\0') return hold(kSymbolForNull, out);
  if (byte == kLeadOfC1) {
    after_c2_ = true;
    return;
  }
  if (is_plain(byte)) hold({&byte, 1}, out);
}

void TerminalText::take_escape(char byte, std::string& out) {
  switch (state_) {
    case State::escape:
      if (byte == '[') {
        state_ = State::control_sequence;
      } else if (byte == ']' || byte == 'P' || byte == 'X' || byte == '^' || byte == '_') {
        state_ = State::control_string;
      } else if (is_between(byte, ' ', '/')) {
        state_ = State::escape_more;
      } else if (byte != kEscape) {
        state_ = State::text;
      }
      return;
    case State::escape_more:
      if (!is_between(byte, ' ', '/')) state_ = State::text;
      return;
    case State::control_sequence:
      if (byte == kEscape) {
        state_ = State::escape;
      } else if (!is_between(byte, ' ', '?')) {
        state_ = State::text;
      }
      return;
    case State::control_string:
      if (byte == kEscape) state_ = State::control_string_escape;
      if (byte == kBell || byte == '\n') state_ = State::text;
      if (byte == '\n') take_text(byte, out);  // a title never holds a line's end: it was cut off
      return;
    case State::control_string_escape:
      state_ = byte == '\\' ? State::text : byte == kEscape ? state_ : State::control_string;
      return;
    case State::text: return;
  }
}

void TerminalText::take_back() {
  while (!line_.empty()) {
    const bool is_continuation = (static_cast<unsigned char>(line_.back()) & 0xC0) == 0x80;
    line_.pop_back();
    if (!is_continuation) return;
  }
}

}  // namespace deft
