#include "deft/lsp/connection.h"

#include <algorithm>
#include <utility>

#include "deft/base/overloaded.h"
#include "deft/base/text.h"

namespace deft::lsp {
namespace {

constexpr std::int64_t kContentModified = -32801;
constexpr std::int64_t kServerCancelled = -32802;
constexpr std::int64_t kRequestCancelled = -32800;
constexpr std::size_t kShownCharactersMax = 300;

const JsonLimits kLimits{.bytes_max = kMessageBytesMax, .replace_lone_surrogates = true};

// The last line that says something.
std::string last_line(std::string_view text) {
  const auto end = text.find_last_not_of(" \t\r\n");
  if (end == text.npos) return "";
  text = text.substr(0, end + 1);
  const auto start = text.find_last_of('\n');
  return one_line(start == text.npos ? text : text.substr(start + 1), kShownCharactersMax);
}

std::string how(const CommandEnd& end) {
  if (end.signal != 0) return "it was killed by signal " + std::to_string(end.signal);
  return "it ended with exit code " + std::to_string(end.exit_code);
}

}  // namespace

Connection::Connection(std::string name, std::unique_ptr<Child> child, ServerWords words, const Clock& clock)
    : name_(std::move(name)), words_(std::move(words)), clock_(clock), child_(std::move(child)) {
  writer_ = std::jthread([this](const std::stop_token& stop) { write_all(stop); });
  reader_ = std::jthread([this](const std::stop_token& stop) { read_all(stop); });
}

Connection::~Connection() {
  {
    const std::lock_guard lock(mutex_);
    set_ended("deft has ended it");
  }
  writer_.request_stop();
  reader_.request_stop();
  writer_.join();
  reader_.join();
}

Result<Json> Connection::request(std::string_view method, Json params, const RequestUntil& until) {
  std::unique_lock lock(mutex_);
  if (ended_) return fail(Errc::io, name_ + " is not running: " + *ended_ + ".");
  const std::int64_t id = ++last_id_;
  pending_.emplace(id, std::nullopt);
  put(to_text(RpcRequest{.id = id, .method = std::string(method), .params = std::move(params)}));
  const auto is_answered = [&] { return pending_.at(id).has_value(); };
  const TimePoint wake = clock_.on_steady_clock(until.deadline);
  const bool answered = changed_.wait_until(lock, until.stop, wake, is_answered);
  Pending outcome = std::move(pending_.at(id));
  pending_.erase(id);
  if (answered) return *std::move(outcome);
  put(to_text(RpcNotification{.method = "$/cancelRequest", .params = JsonObject{{"id", id}}}));
  if (until.stop.stop_requested()) return fail(Errc::cancelled, "Cancelled while " + name_ + " was asked.");
  return fail(Errc::timeout, name_ + " did not answer " + std::string(method) + " in time.");
}

void Connection::notify(std::string_view method, Json params) {
  const std::lock_guard lock(mutex_);
  put(to_text(RpcNotification{.method = std::string(method), .params = std::move(params)}));
}

std::optional<std::string> Connection::ended() const {
  const std::lock_guard lock(mutex_);
  return ended_;
}

void Connection::ask_to_end() {
  const std::lock_guard lock(mutex_);
  put(to_text(RpcRequest{.id = ++last_id_, .method = "shutdown"}));
  put(to_text(RpcNotification{.method = "exit"}));
}

bool Connection::wait_for_end(TimePoint deadline) {
  std::unique_lock lock(mutex_);
  return changed_.wait_until(lock, clock_.on_steady_clock(deadline), [&] { return is_over_; });
}

void Connection::put(std::string message) {
  if (ended_) return;
  std::string framed = frame(message);
  // What goes at once is not handed to another thread first.
  if (outbox_.empty() && !is_writing_) framed.erase(0, child_->write_some(framed));
  if (framed.empty()) return;
  if (outbox_bytes_ + framed.size() > kOutboxBytesMax) {
    set_ended("it does not read what it is sent");
    child_->end(Duration::zero());
    return;
  }
  outbox_bytes_ += framed.size();
  outbox_.push_back(std::move(framed));
  unsent_.notify_one();
}

void Connection::set_ended(const std::string& because) {
  if (ended_) return;
  ended_ = because;
  outbox_.clear();
  outbox_bytes_ = 0;
  for (auto& [id, outcome] : pending_) {
    if (!outcome) outcome = fail(Errc::io, name_ + " is gone: " + because + ".");
  }
  changed_.notify_all();
}

void Connection::break_off(std::string because) {
  {
    const std::lock_guard lock(mutex_);
    set_ended(because);
  }
  child_->end(Duration::zero());
}

void Connection::write_all(const std::stop_token& stop) {
  for (;;) {
    std::string message;
    {
      std::unique_lock lock(mutex_);
      is_writing_ = false;
      unsent_.wait(lock, stop, [&] { return !outbox_.empty() || is_over_; });
      if (stop.stop_requested() || is_over_) return;
      message = std::move(outbox_.front());
      outbox_.pop_front();
      outbox_bytes_ -= message.size();
      is_writing_ = true;
    }
    // Whoever closes its input is about to end: the reading thread says how.
    if (!child_->write(message, stop)) return;
  }
}

void Connection::read_all(const std::stop_token& stop) {
  const auto on_output = [this](OutputStream stream, std::string_view bytes) {
    if (stream == OutputStream::errors) {
      const std::lock_guard lock(mutex_);
      error_output_ += bytes;
      if (error_output_.size() > kErrorOutputBytesKept) {
        error_output_.erase(0, error_output_.size() - kErrorOutputBytesKept);
      }
      return;
    }
    for (const std::string& body : frames_.feed(bytes)) handle(body);
    if (frames_.error()) break_off(frames_.error()->message);
  };
  const auto end = child_->follow(on_output, {.abort = stop}, {});
  {
    const std::lock_guard lock(mutex_);
    std::string because = end && *end ? how(**end) : "nobody knows how it ended";
    if (const std::string said = last_line(error_output_); !said.empty()) because += " (" + said + ")";
    set_ended(because);
    is_over_ = true;
    changed_.notify_all();
    unsent_.notify_one();
  }
  words_.on_end();
}

void Connection::handle(std::string_view body) {
  auto message = parse_rpc(body, kLimits);
  if (!message) {
    // A request that cannot be read is answered; anything else that cannot be is nobody's loss but its sender's.
    const std::lock_guard lock(mutex_);
    if (message.error().id)
      put(to_text(rpc_failure(message.error().id, message.error().code, message.error().message)));
    return;
  }
  static const Json nothing = nullptr;
  std::visit(Overloaded{[&](const RpcNotification& said) {
                          words_.on_notification(said.method, said.params ? *said.params : nothing);
                        },
                        [&](const RpcRequest& asked) {
                          auto answer = words_.on_request(asked.method, asked.params ? *asked.params : nothing);
                          const std::lock_guard lock(mutex_);
                          put(to_text(RpcResponse{.id = asked.id, .outcome = std::move(answer)}));
                        },
                        [&](RpcResponse& response) { handle(std::move(response)); }},
             *message);
}

void Connection::handle(RpcResponse response) {
  {
    const std::lock_guard lock(mutex_);
    const auto waiting = std::ranges::find_if(
        pending_, [&](const auto& entry) { return response.id == RpcId(entry.first) && !entry.second; });
    if (waiting == pending_.end()) return;  // nobody waits for it any more
    waiting->second = outcome_of(std::move(response));
  }
  changed_.notify_all();  // without the lock, which whoever wakes up needs first
}

Result<Json> Connection::outcome_of(RpcResponse response) const {
  if (response.outcome) return *std::move(response.outcome);
  const RpcError& error = response.outcome.error();
  const bool is_passing =
      error.code == kContentModified || error.code == kServerCancelled || error.code == kRequestCancelled;
  const Errc code = error.code == kRpcMethodNotFound ? Errc::unsupported : Errc::failed;
  return fail(is_passing ? Errc::stale : code, name_ + " answered: " + one_line(error.message, kShownCharactersMax));
}

}  // namespace deft::lsp
