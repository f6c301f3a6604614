#include <algorithm>
#include <utility>

#include "deft/agent/subagent.h"
#include "deft/base/text.h"
#include "deft/base/utf8.h"

// Letters between agents. One that is at work reads them before its next request to the model, as it does the news of
// its own children; a member of the team that has nothing to do waits for them.

namespace deft {
namespace {

constexpr std::size_t kLettersWaitingMax = 1'000;  // for one agent

std::string letter_text(const std::string& from, const Letter& letter) {
  return "<message from=" + json_quote(from) + ">\n" + letter.text +
         "\n</message>\n(From another agent, not from the user. Answer with SendMessage, if an answer is wanted.)";
}

}  // namespace

std::string Subagents::name_of(const Subagent& child) { return child.name.empty() ? child.id : child.name; }

void Subagents::tell(Member& member, std::string news, std::string notice) {
  if (member.news.size() >= kLettersWaitingMax) return;
  member.news.push_back(std::move(news));
  if (member.agent) member.agent->wake(std::move(notice));
  letters_.notify_all();
}

void Subagents::ask_to_end(Subagent& child) {
  child.end_is_wanted = true;
  if (child.agent) child.agent->abort();
  letters_.notify_all();
}

// False: it ends.
bool Subagents::waits_for_letters(Subagent& child, const TurnEnd& end) {
  std::unique_lock lock(mutex_);
  const bool was_aborted = end.reason == TurnReason::aborted_streaming || end.reason == TurnReason::aborted_tools;
  if (!child.is_member || child.end_is_wanted || was_aborted) return false;
  if (!child.member.news.empty()) return true;
  child.is_idle = true;
  const std::string name = name_of(child);
  std::string news =
      "<teammate-idle name=" + json_quote(name) + ">\n" + name + " has nothing to do and waits for messages.";
  if (end.reason != TurnReason::completed)
    news += " Its turn did not complete: " + std::string(to_string(end.reason)) + ".";
  if (!end.text.empty()) {
    news += " It said last:\n" + std::string(first_characters(end.text, kAgentNewsCharactersMax));
  }
  tell(child.parent, news + "\n</teammate-idle>", name + " is idle");
  letters_.wait(lock, [&] { return child.end_is_wanted || !child.member.news.empty(); });
  child.is_idle = false;
  return !child.end_is_wanted;
}

Result<std::vector<std::string>> Subagents::send(std::string_view from, const Letter& letter) {
  const std::lock_guard lock(mutex_);
  const auto sender = subagents_.find(from);
  const std::string name = sender == subagents_.end() ? std::string(kLeaderName) : name_of(*sender->second);
  const std::string text = letter_text(name, letter);
  const std::string notice =
      "A message of " + name + ": " + one_line(letter.summary.empty() ? letter.text : letter.summary, 100);
  const bool to_all = letter.to == "*";
  std::vector<std::string> reached;
  bool is_gone = false;
  if (!from.empty() && (to_all || letter.to == kLeaderName || letter.to == "main")) {
    tell(*main_, text, notice);
    reached.emplace_back(kLeaderName);
  }
  for (const auto& [id, child] : subagents_) {
    if (id == from || (!to_all && id != letter.to && child->name != letter.to)) continue;
    if (!child->agent || child->end_is_wanted) {
      is_gone = true;
      continue;
    }
    tell(child->member, text, notice);
    child->is_idle = false;  // from now on, so that nobody takes it for idle before it wakes up
    reached.push_back(name_of(*child));
  }
  if (!reached.empty()) return reached;
  if (to_all) return fail(Errc::not_found, "There is nobody else to tell.");
  if (is_gone || types_seen_.contains(letter.to)) {
    return fail(Errc::not_found, json_quote(one_line(letter.to, 100)) +
                                     " has ended and reads nothing any more. Go on with it by Agent and resume, or "
                                     "start another one.");
  }
  std::vector<std::string> known;
  for (const auto& [id, child] : subagents_) {
    if (child->agent && id != from) known.push_back(name_of(*child));
  }
  return fail(Errc::not_found,
              "There is no agent " + json_quote(one_line(letter.to, 100)) + ". " +
                  (known.empty() ? "No other agents are at work." : "There are: " + join(known, ", ") + "."));
}

Result<void> Subagents::create_team(const std::string& name) {
  const std::lock_guard lock(mutex_);
  if (!team_.empty()) {
    return fail(Errc::invalid_input, "There is a team already: " + team_ + ". End it with TeamDelete first.");
  }
  team_ = name;
  return {};
}

Result<std::vector<std::string>> Subagents::delete_team(bool force) {
  std::unique_lock lock(mutex_);
  if (team_.empty()) return fail(Errc::invalid_input, "There is no team.");
  Members members;
  std::vector<std::string> names, at_work;
  for (const auto& [id, child] : subagents_) {
    if (!child->is_member || child->is_over) continue;
    members.push_back(child);
    names.push_back(name_of(*child));
    if (!child->is_idle) at_work.push_back(name_of(*child));
  }
  if (!at_work.empty() && !force) {
    return fail(Errc::failed, "Still at work: " + join(at_work, ", ") +
                                  ". Wait until they are idle, tell them to finish with SendMessage, or give force.");
  }
  for (const auto& child : members) ask_to_end(*child);
  over_.wait(lock, [&] { return std::ranges::all_of(members, [](const auto& child) { return child->is_over; }); });
  team_.clear();
  return names;
}

}  // namespace deft
