#include "deft/agent/session.h"

#include <algorithm>
#include <functional>
#include <iterator>
#include <optional>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "deft/agent/modifier_json.h"
#include "deft/agent/session_effects.h"
#include "deft/base/path.h"
#include "deft/core/compaction_plan.h"
#include "deft/core/conversation.h"
#include "deft/core/message_content.h"

// How a conversation stands in a journal, in the order of its entries:
//
//   turn, prompt             what the user said
//   draft* intent* result*   while the message streams in: its blocks up to a call, before that call has its effect
//   message                  the whole of what the model said; stands for its drafts
//   intent* result*
//   results                  what the model was told of its calls; after this they are history
//
// `rewound` goes back to an earlier entry: what lies between does not count (agent/journal_branch.h).
//
// A discard takes back everything since the last of prompt, message and results. Each of these may be missing: the disk
// was full, or the process has ended there. So nothing is believed to follow from anything else, and what is owed is
// paid before something else is taken: that is what keeps the history valid.

namespace deft {
namespace {

constexpr std::string_view kLostText = "(What was said here could not be kept.)";

std::string text_at(const Json& entry, std::string_view key) {
  return std::string(find_string(entry, key).value_or(""));
}

// "" for what no API would take: it was damaged, and counts as not written.
std::string content_at(const Json& entry, std::string_view key, Role role) {
  std::string content = text_at(entry, key);
  return content.empty() || content_problem(role, content) ? "" : content;
}

// What the model said. Earlier versions also kept what it thought last.
std::string said_in(const Json& entry) {
  std::string content = content_at(entry, "content", Role::assistant);
  if (!content.empty()) return content;
  content = without_thought_at_end(text_at(entry, "content"));
  return content.empty() || content_problem(Role::assistant, content) ? "" : content;
}

std::vector<std::string> ids_in(std::string_view content, std::string_view type, std::string_view key) {
  std::vector<std::string> ids;
  const auto blocks = parse_json(content);
  if (!blocks || !blocks->is_array()) return ids;
  for (const Json& block : blocks->get_array()) {
    if (find_string(block, "type") == type) ids.emplace_back(find_string(block, key).value_or(""));
  }
  return ids;
}

std::vector<std::string> calls_in(std::string_view content) { return ids_in(content, "tool_use", "id"); }
std::vector<std::string> results_in(std::string_view content) { return ids_in(content, "tool_result", "tool_use_id"); }

// What the user said: no results, which belong to calls.
std::string told_in(const Json& entry, std::string_view key) {
  std::string content = content_at(entry, key, Role::user);
  const bool has_results = content.contains("tool_result") && !results_in(content).empty();
  return has_results ? "" : content;
}

std::string first_blocks(std::string_view content, std::size_t count) {
  std::vector<std::string> blocks;
  for (const std::string_view block : raw_elements(content)) {
    if (blocks.size() < count) blocks.emplace_back(block);
  }
  return content_of(blocks);
}

struct KnownResult {
  std::string block;
  std::vector<std::string> new_messages;
  std::vector<Modifier> modifiers;
};

KnownResult result_of(const std::string& call, const Json& entry) {
  ToolResult result{.text = text_at(entry, "content")};
  if (const auto* blocks = find_array(entry, "blocks")) {
    std::ranges::copy_if(*blocks, std::back_inserter(result.blocks),
                         [](const Json& block) { return find_string(block, "type").has_value(); });
  }
  if (find_bool(entry, "is_error").value_or(false)) result.error = Errc::failed;
  KnownResult known{.block = result_block(call, result)};
  if (const auto* messages = find_array(entry, "new_messages")) known.new_messages = new_message_blocks(*messages);
  if (const auto* modifiers = find(entry, "modifiers")) known.modifiers = modifiers_of(*modifiers);
  return known;
}

// "…/session/journal.jsonl", or that of a subagent of it.
std::string session_folder_of(const std::string& journal) {
  const std::string folder(parent_path(journal));
  return file_name(folder) == "subagents" ? std::string(parent_path(folder)) : folder;
}

class Rebuilding {
 public:
  explicit Rebuilding(const std::string& journal) : session_folder_(session_folder_of(journal)) {}

