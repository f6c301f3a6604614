#include "deft/testing/fake_processes.h"

#include <algorithm>
#include <condition_variable>
#include <csignal>
#include <utility>

namespace deft::testing {

namespace {

using Life = CommandScript::Life;

CommandEnd stopped_by(CommandEnd::Cause cause) { return CommandEnd{.signal = SIGTERM, .cause = cause}; }

// Returns when either is requested.
void wait_for_stop(const RunUntil& until) {
  std::mutex mutex;
  std::condition_variable changed;
  bool is_stopped = false;
  const auto stop = [&] {
    const std::lock_guard lock(mutex);
    is_stopped = true;
    changed.notify_all();
  };
  const std::stop_callback cancelled(until.cancel, stop);
  const std::stop_callback aborted(until.abort, stop);
  std::unique_lock lock(mutex);
  changed.wait(lock, [&] { return is_stopped; });
}

class FakeChild final : public Child {
 public:
  explicit FakeChild(CommandScript script) : script_(std::move(script)) {
    for (const auto& piece : script_.output) output_ += piece;
    for (const auto& piece : script_.errors) errors_ += piece;
    if (script_.life == Life::ends) end_ = script_.end;
  }

  Result<void> write(std::string_view bytes, std::stop_token) override {
    std::string answer = script_.answer ? script_.answer(bytes) : "";
    const std::lock_guard lock(mutex_);
    if (end_ || is_input_closed_) return fail(Errc::io, "the process takes no more input");
    output_ += answer;
    changed_.notify_all();
    return {};
  }

  // A server without input ends; so does this.
  void close_input() override {
    const std::lock_guard lock(mutex_);
    is_input_closed_ = true;
    if (!end_) end_ = script_.end;
    changed_.notify_all();
  }

  Result<std::size_t> read(OutputStream stream, std::span<char> into, std::stop_token stop,
                           std::optional<TimePoint> deadline) override {
    std::unique_lock lock(mutex_);
    std::string& pending = stream == OutputStream::output ? output_ : errors_;
    const auto ready = [&] { return !pending.empty() || end_; };
    if (!ready() && deadline) return fail(Errc::timeout, "the process has written nothing yet");
    if (!changed_.wait(lock, stop, ready)) return fail(Errc::cancelled, "reading from the process was cancelled");
    const std::size_t bytes = std::min(into.size(), pending.size());
    std::copy_n(pending.begin(), bytes, into.begin());
    pending.erase(0, bytes);
    return bytes;
  }

  Result<CommandEnd> wait(std::stop_token stop, std::optional<TimePoint> deadline) override {
    std::unique_lock lock(mutex_);
    if (!end_ && deadline) return fail(Errc::timeout, "the process runs still");
    if (!changed_.wait(lock, stop, [this] { return end_.has_value(); })) {
      return fail(Errc::cancelled, "waiting for the process was cancelled");
    }
    return *end_;
  }

  Result<std::optional<CommandEnd>> follow(const OutputSink& on_output, const RunUntil& until,
                                           std::stop_token leave) override {
    const std::stop_callback cancelled(until.cancel, [this] { stop(CommandEnd::Cause::cancel); });
    const std::stop_callback aborted(until.abort, [this] { stop(CommandEnd::Cause::cancel); });
    if (script_.life == Life::until_deadline && until.deadline) stop(CommandEnd::Cause::timeout);
    for (;;) {
      std::unique_lock lock(mutex_);
      const auto ready = [this] { return !output_.empty() || !errors_.empty() || end_; };
      if (!changed_.wait(lock, leave, ready)) return std::nullopt;
      const std::string output = std::exchange(output_, "");
      const std::string errors = std::exchange(errors_, "");
      const auto ended = end_;
      lock.unlock();
      if (!output.empty() && on_output) on_output(OutputStream::output, output);
      if (!errors.empty() && on_output) on_output(OutputStream::errors, errors);
      if (ended && !*ended) return std::unexpected(ended->error());
      if (ended) return **ended;
    }
  }

  void end(Duration) override { stop(CommandEnd::Cause::cancel); }

 private:
  void stop(CommandEnd::Cause cause) {
    const std::lock_guard lock(mutex_);
    if (!end_) end_ = stopped_by(cause);
    changed_.notify_all();
  }

  const CommandScript script_;
  std::mutex mutex_;
  std::condition_variable_any changed_;
  std::string output_;                     // under mutex_
  std::string errors_;                     // under mutex_
  bool is_input_closed_ = false;           // under mutex_
  std::optional<Result<CommandEnd>> end_;  // under mutex_
};

}  // namespace

void FakeProcesses::add(std::string part, CommandScript script) {
  const std::lock_guard lock(mutex_);
  const auto known = std::ranges::find(scripts_, part, &Scripts::part);
  if (known == scripts_.end()) {
    scripts_.push_back(Scripts{.part = std::move(part), .scripts = {std::move(script)}});
  } else {
    known->scripts.push_back(std::move(script));
  }
}

std::vector<Command> FakeProcesses::commands() const {
  const std::lock_guard lock(mutex_);
  return commands_;
}

Result<CommandScript> FakeProcesses::take(const Command& command) {
  std::string words;
  for (const auto& word : command.argv) words += (words.empty() ? "" : " ") + word;
  const std::lock_guard lock(mutex_);
  commands_.push_back(command);
  const auto known = std::ranges::find_if(scripts_, [&](const Scripts& s) { return words.find(s.part) != words.npos; });
  if (known == scripts_.end()) return fail(Errc::not_found, "no script for the command " + words);
  CommandScript script = known->scripts.front();
  if (known->scripts.size() > 1) known->scripts.pop_front();
  if (!script.end) return std::unexpected(script.end.error());
  return script;
}

Result<CommandEnd> FakeProcesses::run(const Command& command, const OutputSink& on_output, const RunUntil& until) {
  if (until.cancel.stop_requested() || until.abort.stop_requested()) {
    return fail(Errc::cancelled, "the command was cancelled before it started");
  }
  const auto script = take(command);
  if (!script) return std::unexpected(script.error());
  const auto say = [&](OutputStream stream, const std::vector<std::string>& pieces) {
    for (const auto& piece : pieces) {
      if (on_output) on_output(stream, piece);
    }
  };
  say(OutputStream::output, script->output);
  say(command.separate_errors ? OutputStream::errors : OutputStream::output, script->errors);
  if (script->life == Life::ends) return script->end;
  if (script->life == Life::until_deadline && until.deadline) return stopped_by(CommandEnd::Cause::timeout);
  wait_for_stop(until);
  return stopped_by(CommandEnd::Cause::cancel);
}

Result<std::unique_ptr<Child>> FakeProcesses::start(const Command& command, std::stop_token stop) {
  if (stop.stop_requested()) return fail(Errc::cancelled, "the command was cancelled before it started");
  auto script = take(command);
  if (!script) return std::unexpected(script.error());
  if (!command.separate_errors) {
    script->output.insert(script->output.end(), script->errors.begin(), script->errors.end());
    script->errors.clear();
  }
  return std::make_unique<FakeChild>(*std::move(script));
}

}  // namespace deft::testing
