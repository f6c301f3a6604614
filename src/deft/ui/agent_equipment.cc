#include "deft/ui/agent_equipment.h"

#include <algorithm>
#include <utility>

#include "deft/base/closing_tag.h"
#include "deft/base/path.h"
#include "deft/base/utf8.h"
#include "deft/core/mcp_server_word.h"

namespace deft {
namespace {

constexpr std::string_view kMemoryFile = "MEMORY.md";

// An agent that ends is a subagent to everybody else.
Json for_subagent(const Json& hooks) {
  JsonObject renamed;
  for (const auto& [event, entries] : hooks.get_object()) {
    const std::string name = event == "Stop" ? "SubagentStop" : std::string(event);
    Json& all = renamed[name];
    if (!all.is_array()) {
      all = entries;
    } else if (entries.is_array()) {
      for (const Json& entry : entries.get_array()) all.get_array().push_back(entry);
    }
  }
  return renamed;
}

// The first lines that fit.
std::string_view beginning_of(std::string_view text) {
  std::string_view shown = utf8_prefix(text, kAgentMemoryBytesMax);
  std::size_t end = 0;
  for (std::size_t line = 0; line < kAgentMemoryLinesMax && end < shown.size(); ++line) {
    end = std::min(shown.find('\n', end), shown.size() - 1) + 1;
  }
  return shown.substr(0, end);
}

}  // namespace

SubagentOptions::Equipment AgentEquipment::equip(const std::string& agent_id, const AgentType& type,
                                                 std::stop_token stop) {
  SubagentOptions::Equipment equipment;
  const std::string origin = type.origin.empty() ? "the agent type " + type.name : type.origin;
  if (type.hooks.is_object()) {
    const Json hooks = agent_id.empty() ? type.hooks : for_subagent(type.hooks);
    if (auto added = hooks_.add_for_agent(agent_id, hooks, type.source, origin); !added) {
      equipment.notices.push_back(origin + ": its hooks cannot be used: " + added.error().message);
    }
  }
  SessionServers* servers = type.servers.empty() ? nullptr : servers_();
  if (!servers) return equipment;
  SessionServers::OfAgent started = servers->start_for_agent(type.servers, type.source, origin, std::move(stop));
  equipment.tools = std::move(started.tools);
  equipment.notices.insert(equipment.notices.end(), started.notices.begin(), started.notices.end());
  if (started.servers) {
    const std::lock_guard lock(mutex_);
    if (!has_ended_) started_.insert_or_assign(agent_id, std::move(started.servers));
  }
  return equipment;
}

void AgentEquipment::take_away(const std::string& agent_id) {
  hooks_.end_agent(agent_id);
  std::shared_ptr<void> servers;  // they end without the lock
  const std::lock_guard lock(mutex_);
  const auto found = started_.find(agent_id);
  if (found != started_.end()) servers = std::move(started_.extract(found).mapped());
}

void AgentEquipment::end() {
  std::map<std::string, std::shared_ptr<void>> rest;  // they end without the lock
  const std::lock_guard lock(mutex_);
  has_ended_ = true;
  rest.swap(started_);
}

std::string AgentEquipment::memory_folder(const AgentType& type, Files& files) const {
  std::string parent;
  switch (type.memory) {
    case AgentType::Memory::none: return {};
    case AgentType::Memory::user: parent = places_.claude_home + "/agent-memory"; break;
    case AgentType::Memory::project: parent = places_.directory + "/.claude/agent-memory"; break;
    case AgentType::Memory::local: parent = places_.directory + "/.claude/agent-memory-local"; break;
  }
  if (!parent.starts_with('/')) return {};  // there is no home
  const auto canonical = files.canonical(parent + "/" + safe_file_name(type.name));
  return canonical ? *canonical : "";
}

std::vector<std::string> AgentEquipment::rules(const AgentType& type, Files& files) const {
  const std::string folder = memory_folder(type, files);
  if (folder.empty()) return {};
  return {"Read(/" + folder + "/**)", "Edit(/" + folder + "/**)"};
}

std::string AgentEquipment::memory_text(const AgentType& type, Files& files) const {
  const std::string folder = memory_folder(type, files);
  if (folder.empty()) return {};
  std::string text =
      "\n\n# What you remember\nYou keep notes for later tasks in the folder " + folder +
      ". Its MEMORY.md is told to you at the start of each task (the first " + std::to_string(kAgentMemoryLinesMax) +
      " lines): keep it short, and put details into other files of that folder that it names. Look there "
      "before you begin, and write down what will be worth knowing next time; take out what proved wrong.\n";
  const auto kept = files.read(folder + "/" + std::string(kMemoryFile), std::size_t{4} << 20);
  if (!kept || kept->bytes.empty()) return text + "So far there is nothing in it.";
  const std::string_view shown = beginning_of(kept->bytes);
  text += "<memory>\n" + without_closing_tag(to_valid_utf8(shown), "memory") + "</memory>";
  if (shown.size() < kept->bytes.size()) text += "\n(MEMORY.md goes on: read the rest of it if you need it.)";
  return text;
}

void name_servers_as_tools(AgentType& type) {
  if (!type.tools) return;
  const auto add = [&](std::string_view server) { type.tools->push_back(mcp_server_word(server)); };
  for (const Json& entry : type.servers) {
    if (entry.is_string()) add(view(entry.get_string()));
    if (!entry.is_object()) continue;
    for (const auto& [name, config] : entry.get_object()) add(std::string_view(name));
  }
}

}  // namespace deft
