#include "deft/agent/hook_overflow.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include "deft/base/path.h"
#include "deft/base/utf8.h"
#include "deft/os/unique_fd.h"

namespace deft {

std::string bounded_hook_text(std::string text, const KeepText& keep) {
  if (text.size() <= kHookTextCharactersMax) return text;  // bytes are at least as many as characters
  const std::size_t characters = count_characters(text);
  if (characters <= kHookTextCharactersMax) return text;
  const auto kept = keep(text);
  std::string bounded(utf8_prefix(text, kHookPreviewBytesMax));
  bounded += "\n[cut: the hook said " + std::to_string(characters) + " characters; ";
  bounded += kept ? "all of it is in " + *kept : "the rest could not be kept: " + kept.error().message;
  return bounded + "]";
}

void bound_answer(HookAnswer& answer, const KeepText& keep) {
  const auto bound = [&](std::string& text) { text = bounded_hook_text(std::move(text), keep); };
  bound(answer.reason);
  bound(answer.block_reason);
  bound(answer.context);
  bound(answer.message);
  bound(answer.stop_reason);
  if (answer.permission) bound(answer.permission->message);
  if (answer.first_prompt) bound(*answer.first_prompt);
  if (answer.session_title) bound(*answer.session_title);
}

Result<std::string> keep_hook_text(const std::string& session_folder, std::string_view name, std::string_view text) {
  if (session_folder.empty()) return fail(Errc::not_found, "there is no session folder");
  const std::string folder = session_folder + "/hook-output";
  for (const std::string* path : {&session_folder, &folder}) {
    if (::mkdir(path->c_str(), 0700) != 0 && errno != EEXIST) {
      return std::unexpected(system_error(Errc::io, "cannot create " + *path, errno));
    }
  }
  std::string path = folder + "/" + safe_file_name(name) + ".txt";
  const UniqueFd file(::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600));
  if (!file) return std::unexpected(system_error(Errc::io, "cannot create " + path, errno));
  while (!text.empty()) {
    const ssize_t written = ::write(file.get(), text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) {
      const int error = errno;
      ::unlink(path.c_str());
      return std::unexpected(system_error(Errc::io, "cannot write " + path, error));
    }
    text.remove_prefix(static_cast<std::size_t>(written));
  }
  return path;
}

}  // namespace deft