  // What a session had gone on without: it was used and paid for, and that is all that is left of it.
  void take_left(std::string_view type, const Json& entry) {
    if (type == "message" || type == "compacted") count_usage(entry);
    if (type == "message" || type == "draft") {
      for (std::string& id : calls_in(text_at(entry, "content"))) session_.call_ids.push_back(std::move(id));
    }
    const bool is_of_context = text_at(entry, "key") == kAnnouncedToolsKey;
    if (type == "used" || (type == "state" && !is_of_context)) take(type, entry);
  }

  // `cut`: how much of the entry counts.
  void take(std::string_view type, const Json& entry, const BranchCut& cut = {}) {
    cut_ = cut;
    session_.changed_ms = std::max(session_.changed_ms, find_int(entry, "time_ms").value_or(0));
    if (stands_there_twice(type, entry)) return;
    if (type == "prompt") return take_prompt(entry);
    if (type == "draft") return take_draft_entry(entry);
    if (type == "intent") return intents_.insert(text_at(entry, "call")), void();
    if (type == "result") return take_result(entry);
    if (type == "message") return take_message(entry);
    if (type == "results") return take_results(entry);
    if (type == "discarded") return take_discard();
    if (type == "compacted") return take_compaction(entry);
    if (type == "cleared") return take_clearing();
    if (type == "used") return take_usage(entry);
    if (type == "state" && text_at(entry, "key") == kAnnouncedToolsKey) return take_announced(entry);
    if (type == "state") session_.state[text_at(entry, "key")] = find(entry, "value") ? *find(entry, "value") : Json();
  }

  Session take_session() {
    const bool had_draft = owed_.empty() && !draft_.empty();
    const std::string draft = draft_;
    take_draft();
    if (had_draft && owed_.empty()) session_.repairs.emplace_back("discarded");
    if (had_draft && !owed_.empty()) {
      session_.repairs.push_back(std::move(
          JournalEntry("message").text("content", draft).text("how", "interrupted").text("uuid", draft_uuid_)));
    }
    session_.deferred = deferred_call();
    if (!owed_.empty() && !session_.deferred) {
      session_.interrupted_calls = owed_.size();
      const std::string content = answer_calls({}, "");
      session_.repairs.push_back(std::move(JournalEntry("results").text("content", content)));
    }
    session_.history = conversation_.messages();
    return std::move(session_);
  }

 private:
  // Only where it is sure: hosts name their messages, and may use a name again.
  bool stands_there_twice(std::string_view type, const Json& entry) {
    const auto time_ms = find_int(entry, "time_ms");
    const bool is_named = (type == "prompt" || type == "message") && !text_at(entry, "uuid").empty();
    if (!time_ms || !(is_named || type == "compacted")) return false;
    const std::string content = text_at(entry, type == "compacted" ? "summary" : "content");
    const std::string line = std::string(type) + std::to_string(*time_ms) + text_at(entry, "uuid") + content;
    return !lines_.insert(std::hash<std::string>()(line)).second;
  }

  void take_prompt(const Json& entry) {
    const std::string content = told_in(entry, "content");
    if (content.empty()) return;
    end_message();
    conversation_.add_user(content);
  }

  void take_draft_entry(const Json& entry) {
    const std::string content = said_in(entry);
    const std::vector<std::string> drafted = calls_in(draft_);
    const bool stands_there_twice = std::ranges::any_of(
        calls_in(content), [&](const auto& call) { return std::ranges::find(drafted, call) != drafted.end(); });
    if (content.empty() || stands_there_twice || is_repeated(content)) return;
    const std::string uuid = text_at(entry, "uuid");
    end_message_before(uuid);
    draft_ = joined_content(draft_, content);
    draft_uuid_ = uuid;
  }

