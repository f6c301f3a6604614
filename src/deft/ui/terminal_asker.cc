#include "deft/ui/terminal_asker.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <termios.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdint>
#include <utility>

#include "deft/base/check.h"

namespace deft {
namespace {
constexpr std::size_t kTypedLineBytesMax = std::size_t{64} << 10;
}

Result<UniqueFd> TerminalAsker::open_terminal() {
  UniqueFd terminal(::open("/dev/tty", O_RDWR | O_CLOEXEC | O_NOCTTY));
  if (!terminal) return fail(Errc::unsupported, "there is no terminal to ask at");
  return terminal;
}

TerminalAsker::TerminalAsker(UniqueFd terminal, std::string directory, std::function<void(Feed)> sink)
    : terminal_(std::move(terminal)),
      directory_(std::move(directory)),
      sink_(std::move(sink)),
      changed_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
  DEFT_CHECK(static_cast<bool>(changed_));
  thread_ = std::thread([this] { serve(); });
}

TerminalAsker::~TerminalAsker() {
  {
    const std::lock_guard lock(mutex_);
    closing_ = true;
    open_.clear();
  }
  wake_up();
  thread_.join();
}

void TerminalAsker::wake_up() const {
  const std::uint64_t one = 1;
  DEFT_CHECK(::write(changed_.get(), &one, sizeof one) == sizeof one);
}

void TerminalAsker::ask(PermissionAsked question) {
  {
    const std::lock_guard lock(mutex_);
    open_.insert(question.id);
    queue_.push_back(std::move(question));
  }
  wake_up();
}

void TerminalAsker::withdraw(const std::string& id) {
  {
    const std::lock_guard lock(mutex_);
    open_.erase(id);
  }
  wake_up();
}

bool TerminalAsker::is_open(const std::string& id) {
  const std::lock_guard lock(mutex_);
  return open_.contains(id);
}

std::optional<PermissionAsked> TerminalAsker::next_question() {
  const std::lock_guard lock(mutex_);
  while (!queue_.empty()) {
    PermissionAsked question = std::move(queue_.front());
    queue_.pop_front();
    if (open_.contains(question.id)) return question;
  }
  return std::nullopt;
}

void TerminalAsker::serve() {
  for (;;) {
    if (auto question = next_question()) {
      converse(std::move(*question));
      continue;
    }
    {
      const std::lock_guard lock(mutex_);
      if (closing_) return;
    }
    pollfd waits{changed_.get(), POLLIN, 0};
    if (::poll(&waits, 1, -1) < 0) continue;
    std::uint64_t count = 0;
    [[maybe_unused]] const ssize_t got = ::read(changed_.get(), &count, sizeof count);
  }
}

void TerminalAsker::converse(PermissionAsked question) {
  PermissionDialog dialog(std::move(question), directory_);
  ::tcflush(terminal_.get(), TCIFLUSH);
  unread_.clear();
  show(dialog.opening());
  while (const auto line = read_line(dialog.id())) {
    auto step = dialog.take_line(*line);
    show(step.text);
    if (!step.answer) continue;
    {
      const std::lock_guard lock(mutex_);
      open_.erase(dialog.id());
    }
    return sink_(Feed(std::move(*step.answer)));
  }
}

std::optional<std::string> TerminalAsker::read_line(const std::string& id) {
  for (;;) {
    if (!is_open(id)) {
      show("\n(withdrawn: nobody needs to answer any more)\n");
      return std::nullopt;
    }
    const std::size_t newline = unread_.find('\n');
    if (newline != std::string::npos) {
      std::string line = unread_.substr(0, newline);
      unread_.erase(0, newline + 1);
      return line;
    }
    std::array<pollfd, 2> waits = {pollfd{changed_.get(), POLLIN, 0}, pollfd{terminal_.get(), POLLIN, 0}};
    if (::poll(waits.data(), waits.size(), -1) < 0) continue;
    if (waits[0].revents != 0) {
      std::uint64_t count = 0;
      [[maybe_unused]] const ssize_t got = ::read(changed_.get(), &count, sizeof count);
      continue;  // it may have been withdrawn
    }
    std::array<char, 4096> buffer{};
    const ssize_t count = ::read(terminal_.get(), buffer.data(), buffer.size());
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0 || unread_.size() > kTypedLineBytesMax) {  // the person has gone
      sink_(Feed(Aborted{}));
      return std::nullopt;
    }
    unread_.append(buffer.data(), static_cast<std::size_t>(count));
  }
}

void TerminalAsker::show(std::string_view text) const {
  while (!text.empty()) {
    const ssize_t written = ::write(terminal_.get(), text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return;
    text.remove_prefix(static_cast<std::size_t>(written));
  }
}

}  // namespace deft
