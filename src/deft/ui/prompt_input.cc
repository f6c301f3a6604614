#include "deft/ui/prompt_input.h"

#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <memory>
#include <string_view>

#include "deft/base/text.h"

namespace deft {
namespace {

constexpr int kSilentPipeMilliseconds = 3'000;
constexpr std::size_t kReadBytes = std::size_t{64} << 10;

bool is_blank(std::string_view text) { return text.find_first_not_of(" \t\r\n") == std::string_view::npos; }

}  // namespace

Result<PipedText> read_piped_text(int descriptor, bool is_optional) {
  if (::isatty(descriptor)) {
    if (is_optional) return PipedText{};
    return fail(Errc::invalid_input, "there is no prompt: deft -p \"…\", or pipe it in");
  }
  struct stat status{};
  const bool may_be_silent =
      ::fstat(descriptor, &status) == 0 && (S_ISFIFO(status.st_mode) || S_ISSOCK(status.st_mode));
  PipedText piped;
  const auto buffer = std::make_unique_for_overwrite<char[]>(kReadBytes);
  for (bool is_first = true;; is_first = false) {
    if (is_first && is_optional && may_be_silent) {
      pollfd wait{descriptor, POLLIN, 0};
      if (::poll(&wait, 1, kSilentPipeMilliseconds) == 0) {
        piped.notice = "nothing came on standard input in 3 seconds, so it is left alone; < /dev/null says so at once";
        return piped;
      }
    }
    const ssize_t count = ::read(descriptor, buffer.get(), kReadBytes);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0 && is_optional) return piped;  // closed, or a folder
    if (count < 0) return std::unexpected(system_error(Errc::io, "cannot read the prompt", errno));
    if (count == 0) return piped;
    piped.text.append(buffer.get(), static_cast<std::size_t>(count));
    if (piped.text.size() > kPipedPromptBytesMax) {
      return fail(Errc::limit, "what is piped in is longer than " + human_bytes(kPipedPromptBytesMax) +
                                   ": put it into a file and name that in the prompt");
    }
  }
}

std::optional<std::string> joined_prompt(const std::optional<std::string>& given, const std::string& piped) {
  const bool has_given = given && !is_blank(*given);
  const bool has_piped = !is_blank(piped);
  if (has_given && has_piped) return *given + "\n\n" + piped;
  if (has_given) return given;
  if (has_piped) return piped;
  return std::nullopt;
}

}  // namespace deft
