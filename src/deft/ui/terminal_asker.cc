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
#include "deft/base/overloaded.h"

namespace deft {
namespace {
constexpr std::size_t kTypedLineBytesMax = std::size_t{64} << 10;
}

Result<UniqueFd> TerminalAsker::open_terminal() {
  UniqueFd terminal(::open("/dev/tty", O_RDWR | O_CLOEXEC | O_NOCTTY));
  if (!terminal) return fail(Errc::unsupported, "there is no terminal to ask at");
  return terminal;
}

TerminalAsker::TerminalAsker(UniqueFd terminal, std::string directory, PromptQueue& prompts, std::function<void()> gone)
    : terminal_(std::move(terminal)),
      directory_(std::move(directory)),
      prompts_(prompts),
      gone_(std::move(gone)),
      woken_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
  DEFT_CHECK(static_cast<bool>(woken_));
  thread_ = std::thread([this] { serve(); });
  prompts_.watch(*this);
}

TerminalAsker::~TerminalAsker() {
  prompts_.unwatch(*this);
  {
    const std::lock_guard lock(mutex_);
    closing_ = true;
  }
  wake_up();
  thread_.join();
}

void TerminalAsker::wake_up() const {
  const std::uint64_t one = 1;
  DEFT_CHECK(::write(woken_.get(), &one, sizeof one) == sizeof one);
}

void TerminalAsker::show(Event event) {
  if (const auto* changed = std::get_if<PromptChanged>(&event)) {
    const std::lock_guard lock(mutex_);
    changed_.insert(id_of(changed->now));
  }
  wake_up();
}

bool TerminalAsker::is_closing() {
  const std::lock_guard lock(mutex_);
  return closing_;
}

bool TerminalAsker::has_changed(const std::string& id) {
  const std::lock_guard lock(mutex_);
  return changed_.erase(id) > 0;
}

void TerminalAsker::serve() {
  while (!is_closing()) {
    std::erase_if(answered_, [this](const std::string& id) { return !prompts_.is_open(id); });
    if (auto prompt = prompts_.first(answered_)) {
      converse(std::move(*prompt));
      continue;
    }
    pollfd waits{woken_.get(), POLLIN, 0};
    if (::poll(&waits, 1, -1) < 0) continue;
    std::uint64_t count = 0;
    [[maybe_unused]] const ssize_t got = ::read(woken_.get(), &count, sizeof count);
  }
}

TerminalAsker::Dialog TerminalAsker::dialog_for(PendingPrompt prompt) const {
  return std::visit(Overloaded{
                        [&](PermissionAsked& asked) { return Dialog(PermissionDialog(std::move(asked), directory_)); },
                        [](ServerAsked& asked) { return Dialog(ServerDialog(std::move(asked))); },
                    },
                    prompt);
}

void TerminalAsker::converse(PendingPrompt prompt) {
  const std::string id = id_of(prompt);
  has_changed(id);  // what is shown now is the newest
  Dialog dialog = dialog_for(std::move(prompt));
  ::tcflush(terminal_.get(), TCIFLUSH);
  unread_.clear();
  write(std::visit([](const auto& asking) { return asking.opening(); }, dialog));
  std::string line;
  for (;;) {
    switch (read_line(id, line)) {
      case Heard::over: return;
      case Heard::changed: return write("\n(the question has changed)\n");  // it is still the first: shown anew
      case Heard::line: break;
    }
    std::optional<PromptAnswer> answer;
    write(std::visit(
        [&](auto& asking) {
          auto step = asking.take_line(line);
          if (step.answer) answer = std::move(*step.answer);
          return step.text;
        },
        dialog));
    if (!answer) continue;
    answered_.insert(id);
    prompts_.answer(std::move(*answer));
    return;
  }
}

TerminalAsker::Heard TerminalAsker::read_line(const std::string& id, std::string& line) {
  for (;;) {
    if (is_closing() || !prompts_.is_open(id)) {
      write("\n(withdrawn: nobody needs to answer any more)\n");
      return Heard::over;
    }
    if (has_changed(id)) return Heard::changed;
    const std::size_t newline = unread_.find('\n');
    if (newline != std::string::npos) {
      line = unread_.substr(0, newline);
      unread_.erase(0, newline + 1);
      return Heard::line;
    }
    std::array<pollfd, 2> waits = {pollfd{woken_.get(), POLLIN, 0}, pollfd{terminal_.get(), POLLIN, 0}};
    if (::poll(waits.data(), waits.size(), -1) < 0) continue;
    if (waits[0].revents != 0) {
      std::uint64_t count = 0;
      [[maybe_unused]] const ssize_t got = ::read(woken_.get(), &count, sizeof count);
      continue;  // it may have been withdrawn
    }
    std::array<char, 4096> buffer{};
    const ssize_t count = ::read(terminal_.get(), buffer.data(), buffer.size());
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0 || unread_.size() > kTypedLineBytesMax) {
      answered_.insert(id);  // it will not be asked again
      gone_();
      return Heard::over;
    }
    unread_.append(buffer.data(), static_cast<std::size_t>(count));
  }
}

void TerminalAsker::write(std::string_view text) const {
  while (!text.empty()) {
    const ssize_t written = ::write(terminal_.get(), text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return;
    text.remove_prefix(static_cast<std::size_t>(written));
  }
}

}  // namespace deft
