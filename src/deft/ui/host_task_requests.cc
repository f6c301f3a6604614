#include <utility>

#include "deft/base/utf8.h"
#include "deft/ui/host_requests.h"

// What a host wants of the session's background tasks.

namespace deft {
namespace {

std::string text_at(const Json& wanted, std::string_view key) {
  return std::string(find_string(wanted, key).value_or(""));
}

}  // namespace

HostRequests::Answer HostRequests::stop_task(const Json& wanted) {
  const std::string id = text_at(wanted, "task_id");
  const auto stopped = parts_.session.tasks().stop(id);
  if (!stopped) return fail(Errc::not_found, "there is no task " + json_quote(id.substr(0, 60)));
  if (!*stopped) return fail(Errc::not_found, "the task " + id + " has ended already");
  return JsonObject{};
}

// The call goes on, and is answered now. Without an id: every one that can.
HostRequests::Answer HostRequests::background_tasks(const Json& wanted) {
  const auto id = find_string(wanted, "tool_use_id");
  const std::size_t moved = parts_.session.agent().engine().executor().to_background(id.value_or(""));
  return JsonObject{{"backgrounded", moved > 0 || !id}};
}

HostRequests::Answer HostRequests::task_output(const Json& wanted) {
  const std::string id = text_at(wanted, "task_id");
  const auto task = parts_.session.tasks().look(id, BackgroundTasks::Part::all);
  if (!task) return fail(Errc::not_found, "there is no task " + json_quote(id.substr(0, 60)));
  std::string_view output = task->output;
  if (output.size() > kTaskOutputBytesMax) output.remove_prefix(output.size() - kTaskOutputBytesMax);
  return JsonObject{{"output", to_valid_utf8(output)},
                    {"total_bytes", task->output_bytes},
                    {"truncated", task->output_bytes > output.size()}};
}

}  // namespace deft
