#include "deft/agent/skill_agents.h"

#include <condition_variable>
#include <memory>
#include <mutex>
#include <utility>

#include "deft/core/session_permissions.h"

namespace deft {
namespace {

// Whether an agent is free, told by another thread.
class Signal {
 public:
  void give() {
    {
      const std::lock_guard lock(mutex_);
      is_given_ = true;
    }
    given_.notify_all();
  }
  void wait() {
    std::unique_lock lock(mutex_);
    given_.wait(lock, [this] { return is_given_; });
  }

 private:
  std::mutex mutex_;
  std::condition_variable given_;
  bool is_given_ = false;
};

std::string text_of(const AgentReport& report) {
  std::string text = report.text;
  if (report.status == AgentReport::Status::cut_short) {
    text += (text.empty() ? "" : "\n\n") + ("The agent did not come to its end: " + report.problem);
  }
  if (!report.worktree.empty()) {
    text +=
        "\n\nIts changes are in the worktree " + report.worktree + ", on the branch " + report.worktree_branch + ".";
  }
  return text;
}

}  // namespace

RunSkillAgent run_by_agent(AgentLauncher& launcher) {
  return [&launcher](const SkillTask& task, ToolIo& io) -> Result<ToolResult> {
    const AgentRequest request{.description = "the skill " + task.skill,
                               .prompt = task.prompt,
                               .type = task.agent_type.empty() ? std::string(kDefaultAgentType) : task.agent_type,
                               .model = task.model,
                               .effort = task.grant.effort,
                               .background = task.in_background};
    // What the skill allows and forbids, it does so for that agent alone.
    ToolIo own = io;
    own.permissions = std::make_shared<const Permissions>(with_turn_grant(io.permissions->setup(), task.grant));
    const auto id = launcher.start(request, own);
    if (!id) return std::unexpected(id.error());
    JsonObject details{{"success", true}, {"commandName", task.skill}, {"status", "forked"}, {"agentId", *id}};
    const auto goes_on = [&] {
      return ToolResult{.text = "The skill " + task.skill + " is at work in the background, by the agent " + *id +
                                "; you will be told when it is done.",
                        .details = details};
    };
    if (task.in_background) return goes_on();
    const auto free = std::make_shared<Signal>();
    launcher.when_free(*id, [free] { free->give(); });
    free->wait();  // it hears of a stop by itself, and ends soon
    const auto report = launcher.take_report(*id);
    if (!report) return goes_on();
    switch (report->status) {
      case AgentReport::Status::completed:
      case AgentReport::Status::cut_short: break;
      case AgentReport::Status::failed:
        return fail(Errc::failed, "The skill " + task.skill + " failed: " + report->problem);
      case AgentReport::Status::stopped: return fail(Errc::cancelled, "The skill " + task.skill + " was stopped");
    }
    details["result"] = report->text;
    return ToolResult{.text = text_of(*report), .details = std::move(details)};
  };
}

}  // namespace deft
