#include "deft/shell/commands.h"
#include "deft/shell/parser.h"

namespace deft::shell {
namespace {

bool needs_quotes(std::string_view text) {
  if (text.empty()) return true;
  for (const char c : text) {
    const bool is_plain = is_name_char(c) || static_cast<unsigned char>(c) >= 0x80 ||
                          std::string_view("-+=.,/:@%^{}").find(c) != std::string_view::npos;
    if (!is_plain) return true;
  }
  return false;
}

std::string quote(std::string_view text) {
  if (!needs_quotes(text)) return std::string(text);
  std::string out = "'";
  for (const char c : text) {
    if (c == '\'') {
      out += "'\\''";
    } else {
      out += c;
    }
  }
  return out + "'";
}

std::string_view sign(Access access) {
  switch (access) {
    case Access::read: return "<";
    case Access::write: return ">";
    case Access::append: return ">>";
    case Access::read_write: return "<>";
    case Access::duplicate: return ">&";
    case Access::here: return "<<…";
  }
  return "";
}

}  // namespace

std::string describe(const Argument& argument) {
  if (argument.is_exact()) return quote(argument.text);
  return "«" + argument.source + "»";
}

std::string describe(const CommandUse& command) {
  std::string out;
  const auto add = [&](std::string_view piece) {
    if (!out.empty()) out += ' ';
    out += piece;
  };
  for (const AssignmentUse& assignment : command.assignments) {
    add(assignment.name + (assignment.appends ? "+=" : "=") + describe(assignment.value));
  }
  for (const Argument& word : command.words) add(describe(word));
  for (const RedirectionUse& redirection : command.redirections) {
    const bool is_input = redirection.access == Access::read || redirection.access == Access::here;
    std::string piece;
    if (redirection.descriptor == -1) {
      piece = "&";
    } else if (redirection.descriptor != (is_input ? 0 : 1)) {
      piece = std::to_string(redirection.descriptor);
    }
    piece += sign(redirection.access);
    if (redirection.access != Access::here) piece += describe(redirection.target);
    add(piece);
  }
  return out;
}

}  // namespace deft::shell
