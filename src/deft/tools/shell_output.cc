#include "deft/tools/shell_output.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "deft/base/path.h"
#include "deft/base/text.h"
#include "deft/base/utf8.h"

namespace deft {
namespace {

constexpr std::size_t kHalf = kShellOutputShownBytesMax / 2;

// The end of `text`, not longer than `bytes_max`, starting at a character and if possible at a line.
std::string_view end_of(std::string_view text, std::size_t bytes_max) {
  if (text.size() <= bytes_max) return text;
  text.remove_prefix(text.size() - bytes_max);
  const std::size_t newline = text.find('\n');
  if (newline != std::string_view::npos && newline < bytes_max / 2) return text.substr(newline + 1);
  while (!text.empty() && (static_cast<unsigned char>(text.front()) & 0xC0) == 0x80) text.remove_prefix(1);
  return text;
}

}  // namespace

ShellOutput::~ShellOutput() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

void ShellOutput::add(std::string_view bytes) {
  const bool fitted = size_ <= kShellOutputShownBytesMax;
  size_ += bytes.size();
  if (size_ > kShellOutputShownBytesMax) {
    if (fitted) {  // the first bytes too many: what was only in memory goes to the file as well
      spill(head_);
      spill(tail_);
    }
    spill(bytes);
  }
  keep(bytes);
}

void ShellOutput::keep(std::string_view bytes) {
  const std::size_t to_head = std::min(bytes.size(), kHalf - head_.size());
  head_ += bytes.substr(0, to_head);
  tail_ += bytes.substr(to_head);
  if (tail_.size() > 4 * kHalf) tail_.erase(0, tail_.size() - kHalf);  // seldom, so that it costs little per byte
}

void ShellOutput::spill(std::string_view bytes) {
  if (file_failed_ || bytes.empty()) return;
  if (descriptor_ < 0) {
    ::mkdir(std::string(parent_path(file_)).c_str(), 0700);
    descriptor_ = ::open(file_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (descriptor_ < 0) {
      file_failed_ = true;
      return;
    }
  }
  bytes = bytes.substr(0, std::min<std::uint64_t>(bytes.size(), kShellOutputFileBytesMax - in_file_));
  while (!bytes.empty()) {
    const ssize_t written = ::write(descriptor_, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) {
      file_failed_ = true;
      return;
    }
    in_file_ += static_cast<std::uint64_t>(written);
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
}

std::string ShellOutput::text() const {
  if (size_ <= kShellOutputShownBytesMax) return to_valid_utf8(head_ + tail_);
  const std::string_view first = utf8_prefix(head_, head_.size());
  const std::string_view last = end_of(tail_, kHalf);
  const std::uint64_t left_out = size_ - first.size() - last.size();
  std::string note = "\n\n... " + human_bytes(left_out) + " of " + human_bytes(size_) + " left out here. ";
  if (file_failed_) {
    note += "The full output could not be saved.";
  } else {
    note += in_file_ < size_ ? "The first " + human_bytes(in_file_) + " are saved in: " : "Full output saved to: ";
    note += file_;
  }
  return to_valid_utf8(first) + note + " ...\n\n" + to_valid_utf8(last);
}

std::string ShellOutput::last_lines(std::size_t bytes_max) const {
  return to_valid_utf8(end_of(tail_.empty() ? head_ : tail_, bytes_max));
}

}  // namespace deft