  // The message that streamed in never existed; the one before it did.
  void take_discard() {
    pay();
    forget_calls();
  }

  void take_announced(const Json& entry) {
    session_.tools.announced.clear();
    const JsonArray* names = find_array(entry, "value");
    for (std::size_t i = 0; names && i < names->size(); ++i) {
      if ((*names)[i].is_string()) session_.tools.announced.emplace(view((*names)[i].get_string()));
    }
  }

  // Of a subagent.
  void take_usage(const Json& entry) {
    const JsonObject* models = find_object(entry, "models");
    if (!models) return;
    for (const auto& [model, usage] : *models) session_.usage.add(std::string(model), usage, 0);
    session_.usage.cost += find_number(entry, "cost").value_or(0);
  }

  // The first one counts: a worker that came back after it was answered for writes a second one.
  void take_result(const Json& entry) {
    const std::string call = text_at(entry, "call");
    results_.try_emplace(call, result_of(call, entry));
  }

  void count_usage(const Json& entry) {
    const Json* usage = find(entry, "usage");
    session_.usage.add(text_at(entry, "model"), usage ? *usage : Json(), find_number(entry, "cost").value_or(0));
  }

  void take_message(const Json& entry) {
    const std::string whole = said_in(entry);
    if (is_repeated(whole)) return;
    const std::string content = cut_.blocks ? without_thought_at_end(first_blocks(whole, *cut_.blocks)) : whole;
    count_usage(entry);
    end_message_before(text_at(entry, "uuid"));
    if (whole.empty()) return;  // a draft of it still counts
    draft_.clear();
    if (content.empty()) return;
    add_message(content, whole);
    if (owed_.empty()) forget_calls();
  }

  // A line that stands there twice: the API refuses an id that was used before.
  bool is_repeated(std::string_view content) const {
    const auto calls = calls_in(content);
    return std::ranges::any_of(calls, [&](const auto& call) { return ids_.contains(call); });
  }

  void add_message(const std::string& content, const std::string& whole) {
    if (conversation_.empty()) conversation_.add_user(content_of({text_block(kLostText)}));
    conversation_.add_assistant(content);
    owed_ = calls_in(content);
    const std::vector<std::string> ids = cut_.blocks ? calls_in(whole) : owed_;
    session_.call_ids.insert(session_.call_ids.end(), ids.begin(), ids.end());
    ids_.insert(owed_.begin(), owed_.end());
  }

  void take_results(const Json& entry) {
    take_draft();
    if (owed_.empty()) return forget_calls();
    std::unordered_map<std::string, std::string> given;
    if (const auto* calls = find_array(entry, "given")) {
      for (const Json& call : *calls) given[text_at(call, "call")] = text_at(call, "block");
    }
    // Written by a repair: the whole of it.
    if (const std::string content = content_at(entry, "content", Role::user); results_in(content) == owed_) {
      conversation_.add_user(content);
      settle();
    } else {
      answer_calls(given, cut_.results_alone ? "" : told_in(entry, "after"));
    }
    forget_calls();
  }

  // Whatever the model asked for is answered before something else is said.
  void pay() {
    if (!owed_.empty()) answer_calls({}, "");
  }

  // `given`: where the model was told something else than what the call gave at first. Returns what it was told.
  std::string answer_calls(const std::unordered_map<std::string, std::string>& given, const std::string& after) {
    std::vector<std::string> blocks;
    for (const std::string& call : owed_) {
      const auto known = results_.find(call);
      const auto said = given.find(call);
      if (said != given.end() && is_result_of(said->second, call)) {
        blocks.push_back(said->second);
      } else if (known != results_.end()) {
        blocks.push_back(known->second.block);
      } else {
        const bool began = intents_.contains(call);
        blocks.push_back(
            result_block(call, engine_error(Errc::cancelled, began ? interrupted(call) : std::string(kNotDoneText))));
      }
    }
    std::string content = joined_content(content_of(blocks), after);
    conversation_.add_user(content);
    settle();
    return content;
  }

