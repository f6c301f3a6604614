#include "deft/tools/shell_output.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "deft/base/path.h"
#include "deft/base/text.h"

namespace deft {

ShellOutput::~ShellOutput() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

void ShellOutput::add(std::string_view bytes) {
  size_ += bytes.size();
  if (raw_is_whole_) raw_ += bytes;
  if (size_ > shown_bytes_max_) keep_ = Keep::all;
  if (keep_ == Keep::all) spill(raw_is_whole_ ? std::string_view(raw_).substr(in_file_) : bytes);
  if (size_ > shown_bytes_max_ && raw_is_whole_) {
    raw_is_whole_ = false;
    raw_ = {};
  }
  cleaned_.clear();
  cleaner_.feed(bytes, cleaned_);
  seen_.add(cleaned_);
  new_.add(cleaned_);
}

void ShellOutput::keep_all() {
  keep_ = Keep::all;
  if (raw_is_whole_) spill(std::string_view(raw_).substr(in_file_));
}

bool ShellOutput::open_file() {
  if (descriptor_ >= 0) return true;
  if (file_failed_) return false;
  ::mkdir(std::string(parent_path(file_)).c_str(), 0700);
  descriptor_ = ::open(file_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600);
  file_failed_ = descriptor_ < 0;
  return !file_failed_;
}

void ShellOutput::spill(std::string_view bytes) {
  if (!open_file()) return;
  bytes = bytes.substr(0, std::min<std::uint64_t>(bytes.size(), kShellOutputFileBytesMax - in_file_));
  while (!bytes.empty()) {
    const ssize_t written = ::write(descriptor_, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) {
      file_failed_ = true;
      ::close(std::exchange(descriptor_, -1));
      return;
    }
    in_file_ += static_cast<std::uint64_t>(written);
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
}

std::string ShellOutput::shown(const Excerpt& excerpt) const {
  Excerpt with_pending = excerpt;
  with_pending.add(cleaner_.pending());
  if (with_pending.is_whole()) return with_pending.whole();
  std::string note = "\n\n... " + human_bytes(with_pending.left_out()) + " of " + human_bytes(with_pending.size()) +
                     " left out here. ";
  if (file_failed_) {
    note += "The full output could not be saved.";
  } else {
    note += in_file_ < size_ ? "The first " + human_bytes(in_file_) + " are saved in: " : "Full output saved to: ";
    note += file_;
  }
  return with_pending.beginning() + note + " ...\n\n" + with_pending.end();
}

std::string ShellOutput::text() const { return shown(seen_); }

std::string ShellOutput::take_new() {
  std::string text = shown(new_);
  new_.clear();
  return text;
}

std::string ShellOutput::last_lines(std::size_t bytes_max) const {
  Excerpt with_pending = seen_;
  with_pending.add(cleaner_.pending());
  return with_pending.last_lines(bytes_max);
}

}  // namespace deft
