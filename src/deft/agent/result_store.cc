#include "deft/agent/result_store.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include "deft/base/path.h"
#include "deft/base/text.h"
#include "deft/base/utf8.h"

namespace deft {
namespace {

Result<void> write_all(int descriptor, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(descriptor, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return std::unexpected(system_error(Errc::io, "cannot write", errno));
    text.remove_prefix(static_cast<std::size_t>(written));
  }
  return {};
}

}  // namespace

std::string_view preview_of(std::string_view text, std::size_t bytes_max) {
  const std::string_view start = utf8_prefix(text, bytes_max);
  if (start.size() == text.size()) return start;
  const std::size_t line_end = start.rfind('\n');
  return line_end != std::string_view::npos && line_end >= bytes_max / 2 ? start.substr(0, line_end) : start;
}

Result<std::string> ResultStore::store(std::string_view call_id, std::string_view text) const {
  if (::mkdir(folder_.c_str(), 0700) != 0 && errno != EEXIST) {
    return std::unexpected(system_error(Errc::io, "cannot create " + folder_, errno));
  }
  const std::string path = folder_ + "/" + safe_file_name(call_id) + ".txt";
  const std::string unfinished = path + ".part";
  const int descriptor = ::open(unfinished.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600);
  if (descriptor < 0) return std::unexpected(system_error(Errc::io, "cannot create " + unfinished, errno));
  auto written = write_all(descriptor, text);
  ::close(descriptor);
  if (written && ::rename(unfinished.c_str(), path.c_str()) != 0) {
    written = std::unexpected(system_error(Errc::io, "cannot rename " + unfinished, errno));
  }
  if (!written) {
    ::unlink(unfinished.c_str());
    return std::unexpected(written.error());
  }
  return path;
}

void ResultStore::bound(ToolResult& result, std::string_view call_id, std::size_t characters_max) const {
  const std::size_t limit = std::min(characters_max, kStoredResultCharactersMin);
  // Bytes are at least as many as characters, so most results need no counting.
  if (characters_max == static_cast<std::size_t>(-1) || result.text.size() <= limit) return;
  if (count_characters(result.text) <= limit) return;

  const auto path = store(call_id, result.text);
  const std::string_view preview = preview_of(result.text, kPreviewBytesMax);
  std::string text = "<persisted-output>\nOutput too large (" + human_bytes(result.text.size()) + "). ";
  text += path ? "Full output saved to: " + *path : "The full output could not be saved: " + path.error().message;
  text += "\n\nPreview (first " + human_bytes(kPreviewBytesMax) + "):\n" + std::string(preview);
  if (preview.size() < result.text.size()) text += "\n...";
  result.text = text + "\n</persisted-output>";
}

}  // namespace deft
