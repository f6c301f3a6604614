// Calls that a server carries out as tasks: it answers at once with a name for the work, and is asked how far it is
// until there is a result. Up to 2025-11-25 the caller wants it so, for tools that run in no other way; since
// 2026-07-28 the server decides (an extension). FORMATS 7.1, 7.2.
#include <algorithm>
#include <condition_variable>
#include <utility>

#include "deft/base/text.h"
#include "deft/mcp/client.h"

namespace deft {
namespace {

constexpr std::size_t kTaskIdBytesMax = 1024;
constexpr std::size_t kStatusMessageCharacters = 500;
constexpr std::int64_t kTaskPollWishMax = 1'000'000;  // milliseconds; whatever a server wishes beyond is the same
// One look at a task; what it says is worth nothing if it comes later.
constexpr Duration kTaskLookTimeout = std::chrono::seconds(60);

McpFailure broken(std::string message) { return {.code = Errc::failed, .message = std::move(message)}; }

// Between two looks.
class Pace {
 public:
  void take(const Json& task) {
    auto wish = find_int(task, "pollIntervalMs");
    if (!wish) wish = find_int(task, "pollInterval");
    if (!wish) return;
    const Duration wanted = std::chrono::milliseconds(std::clamp<std::int64_t>(*wish, 0, kTaskPollWishMax));
    next_ = std::clamp(wanted, kMcpTaskPollMin, kMcpTaskPollMax);
    is_wished_ = true;
  }
  Duration next() {
    const Duration now = next_;
    if (!is_wished_) next_ = std::min(next_ * 2, kMcpTaskPollUnasked);
    return now;
  }

