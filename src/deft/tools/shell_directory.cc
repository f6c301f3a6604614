#include "deft/tools/shell_directory.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>

#include "deft/base/path.h"
#include "deft/os/files.h"
#include "deft/os/unique_fd.h"

namespace deft {
namespace {

constexpr std::size_t kNoteBytesMax = 4'096;

std::string shell_quoted(std::string_view text) {
  std::string out = "'";
  for (const char c : text) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

}  // namespace

LastDirectory::LastDirectory(std::string_view session_folder, std::string_view call_id, std::string_view command) {
  if (!may_change_directory(command)) return;
  std::string file = std::string(session_folder) + "/cwd-" + safe_file_name(call_id);
  const int descriptor = ::open(file.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600);
  if (descriptor < 0) return;  // a full disk: the next command starts where this one did
  ::close(descriptor);
  file_ = std::move(file);
}

LastDirectory::~LastDirectory() {
  if (!file_.empty()) ::unlink(file_.c_str());
}

std::string LastDirectory::script(std::string_view command) const {
  if (file_.empty()) return std::string(command);
  return "trap " + shell_quoted("builtin pwd -P >> " + shell_quoted(file_)) + " EXIT; " + std::string(command);
}

// It is written by a trap of ours, so it is empty if bash was killed. The command may have put something else there: a
// pipe, at which one would wait, or a device that never ends.
std::string LastDirectory::read() const {
  if (file_.empty()) return {};
  const UniqueFd file(::open(file_.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
  struct stat status{};
  if (!file || ::fstat(file.get(), &status) != 0 || !S_ISREG(status.st_mode)) return {};
  std::string path(kNoteBytesMax, '\0');
  const ssize_t length = ::read(file.get(), path.data(), path.size());
  path.resize(length < 0 ? 0 : static_cast<std::size_t>(length));
  if (!path.empty() && path.back() == '\n') path.pop_back();
  return path;
}

void LastDirectory::follow(const ToolIo& io, ToolResult& result) const {
  const std::string before(io.session.working_directory());
  std::string path = read();
  if (path.empty()) path = before;
  const auto& allowed = io.session.directories();
  const bool usable = is_folder(io, path) && std::any_of(allowed.begin(), allowed.end(), [&](const std::string& it) {
                        return is_at_or_below(path, it);
                      });
  const std::string& next = usable ? path : is_folder(io, before) ? before : allowed.front();
  if (next != before) result.modifiers.emplace_back(WorkingDirectoryChanged{next});
  if (!usable) result.text += (result.text.empty() ? "" : "\n") + ("Shell cwd was reset to " + next);
}

bool may_change_directory(std::string_view command) {
  return command.find("cd") != std::string_view::npos || command.find("pushd") != std::string_view::npos ||
         command.find("popd") != std::string_view::npos;
}

bool is_folder(const ToolIo& io, std::string_view path) {
  const auto status = io.os.files.status(path);
  return status && status->kind == FileKind::directory;
}

ToolResult directory_is_gone(const ToolIo& io) {
  const std::string& next = io.session.directories().front();
  ToolResult result{.text = "Not run: the working directory " + std::string(io.session.working_directory()) +
                            " is gone.\nShell cwd was reset to " + next,
                    .error = Errc::not_found};
  result.modifiers.emplace_back(WorkingDirectoryChanged{next});
  return result;
}

}  // namespace deft
