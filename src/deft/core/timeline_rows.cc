#include "deft/core/timeline_rows.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>

namespace deft {
namespace {

constexpr std::size_t kDepthMax = 20;

class RowOrder {
 public:
  explicit RowOrder(const Timeline& timeline) {
    const auto meet = [&](const std::string& agent, const std::string& within) {
      if (known_.insert(agent).second) (agent.empty() ? first_ : by_starter_[within]).push_back(agent);
    };
    for (const TimelineRequest& request : timeline.requests) {
      has_requests_.insert(request.agent);
      meet(request.agent, request.within);
    }
    for (const TimelineCall& call : timeline.calls) {
      calls_[call.agent].push_back(&call);
      meet(call.agent, call.within);
    }
  }

  std::vector<TimelineRow> rows() {
    add_agents(std::exchange(first_, {}), 0, /*below_starter=*/false);
    // Whose starter nobody knows.
    while (!by_starter_.empty()) {
      const auto left = by_starter_.begin();
      add_agents(std::exchange(left->second, {}), 1, /*below_starter=*/false);
      by_starter_.erase(left);
    }
    return std::move(rows_);
  }

 private:
  void add_agents(const std::vector<std::string>& agents, std::size_t depth, bool below_starter) {
    for (const std::string& agent : agents) {
      if (has_requests_.contains(agent))
        rows_.push_back({.agent = agent, .depth = depth, .is_below_starter = below_starter});
      for (const TimelineCall* call : calls_[agent]) {
        rows_.push_back({.agent = agent, .call = call, .depth = depth, .is_below_starter = below_starter});
        const auto started = depth < kDepthMax ? by_starter_.find(call->id) : by_starter_.end();
        if (started != by_starter_.end()) add_agents(std::exchange(started->second, {}), depth + 1, true);
      }
    }
  }

  std::set<std::string> known_;
  std::set<std::string> has_requests_;
  std::vector<std::string> first_;
  std::map<std::string, std::vector<std::string>> by_starter_;
  std::map<std::string, std::vector<const TimelineCall*>> calls_;
  std::vector<TimelineRow> rows_;
};

}  // namespace

std::vector<TimelineRow> timeline_rows(const Timeline& timeline) { return RowOrder(timeline).rows(); }

}  // namespace deft
