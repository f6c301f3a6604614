#include "deft/ui/control_port.h"

#include <condition_variable>
#include <iterator>
#include <memory>
#include <utility>

namespace deft {
namespace {

Error stream_closed() { return {Errc::io, "Stream closed: the host says nothing any more"}; }

bool is_of(const JsonObject& request, std::string_view subtype) {
  const Json* word = request.if_contains("subtype");
  return word && word->is_string() && view(word->get_string()) == subtype;
}

}  // namespace

std::string ControlPort::ask(JsonObject request, Then then) {
  std::string id;
  bool is_open = false;
  {
    const std::lock_guard lock(mutex_);
    id = "deft_" + std::to_string(++asked_);
    is_open = !closed_ && open_.size() < kHostRequestsOpenMax;
    if (is_open) open_.emplace(id, Open{request, std::move(then)});
  }
  if (!is_open) {
    then(std::unexpected(stream_closed()));
    return id;
  }
  put_(line_of(id, std::move(request)));
  return id;
}

JsonObject ControlPort::line_of(const std::string& id, JsonObject request) {
  return {{"type", "control_request"}, {"request_id", id}, {"request", std::move(request)}};
}

JsonArray ControlPort::open_requests(std::string_view subtype) {
  JsonArray lines;
  const std::lock_guard lock(mutex_);
  for (const auto& [id, open] : open_) {
    if (is_of(open.request, subtype)) lines.push_back(line_of(id, open.request));
  }
  return lines;
}

void ControlPort::give_up(std::string_view subtype, const Error& why) {
  std::map<std::string, Open> given_up;
  {
    const std::lock_guard lock(mutex_);
    for (auto open = open_.begin(); open != open_.end();) {
      const auto next = std::next(open);
      if (is_of(open->second.request, subtype)) given_up.insert(open_.extract(open));
      open = next;
    }
  }
  for (auto& [id, open] : given_up) {
    put_({{"type", "control_cancel_request"}, {"request_id", id}});
    open.then(std::unexpected(why));
  }
}

void ControlPort::cancel(const std::string& id) {
  {
    const std::lock_guard lock(mutex_);
    if (open_.erase(id) == 0) return;
  }
  put_({{"type", "control_cancel_request"}, {"request_id", id}});
}

Result<Json> ControlPort::ask_and_wait(JsonObject request, std::optional<TimePoint> deadline, std::stop_token stop) {
  struct Waiting {
    std::mutex mutex;
    std::condition_variable_any changed;
    std::optional<Result<Json>> answer;  // under the mutex
  };
  // Shared: an answer may be on its way when we have given up.
  const auto waiting = std::make_shared<Waiting>();
  const std::string id = ask(std::move(request), [waiting](Result<Json> answer) {
    const std::lock_guard lock(waiting->mutex);
    waiting->answer = std::move(answer);
    waiting->changed.notify_all();
  });
  std::unique_lock lock(waiting->mutex);
  const auto has_answer = [&] { return waiting->answer.has_value(); };
  if (deadline) {
    waiting->changed.wait_until(lock, stop, *deadline, has_answer);
  } else {
    waiting->changed.wait(lock, stop, has_answer);
  }
  if (waiting->answer) return std::move(*waiting->answer);
  lock.unlock();
  cancel(id);
  if (stop.stop_requested()) return fail(Errc::cancelled, "Cancelled while the host was asked");
  return fail(Errc::timeout, "The host did not answer in time");
}

bool ControlPort::take_answer(const std::string& id, Result<Json> answer) {
  Then then;
  {
    const std::lock_guard lock(mutex_);
    const auto found = open_.find(id);
    if (found == open_.end()) return false;
    then = std::move(found->second.then);
    open_.erase(found);
  }
  then(std::move(answer));
  return true;
}

void ControlPort::close() {
  std::map<std::string, Open> open;
  {
    const std::lock_guard lock(mutex_);
    closed_ = true;
    open = std::exchange(open_, {});
  }
  for (auto& [id, one] : open) one.then(std::unexpected(stream_closed()));
}

void ControlPort::answer(std::string_view id, JsonObject response) {
  JsonObject inner{{"subtype", "success"}, {"request_id", id}, {"response", std::move(response)}};
  put_({{"type", "control_response"}, {"response", std::move(inner)}});
}

void ControlPort::answer_begin(std::string_view id, JsonObject response) {
  JsonObject inner{{"subtype", "success"},
                   {"request_id", id},
                   {"response", std::move(response)},
                   {"pending_permission_requests", open_requests("can_use_tool")},
                   {"pending_user_dialog_requests", JsonArray{}},
                   {"pending_elicitation_requests", open_requests("elicitation")}};
  put_({{"type", "control_response"}, {"response", std::move(inner)}});
}

void ControlPort::refuse(std::string_view id, std::string_view error) {
  JsonObject inner{{"subtype", "error"}, {"request_id", id}, {"error", error}};
  put_({{"type", "control_response"}, {"response", std::move(inner)}});
}

}  // namespace deft
