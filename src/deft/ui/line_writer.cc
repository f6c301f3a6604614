#include "deft/ui/line_writer.h"

#include <poll.h>
#include <unistd.h>

#include <cerrno>
#include <string_view>
#include <system_error>
#include <utility>

#include "deft/os/stop_event.h"

namespace deft {

// Where the descriptor does not block, what it does not take yet is waited for, until that is given up.
int LineWriter::write_all(std::string_view bytes) const {
  while (!bytes.empty()) {
    const ssize_t written = ::write(descriptor_, bytes.data(), bytes.size());
    if (written >= 0) {
      bytes.remove_prefix(static_cast<std::size_t>(written));
      continue;
    }
    if (errno == EINTR) continue;
    if (errno != EAGAIN) return errno;
    const StopEvent given_up(give_up_.get_token());
    pollfd waits[] = {{.fd = descriptor_, .events = POLLOUT, .revents = 0},
                      {.fd = given_up.fd(), .events = POLLIN, .revents = 0}};
    if (::poll(waits, std::size(waits), -1) < 0 && errno != EINTR) return errno;
    if (give_up_.stop_requested()) return EPIPE;
  }
  return 0;
}

LineWriter::LineWriter(int descriptor, std::function<void()> on_broken)
    : descriptor_(descriptor), on_broken_(std::move(on_broken)) {}

// Many have nothing to say for a long time, or never.
void LineWriter::need_thread() {
  if (!thread_.joinable() && !closing_) thread_ = std::thread([this] { write_lines(); });
}

void LineWriter::finish() {
  {
    const std::lock_guard lock(mutex_);
    closing_ = true;
  }
  changed_.notify_all();
  if (thread_.joinable()) thread_.join();
}

bool LineWriter::finish_within(std::chrono::nanoseconds at_most) {
  std::unique_lock lock(mutex_);
  closing_ = true;
  if (!thread_.joinable()) return true;
  changed_.notify_all();
  const bool is_written = changed_.wait_for(lock, at_most, [this] { return is_over_; });
  if (!is_written) give_up_.request_stop();
  return is_written;
}

std::string LineWriter::problem() {
  const std::lock_guard lock(mutex_);
  if (failure_ == 0 || failure_ == EPIPE) return {};
  return "the output could not be written: " + std::generic_category().message(failure_);
}

void LineWriter::put(std::string line) {
  line += '\n';
  {
    const std::lock_guard lock(mutex_);
    bytes_ += line.size();
    lines_.push_back(std::move(line));
    need_thread();
  }
  changed_.notify_all();
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
    need_thread();
  }
  changed_.notify_all();
}

void LineWriter::write_lines() {
  write_until_closed();
  const std::lock_guard lock(mutex_);
  is_over_ = true;
  changed_.notify_all();
}

void LineWriter::write_until_closed() {
  std::unique_lock lock(mutex_);
  for (;;) {
    changed_.wait(lock, [this] { return closing_ || !lines_.empty(); });
    if (lines_.empty()) return;
    const std::list<std::string> lines = std::exchange(lines_, {});
    progress_.clear();
    const bool was_broken = failure_ != 0;
    lock.unlock();
    std::string bytes;
    for (const std::string& line : lines) bytes += line;
    const int failure = was_broken ? 0 : write_all(bytes);
    if (failure != 0) on_broken_();
    lock.lock();
    if (failure != 0) failure_ = failure;
    bytes_ -= bytes.size();
  }
}

}  // namespace deft