  std::string interrupted(const std::string& call) const {
    std::string text(kInterruptedText);
    const auto agent = agent_started_by(call, session_folder_);
    return agent ? text + " The agent " + *agent + " was at work on it: give that id as resume to go on with it."
                 : text;
  }

  // The call that the last message ends with, if it is to be decided later.
  std::optional<ToolCall> deferred_call() const {
    const auto state = session_.state.find(std::string(kDeferredState));
    const auto id = state == session_.state.end() ? std::nullopt : find_string(state->second, "call");
    if (!id || owed_.size() != 1 || owed_.front() != *id || intents_.contains(owed_.front())) return std::nullopt;
    const std::string& content = conversation_.messages().back().content;
    for (const std::string_view block : raw_elements(content)) {
      const auto json = parse_json(block);
      if (!json || find_string(*json, "id") != *id) continue;
      const Json* input = find(*json, "input");
      return ToolCall{.id = std::string(*id),
                      .name = std::string(find_string(*json, "name").value_or("")),
                      .input = input ? *input : Json(JsonObject{}),
                      .input_text = std::string(raw_member(block, "input").value_or("{}")),
                      .invalid = std::nullopt};
    }
    return std::nullopt;
  }

  static bool is_result_of(const std::string& block, const std::string& call) {
    const auto json = parse_json(block);
    return json && find_string(*json, "type") == "tool_result" && find_string(*json, "tool_use_id") == call;
  }

  void settle() {
    for (const std::string& call : owed_) {
      const auto known = results_.find(call);
      if (known == results_.end()) continue;
      for (const Modifier& modifier : known->second.modifiers) {
        if (const auto* moved = std::get_if<WorkingDirectoryChanged>(&modifier)) {
          session_.working_directory = moved->path;
        }
        if (const auto* file = std::get_if<FileWasSeen>(&modifier)) session_.files.record(file->seen);
        if (const auto* replaced = std::get_if<TodosReplaced>(&modifier)) session_.todos = replaced->todos;
        if (const auto* more = std::get_if<ToolsLoaded>(&modifier)) session_.tools.apply(*more);
        if (const auto* changed = std::get_if<WorktreeChanged>(&modifier)) {
          session_.worktree = changed->stay;
          session_.working_directory.clear();  // it is where the worktree is, or where the session began
        }
      }
    }
    session_.files.end_message();
    // Not what is known of others: the next message may have begun.
    for (const std::string& call : owed_) {
      intents_.erase(call);
      results_.erase(call);
    }
    owed_.clear();
  }

  void forget_calls() {
    draft_.clear();
    intents_.clear();
    results_.clear();
  }

  // The process ended while the message streamed in. If nothing of it had an effect, it never existed.
  void take_draft() {
    if (draft_.empty() || !owed_.empty()) return;
    const std::string draft = std::exchange(draft_, "");
    const std::vector<std::string> calls = calls_in(draft);
    if (std::ranges::any_of(calls, [&](const auto& call) { return intents_.contains(call); })) {
      add_message(draft, draft);
    }
  }

  // What is said now follows it, and what nobody knows the message of is nobody's.
  void end_message() {
    take_draft();
    pay();
    forget_calls();
  }

  // Something of the next message comes. If the last one has not ended by then, its end could not be written down.
  void end_message_before(const std::string& uuid) {
    const bool is_another = !uuid.empty() && !draft_uuid_.empty() && uuid != draft_uuid_;
    if (is_another) take_draft();
    pay();
  }

  void take_compaction(const Json& entry) {
    const std::string summary = told_in(entry, "summary");
    const auto kept = find_int(entry, "kept_messages").value_or(0);
    if (summary.empty() || kept < 0) return;
    if (find(entry, "usage")) count_usage(entry);
    end_message();
    conversation_.replace(compacted_history(conversation_.messages(), summary, static_cast<std::size_t>(kept)));
    forget_context();
  }