 private:
  Duration next_ = kMcpTaskPollFirst;
  bool is_wished_ = false;
};

McpFailure failure_of_task(const Json& task) {
  const Json* error = find(task, "error");
  RpcError rpc{.code = kRpcInternalError,
               .message = std::string(find_string(task, "statusMessage").value_or("the task failed"))};
  if (error != nullptr) {
    rpc.code = find_int(*error, "code").value_or(kRpcInternalError);
    if (const auto message = find_string(*error, "message")) rpc.message = *message;
    if (const Json* data = find(*error, "data")) rpc.data = *data;
  }
  return {.code = Errc::failed, .message = rpc.message, .rpc = rpc};
}

}  // namespace

bool offers_tasks(const McpServerFacts& facts) {
  if (facts.modern) return false;
  const Json* at = &facts.capabilities;
  for (const std::string_view key : {"tasks", "requests", "tools", "call"}) {
    at = find(*at, key);
    if (at == nullptr) return false;
  }
  return true;
}

McpOutcome McpClient::call_as_task(McpRequest request, const std::stop_token& stop) {
  const Duration time = request.timeout.value_or(options_.call_timeout);
  const TimePoint deadline = clock_.now() + time;
  request.params["task"] = JsonObject{{"ttl", std::chrono::duration_cast<std::chrono::milliseconds>(time).count()}};
  const McpRequest call = request;
  // Progress is told by the same token until the task ends.
  std::shared_ptr<const std::int64_t> token;
  if (call.progress) {
    token = std::shared_ptr<const std::int64_t>(new std::int64_t(peer_->open_progress(call.progress)),
                                                [peer = peer_](const std::int64_t* number) {
                                                  peer->close_progress(*number);
                                                  delete number;
                                                });
    request.progress = nullptr;
    request.progress_token = *token;
  }
  auto outcome = ask(std::move(request), stop);
  if (!outcome) return outcome;
  const Json* task = find(*outcome, "task");
  if (task == nullptr || !task->is_object()) return outcome;  // it has done it at once
  return follow_task(*task, call, deadline, stop);
}

McpOutcome McpClient::follow_task(const Json& created, const McpRequest& call, TimePoint deadline,
                                  const std::stop_token& stop) {
  const std::string id(find_string(created, "taskId").value_or(""));
  if (id.empty() || id.size() > kTaskIdBytesMax) {
    return std::unexpected(broken("the server began a task without a name that could be used"));
  }
  Json task = created;
  Pace pace;
  std::set<std::string> answered;
  std::string last_message;
  int lost = 0;
  for (std::int64_t looks = 0;; ++looks) {
    pace.take(task);
    const std::string_view status = find_string(task, "status").value_or("");
    if (status == "completed" || status == "failed" || status == "cancelled") {
      return task_result(task, id, deadline, stop);
    }
    if (status == "input_required" && !facts().modern) {
      // Its questions come beside this request, as any other of the server's.
      return task_result(task, id, deadline, stop);
    }
    if (status == "input_required" && find(task, "inputRequests") != nullptr) {
      if (auto told = answer_task(task, id, answered, deadline, stop); !told) {
        cancel_task(id);
        return std::unexpected(std::move(told.error()));
      }
    }
    std::string message = one_line(find_string(task, "statusMessage").value_or(""), kStatusMessageCharacters);
    if (call.progress && !message.empty() && message != last_message) {
      call.progress(JsonObject{{"progress", looks}, {"message", message}});
      last_message = std::move(message);
    }
    {
      std::mutex idle;
      std::unique_lock lock(idle);
      std::condition_variable_any never;
      const TimePoint until = std::min(clock_.now() + pace.next(), deadline);
      never.wait_until(lock, stop, clock_.on_steady_clock(until), [] { return false; });
    }
    if (stop.stop_requested() || clock_.now() >= deadline) {
      cancel_task(id);
      if (stop.stop_requested()) return std::unexpected(McpFailure{.code = Errc::cancelled, .message = "cancelled"});
      return std::unexpected(
          McpFailure{.code = Errc::timeout, .message = "its task was not done in time, and was taken back"});
    }
    auto looked = ask_task("tasks/get", id, std::min(clock_.now() + kTaskLookTimeout, deadline), stop);
    if (looked) {
      lost = 0;
      task = *std::move(looked);
      continue;
    }
    // To look changes nothing, so it may be tried again; unless the server itself knows nothing of the task any more.
    const bool is_final = looked.error().rpc || peer_->end() || ++lost >= kMcpTaskLooksLostMax;
    if (is_final && !stop.stop_requested()) {
      McpFailure failure = std::move(looked.error());
      failure.message = "what became of its task cannot be found out: " + failure.message;
      failure.rpc.reset();
      failure.not_processed = false;
      return std::unexpected(std::move(failure));
    }
  }
}

McpOutcome McpClient::task_result(const Json& task, const std::string& id, TimePoint deadline,
                                  const std::stop_token& stop) {
  const std::string_view status = find_string(task, "status").value_or("");
  if (!facts().modern) {
    auto result = ask_task("tasks/result", id, deadline, stop);
    const bool is_given_up = !result && (stop.stop_requested() || result.error().code == Errc::timeout);
    if (is_given_up) cancel_task(id);
    return result;
  }
  if (status == "cancelled") {
    const std::string why = one_line(find_string(task, "statusMessage").value_or(""), kStatusMessageCharacters);
    return std::unexpected(broken("the server took the task back" + (why.empty() ? "" : ": " + why)));
  }
  if (status == "failed") return std::unexpected(failure_of_task(task));
  const Json* result = find(task, "result");
  if (result == nullptr || !result->is_object())
    return std::unexpected(broken("the server's task ended without a result"));
  return *result;
}

// Each question of a task is put once, however often the server shows it.
std::expected<void, McpFailure> McpClient::answer_task(const Json& task, const std::string& id,
                                                       std::set<std::string>& answered, TimePoint deadline,
                                                       const std::stop_token& stop) {
  const JsonObject* questions = find_object(task, "inputRequests");
  if (questions == nullptr) return {};
  JsonObject fresh;
  for (const auto& [key, question] : *questions) {
    if (answered.insert(std::string(key.data(), key.size())).second) fresh[key] = question;
  }
  if (fresh.empty()) return {};
  if (answered.size() > kMcpInputRoundsMax * kMcpServerRequestsMax) {
    return std::unexpected(McpFailure{.code = Errc::limit, .message = "the server asks without end"});
  }
  auto answers = answers_to(fresh, stop);
  if (!answers) {
    return std::unexpected(McpFailure{.code = answers.error().code, .message = std::move(answers.error().message)});
  }
  McpRequest update{.method = "tasks/update",
                    .params = {{"taskId", id}, {"inputResponses", *std::move(answers)}},
                    .timeout = deadline - clock_.now()};
  auto told = ask(std::move(update), stop);
  if (!told) return std::unexpected(std::move(told.error()));
  return {};
}

McpOutcome McpClient::ask_task(std::string method, const std::string& id, TimePoint deadline,
                               const std::stop_token& stop) {
  return ask({.method = std::move(method), .params = {{"taskId", id}}, .timeout = deadline - clock_.now()}, stop);
}

// Whoever waited is gone already: nobody waits for the answer.
void McpClient::cancel_task(const std::string& id) {
  const McpServerFacts known = facts();
  const Json* tasks = find(known.capabilities, "tasks");
  if (!known.modern && (tasks == nullptr || find(*tasks, "cancel") == nullptr)) return;
  McpRequest request{.method = "tasks/cancel", .params = {{"taskId", id}}};
  if (known.modern) add_meta(request.params);
  peer_->ask_in_passing(std::move(request));
}

}  // namespace deft
