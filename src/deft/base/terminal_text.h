#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace deft {

inline constexpr std::size_t kLineHeldBytesMax = std::size_t{64} << 10;

// Makes of what a program wrote for a terminal what a person would have seen of it, line by line: escape sequences are
// dropped, a carriage return lets the line begin anew (progress bars), a backspace takes one character back, a zero
// byte is shown as U+2400, other control characters are dropped. Bytes come in pieces of any size; memory is bounded.
// Whether they are UTF-8 is not its business.
class TerminalText {
 public:
  // Appends to `out` what is settled now: whole lines, as a rule.
  void feed(std::string_view bytes, std::string& out);
  // The line that may still change.
  std::string_view pending() const { return line_; }

 private:
  enum class State : unsigned char {
    text,
    escape,
    escape_more,
    control_sequence,
    control_string,
    control_string_escape
  };

  void take_text(char byte, std::string& out);
  void take_escape(char byte, std::string& out);
  void take_back();
  void hold(std::string_view text, std::string& out);

  State state_ = State::text;
  bool begins_anew_ = false;  // a carriage return was the last thing
  bool after_c2_ = false;     // the first byte of a C1 control character, maybe
  std::string line_;
};

}  // namespace deft