  void take_clearing() {
    end_message();
    conversation_.replace({});
    forget_context();
  }

  // As the executor did then.
  void forget_context() {
    session_.files.forget_read();
    session_.tools.forget_context();
  }

  const std::string session_folder_;
  Session session_;
  Conversation conversation_;
  std::vector<std::string> owed_;  // calls of the last message that are not answered
  std::string draft_;
  std::string draft_uuid_;
  BranchCut cut_;                          // of the entry that is being taken
  std::unordered_set<std::size_t> lines_;  // hashes of what stands there once
  std::unordered_set<std::string> ids_;    // of all calls so far
  std::unordered_set<std::string> intents_;
  std::unordered_map<std::string, KnownResult> results_;
};

// With the next word of the user's, which is all that may be missing.
std::optional<std::string> problem_of(const History& history, const std::optional<ToolCall>& deferred) {
  if (history.empty() || history.back().role == Role::user)
    return history.empty() ? std::nullopt : history_problem(history);
  History answered = history;
  std::vector<std::string> blocks;
  if (deferred) blocks.push_back(result_block(deferred->id, ToolResult{.text = "done"}));
  blocks.push_back(text_block("go on"));
  answered.push_back({Role::user, content_of(blocks)});
  return history_problem(answered);
}

}  // namespace

void SessionUsage::add(const std::string& model, const Json& usage, double cost_of_it) {
  const TokenUse use = token_use(usage);
  by_model[model] += use;
  tokens += use.total();
  cost += cost_of_it;
}

void SessionUsage::add(const SessionUsage& other) {
  for (const auto& [model, use] : other.by_model) by_model[model] += use;
  tokens += other.tokens;
  cost += other.cost;
}

void SessionUsage::subtract(const SessionUsage& earlier) {
  for (const auto& [model, use] : earlier.by_model) {
    TokenUse& rest = by_model[model];
    rest.input -= std::min(rest.input, use.input);
    rest.output -= std::min(rest.output, use.output);
    rest.cache_read -= std::min(rest.cache_read, use.cache_read);
    rest.cache_write -= std::min(rest.cache_write, use.cache_write);
    rest.cache_write_hour -= std::min(rest.cache_write_hour, use.cache_write_hour);
    if (rest.total() == 0) by_model.erase(model);
  }
  tokens -= std::min(tokens, earlier.tokens);
  cost = std::max(0.0, cost - earlier.cost);
}

Result<Session> Session::load(const std::string& journal, const ResumePoint& point) {
  std::optional<Rebuilding> rebuilding(std::in_place, journal);
  bool has_branches = !point.at.empty();
  auto opening = read_journal(journal, [&](std::string_view type, const Json& entry) {
    has_branches = has_branches || type == kRewoundEntry;
    if (!has_branches) rebuilding->take(type, entry);
  });
  if (!opening) return std::unexpected(opening.error());
  if (has_branches) {
    const auto branch = JournalBranch::find(journal, point);
    if (!branch) return std::unexpected(branch.error());
    rebuilding.emplace(journal);
    std::size_t line = 0;
    opening = read_journal(journal, [&](std::string_view type, const Json& entry) {
      const auto cut = branch->at(++line);
      cut ? rebuilding->take(type, entry, *cut) : rebuilding->take_left(type, entry);
    });
    if (!opening) return std::unexpected(opening.error());
  }
  Session session = rebuilding->take_session();
  if (!point.at.empty()) {
    session.repairs.insert(session.repairs.begin(), std::move(JournalEntry(kRewoundEntry).text("to", point.at)));
  }
  if (const auto problem = problem_of(session.history, session.deferred)) {
    return fail(Errc::invalid_input, journal + " is damaged: " + *problem);
  }
  session.opening = std::move(*opening);
  session.changed_ms = std::max(session.changed_ms, session.opening.time_ms);
  return session;
}

}  // namespace deft
