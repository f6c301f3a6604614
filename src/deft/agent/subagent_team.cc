#include <algorithm>
#include <set>
#include <utility>

#include "deft/agent/subagent.h"
#include "deft/base/closing_tag.h"
#include "deft/base/text.h"
#include "deft/base/utf8.h"

// Letters between agents. One that is at work reads them before its next request to the model, as it does the news of
// its own children; a member of the team that has nothing to do waits for them.

namespace deft {
namespace {

constexpr std::size_t kLettersWaitingMax = 1'000;  // for one agent

std::string letter_text(const std::string& from, const Letter& letter) {
  return "<message from=" + json_quote(from) + ">\n" + without_closing_tag(letter.text, "message") +
         "\n</message>\n(From another agent, not from the user. Answer with SendMessage, if an answer is wanted.)";
}

}  // namespace

std::string Subagents::name_of(const Subagent& child) { return child.name.empty() ? child.id : child.name; }

bool Subagents::tell(Member& member, std::string news, std::string notice) {
  if (member.news.size() >= kLettersWaitingMax) return false;
  member.news.push_back(std::move(news));
  if (member.agent) member.agent->wake(std::move(notice));
  letters_.notify_all();
  return true;
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
    news +=
        " It said last:\n" + without_closing_tag(first_characters(end.text, kAgentNewsCharactersMax), "teammate-idle");
  }
  news += "\n</teammate-idle>";
  std::set<std::string> told = std::exchange(child.told_when_idle, {});
  told.insert(child.parent.id);
  for (const std::string& id : told) {
    const auto found = subagents_.find(id);
    if (id.empty()) tell(*main_, news, name + " is idle");
    if (found == subagents_.end() || !tell(found->second->member, news, name + " is idle")) continue;
    found->second->is_idle = false;  // as for a letter
  }
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
  std::vector<std::string> reached, full;
  const auto deliver = [&](Member& to, const std::string& who) {
    (tell(to, text, notice) ? reached : full).push_back(who);
  };
  if (!from.empty() && (to_all || letter.to == kLeaderName || letter.to == kLeaderOtherName)) {
    deliver(*main_, std::string(kLeaderName));
  }
  for (const auto& [id, child] : subagents_) {
    if (id == from || (!to_all && id != letter.to && child->name != letter.to)) continue;
    if (!child->agent || child->end_is_wanted) continue;
    deliver(child->member, name_of(*child));
    child->is_idle = false;  // from now on, so that nobody takes it for idle before it wakes up
    if (letter.notify_when_idle) child->told_when_idle.emplace(from);
  }
  if (!full.empty()) {
    return fail(Errc::limit, join(full, ", ") + " did not get it: " + std::to_string(kLettersWaitingMax) +
                                 " messages wait there unread. Let them be read first." +
                                 (reached.empty() ? "" : " It reached " + join(reached, ", ") + "."));
  }
  if (!reached.empty()) return reached;
  return std::unexpected(nobody_reached(from, letter));
}

Error Subagents::nobody_reached(std::string_view from, const Letter& letter) const {
  if (letter.to == "*") return {Errc::not_found, "There is nobody else to tell."};
  const auto sender = subagents_.find(from);
  const bool is_own = sender == subagents_.end() ? letter.to == kLeaderName || letter.to == kLeaderOtherName
                                                 : letter.to == from || letter.to == sender->second->name;
  const std::string whom = json_quote(one_line(letter.to, 100));
  if (is_own) return {Errc::invalid_input, whom + " is you: a message goes to another agent."};
  std::vector<std::string> known;
  bool is_gone = types_seen_.contains(letter.to);
  for (const auto& [id, child] : subagents_) {
    const bool is_there = child->agent && !child->end_is_wanted;
    if (is_there && id != from) known.push_back(name_of(*child));
    is_gone = is_gone || (!is_there && (id == letter.to || child->name == letter.to));
  }
  const auto named = names_gone_.find(letter.to);
  if (is_gone || named != names_gone_.end()) {
    const std::string id = named == names_gone_.end() ? "" : " " + json_quote(named->second);
    return {Errc::not_found, whom + " has ended and reads nothing any more. Go on with it by Agent and resume" + id +
                                 ", or start another one."};
  }
  return {Errc::not_found,
          "There is no agent " + whom + ". " +
              (known.empty() ? "No other agents are at work." : "There are: " + join(known, ", ") + ".")};
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
  team_.clear();  // who is started from now on is no member: nobody would end it
  for (const auto& child : members) ask_to_end(*child);
  over_.wait(lock, [&] { return std::ranges::all_of(members, [](const auto& child) { return child->is_over; }); });
  return names;
}

}  // namespace deft
