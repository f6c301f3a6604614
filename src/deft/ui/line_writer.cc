#include "deft/ui/line_writer.h"

#include <unistd.h>

#include <cerrno>
#include <string_view>
#include <utility>

namespace deft {
namespace {

bool write_all(int descriptor, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(descriptor, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

}  // namespace

LineWriter::LineWriter(int descriptor, std::function<void()> on_broken)
    : descriptor_(descriptor), on_broken_(std::move(on_broken)), thread_([this] { write_lines(); }) {}

void LineWriter::finish() {
  {
    const std::lock_guard lock(mutex_);
    closing_ = true;
  }
  changed_.notify_one();
  if (thread_.joinable()) thread_.join();
}

void LineWriter::put(std::string line) {
  line += '\n';
  {
    const std::lock_guard lock(mutex_);
    bytes_ += line.size();
    lines_.push_back(std::move(line));
  }
  changed_.notify_one();
}

std::size_t LineWriter::waiting_bytes() {
  const std::lock_guard lock(mutex_);
  return bytes_;
}

void LineWriter::put_progress(const std::string& call_id, std::string line) {
  line += '\n';
  {
    const std::lock_guard lock(mutex_);
    const auto waiting = progress_.find(call_id);
    if (waiting != progress_.end()) {
      bytes_ += line.size() - waiting->second->size();
      *waiting->second = std::move(line);
      return;
    }
    bytes_ += line.size();
    progress_.emplace(call_id, lines_.insert(lines_.end(), std::move(line)));
  }
  changed_.notify_one();
}

void LineWriter::write_lines() {
  bool broken = false;
  std::unique_lock lock(mutex_);
  for (;;) {
    changed_.wait(lock, [this] { return closing_ || !lines_.empty(); });
    if (lines_.empty()) return;
    const std::list<std::string> lines = std::exchange(lines_, {});
    progress_.clear();
    lock.unlock();
    std::string bytes;
    for (const std::string& line : lines) bytes += line;
    if (!broken && !write_all(descriptor_, bytes)) {
      broken = true;
      on_broken_();
    }
    lock.lock();
    bytes_ -= bytes.size();
  }
}

}  // namespace deft
