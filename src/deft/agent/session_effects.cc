#include "deft/agent/session_effects.h"

#include <algorithm>
#include <filesystem>
#include <unordered_map>
#include <utility>

#include "deft/agent/journal_place.h"
#include "deft/agent/journal_reader.h"
#include "deft/base/path.h"
#include "deft/base/stable_sort.h"
#include "deft/base/text.h"

namespace deft {
namespace {

constexpr std::size_t kTitleCharactersMax = 100;
constexpr std::size_t kSubagentsReadMax = 10'000;

// What the call is about, by the input that says most.
std::string title_of(std::string_view tool, const Json& entry) {
  const Json* input = find(entry, "input");
  for (const char* key : {"command", "file_path", "notebook_path", "path", "url", "query", "description"}) {
    const auto value = input ? find_string(*input, key) : std::nullopt;
    if (value) return std::string(tool) + ": " + one_line(*value, kTitleCharactersMax);
  }
  return std::string(tool);
}

// Those of one journal; of a subagent's, `within` is the call that had started it by then.
Result<std::vector<EffectOfCall>> effects_in(const std::string& journal) {
  std::vector<EffectOfCall> effects;
  std::unordered_map<std::string, std::size_t> by_call;
  std::vector<std::string> started_by;
  std::int64_t time_ms = 0;  // of what was last: a clock may jump back, what happened later happened later
  JournalPlace place;
  const auto read = read_journal(journal, [&](std::string_view type, const Json& entry) {
    place.take(type, entry);
    time_ms = std::max(time_ms, find_int(entry, "time_ms").value_or(0));
    if (type == "state" && find_string(entry, "key") == kStartedByState) {
      const Json* value = find(entry, "value");
      started_by = {std::string(value ? find_string(*value, "call").value_or("") : "")};
    }
    const std::string call(find_string(entry, "call").value_or(""));
    if (type == "intent") {
      const std::string tool(find_string(entry, "tool").value_or(""));
      by_call[call] = effects.size();
      effects.push_back({.call_id = call,
                         .tool = tool,
                         .title = title_of(tool, entry),
                         .within = started_by,
                         .message = place.message(),
                         .turn = place.turn(),
                         .time_ms = time_ms});
    }
    const auto known = by_call.find(call);
    if (type == "result" && known != by_call.end()) effects[known->second].is_finished = true;
  });
  if (!read) return std::unexpected(read.error());
  return effects;
}

std::vector<std::string> journals_of_subagents(const std::string& session_folder) {
  std::vector<std::string> journals;
  std::error_code ec;
  std::size_t looked_at = 0;
  std::filesystem::directory_iterator entry(session_folder + "/subagents", ec);
  for (const std::filesystem::directory_iterator end; !ec && entry != end; entry.increment(ec)) {
    if (++looked_at > kSubagentsReadMax) break;
    if (entry->path().extension() == ".jsonl") journals.push_back(entry->path());
  }
  return journals;
}

std::vector<EffectOfCall> effects_of_subagents(const std::string& session_folder) {
  std::vector<EffectOfCall> all;
  for (const std::string& journal : journals_of_subagents(session_folder)) {
    auto effects = effects_in(journal);
    if (!effects) continue;  // killed before its first line
    std::ranges::move(*effects, std::back_inserter(all));
  }
  return all;
}

}  // namespace

std::vector<std::string> effect_ids_of_subagents(const std::string& session_folder) {
  std::vector<std::string> ids;
  for (const std::string& journal : journals_of_subagents(session_folder)) {
    static_cast<void>(read_journal_lines(journal, [&](std::string_view line) {
      if (!line.starts_with(R"({"type":"intent")")) return;
      const auto entry = parse_json(line);
      if (const auto id = entry ? find_string(*entry, "call") : std::nullopt) ids.emplace_back(*id);
    }));
  }
  return ids;
}

std::optional<std::string> agent_started_by(std::string_view call, const std::string& session_folder) {
  constexpr std::string_view kPrefix = "agent-";
  for (const std::string& journal : journals_of_subagents(session_folder)) {
    bool is_it = false;
    static_cast<void>(read_journal_lines(journal, [&](std::string_view line) {
      if (!line.starts_with(R"({"type":"state")")) return;
      const auto entry = parse_json(line);
      if (!entry || find_string(*entry, "key") != kStartedByState) return;
      const Json* value = find(*entry, "value");
      is_it = is_it || (value && find_string(*value, "call") == call);
    }));
    const std::string name = std::filesystem::path(journal).stem();
    if (is_it && name.starts_with(kPrefix)) return name.substr(kPrefix.size());
  }
  return std::nullopt;
}

Result<std::vector<EffectOfCall>> effects_of_session(const std::string& journal) {
  auto effects = effects_in(journal);
  if (!effects) return effects;
  std::vector<EffectOfCall> loose = effects_of_subagents(std::string(parent_path(journal)));
  std::unordered_map<std::string, std::size_t> by_call;
  for (std::size_t i = 0; i < effects->size(); ++i) by_call[(*effects)[i].call_id] = i;
  // Each finds its place by the call that started its agent, which may be another subagent's.
  for (bool found = true; std::exchange(found, false);) {
    std::erase_if(loose, [&](EffectOfCall& effect) {
      const auto parent = effect.within.empty() ? by_call.end() : by_call.find(effect.within.back());
      if (parent == by_call.end()) return false;
      EffectOfCall& starter = (*effects)[parent->second];
      starter.starts_agents = true;
      effect.within = starter.within;
      effect.within.push_back(starter.call_id);
      effect.message = starter.message;
      effect.turn = starter.turn;
      by_call.try_emplace(effect.call_id, effects->size());
      effects->push_back(std::move(effect));
      return found = true;
    });
  }
  // Of agents whose beginning nobody wrote down: they can still be named one by one.
  for (EffectOfCall& effect : loose) {
    effect.within.clear();
    effect.message = effect.turn = 0;
    effects->push_back(std::move(effect));
  }
  stable_sort_by(*effects, [](const EffectOfCall& effect) { return effect.time_ms; });
  return effects;
}

}  // namespace deft
