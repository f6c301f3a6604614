#include "deft/ui/input_line.h"

#include <unistd.h>

#include <cstdlib>
#include <memory>

namespace deft {

std::optional<std::string> read_line(std::FILE* from) {
  char* text = nullptr;
  std::size_t room = 0;
  const ssize_t length = ::getline(&text, &room, from);
  const std::unique_ptr<char, decltype(&std::free)> owned(text, &std::free);
  if (length < 0) return std::nullopt;
  std::string line(text, static_cast<std::size_t>(length));
  if (line.ends_with('\n')) line.pop_back();
  return line;
}

bool confirms(std::string_view command, std::string_view question) {
  if (::isatty(STDIN_FILENO) == 0) {
    std::fprintf(stderr, "deft %.*s: nobody to ask; give --yes\n", static_cast<int>(command.size()), command.data());
    return false;
  }
  std::printf("%.*s [y/N] ", static_cast<int>(question.size()), question.data());
  std::fflush(stdout);
  const std::string answer = read_line(stdin).value_or("");
  return answer == "y" || answer == "Y" || answer == "yes";
}

}  // namespace deft
