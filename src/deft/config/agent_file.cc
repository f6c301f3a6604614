#include "deft/config/agent_file.h"

#include <algorithm>
#include <utility>

#include "deft/base/text.h"
#include "deft/config/front_matter.h"

namespace deft {
namespace {

constexpr std::string_view kEfforts = "low medium high xhigh max";
// Keys of the format that have no effect here; the others that are not read are no business of ours.
constexpr std::string_view kWithoutEffect = "observer observerMessage";
constexpr std::size_t kAgentServersMax = 50;

std::string trimmed(std::string_view text) {
  const auto first = text.find_first_not_of(" \t\r\n");
  if (first == std::string_view::npos) return {};
  return std::string(text.substr(first, text.find_last_not_of(" \t\r\n") + 1 - first));
}

// The fields of one type, whichever form they came in.
class Fields {
 public:
  Fields(const JsonObject& values, bool trusted) : values_(values), trusted_(trusted) {}

  Result<ReadAgentType> read(std::string name, std::string prompt) {
    read_.type.name = std::move(name);
    read_.type.prompt = trimmed(prompt);
    for (const auto step :
         {&Fields::take_names, &Fields::take_tools, &Fields::take_mode, &Fields::take_rest, &Fields::take_own}) {
      if (auto taken = (this->*step)(); !taken) return std::unexpected(taken.error());
    }
    for (const auto& field : values_) {
      if (is_among_words(std::string_view(field.key()), kWithoutEffect) && !field.value().is_null()) {
        note(std::string(field.key()) + " has no effect in an agent file here");
      }
    }
    return std::move(read_);
  }

 private:
  void note(std::string text) { read_.notes.push_back(std::move(text)); }

  Result<std::string> text(std::string_view key) {
    auto field = text_field(values_, key);
    if (!field) return std::unexpected(field.error());
    return trimmed(field->value_or(""));
  }

  Result<void> take_names() {
    AgentType& type = read_.type;
    const auto is_plain = [](char c) {
      return static_cast<unsigned char>(c) >= ' ' && c != '\x7f' &&
             std::string_view(":,()*").find(c) == std::string::npos;
    };
    const bool is_name = !type.name.empty() && type.name.size() <= kAgentTypeNameBytesMax && type.name[0] != '-' &&
                         std::ranges::all_of(type.name, is_plain);
    if (!is_name) {
      return fail(
          Errc::invalid_input,
          "name must have 1 to 100 characters, none of : , ( ) * and no control character, and not begin with -");
    }
    auto description = text("description");
    if (!description) return std::unexpected(description.error());
    if (description->empty()) return fail(Errc::invalid_input, "description is missing: it says when to use the agent");
    if (description->size() > kAgentDescriptionBytesMax) {
      return fail(Errc::limit, "description has more than " + std::to_string(kAgentDescriptionBytesMax) + " bytes");
    }
    type.description = std::move(*description);
    return {};
  }

  Result<void> take_tools() {
    auto tools = words_field(values_, "tools");
    if (!tools) return std::unexpected(tools.error());
    auto disallowed = words_field(values_, "disallowedTools");
    if (!disallowed) return std::unexpected(disallowed.error());
    if (*tools) {
      ToolEntries entries = tool_entries(**tools);
      for (const std::string& entry : entries.left_out) {
        note("tools: " + entry + " is left out: a type has a tool or has it not; write a permission rule for the rest");
      }
      read_.type.tools = std::move(entries.names);
      read_.type.agents = std::move(entries.agents);
    }
    if (!*disallowed) return {};
    ToolEntries entries = tool_entries(**disallowed);
    read_.type.disallowed_tools = std::move(entries.names);
    // Taking away more than was asked for is the safe reading.
    for (const std::string& entry : entries.left_out) {
      read_.type.disallowed_tools.push_back(entry.substr(0, entry.find('(')));
      note("disallowedTools: " + entry + " takes away the whole tool");
    }
    return {};
  }

  Result<void> take_mode() {
    auto mode = text("permissionMode");
    if (!mode) return std::unexpected(mode.error());
    if (mode->empty() || *mode == "inherit") return {};
    const auto parsed = parse_mode(*mode == "manual" ? "default" : *mode);
    if (!parsed) return fail(Errc::invalid_input, "permissionMode " + json_quote(one_line(*mode, 40)) + " is no mode");
    if (*parsed == Mode::bypass) {
      note("permissionMode: bypassPermissions is never given to an agent by its file");
    } else if (!trusted_ && *parsed != Mode::plan && *parsed != Mode::dont_ask) {
      note("permissionMode: has no effect, because the folder is not trusted (deft trust)");
    } else {
      read_.type.mode = *parsed;
    }
    return {};
  }

  Result<void> take_rest() {
    AgentType& type = read_.type;
    auto model = text("model");
    auto effort = text("effort");
    auto isolation = text("isolation");
    auto background = bool_field(values_, "background");
    auto skills = words_field(values_, "skills");
    for (const auto* field : {&model, &effort, &isolation}) {
      if (!*field) return std::unexpected(field->error());
    }
    if (!background) return std::unexpected(background.error());
    if (!skills) return std::unexpected(skills.error());
    if (!effort->empty() && !is_among_words(*effort, kEfforts)) {
      return fail(Errc::invalid_input, "effort must be one of " + std::string(kEfforts));
    }
    if (!isolation->empty() && *isolation != "worktree") {
      return fail(Errc::invalid_input, "isolation must be worktree");
    }
    type.model = std::move(*model);
    type.effort = std::move(*effort);
    type.in_worktree = !isolation->empty();
    type.background = background->value_or(false);
    type.skills = skills->value_or(std::vector<std::string>{});
    return take_turns();
  }

  // What it brings along: it runs programs, or writes files, so only those may say it who may say anything.
  Result<void> take_own() {
    auto initial = text("initialPrompt");
    if (!initial) return std::unexpected(initial.error());
    read_.type.initial_prompt = std::move(*initial);
    for (const auto step : {&Fields::take_hooks, &Fields::take_servers, &Fields::take_memory}) {
      if (auto taken = (this->*step)(); !taken) return taken;
    }
    return {};
  }

  const Json* own(const char* key) {
    const auto found = values_.find(key);
    if (found == values_.end() || found->value().is_null()) return nullptr;
    if (trusted_) return &found->value();
    note(std::string(key) + ": has no effect, because the folder is not trusted (deft trust)");
    return nullptr;
  }

  Result<void> take_hooks() {
    const Json* hooks = own("hooks");
    if (!hooks) return {};
    if (!hooks->is_object()) return fail(Errc::invalid_input, "hooks must be an object: {\"PreToolUse\": [...]}");
    read_.type.hooks = *hooks;
    return {};
  }

  Result<void> take_servers() {
    const Json* servers = own("mcpServers");
    if (!servers) return {};
    // {"name": entry …} is another way to write [{"name": entry} …].
    const JsonArray list = servers->is_array() ? servers->get_array() : JsonArray{*servers};
    for (const Json& entry : list) {
      if (!entry.is_string() && !entry.is_object()) {
        return fail(Errc::invalid_input, "mcpServers must be a list of names and of {name: configuration}");
      }
      if (read_.type.servers.size() >= kAgentServersMax) return fail(Errc::limit, "mcpServers has too many entries");
      read_.type.servers.push_back(entry);
    }
    return {};
  }

  Result<void> take_memory() {
    if (!own("memory")) return {};
    auto memory = text("memory");
    if (!memory) return std::unexpected(memory.error());
    if (*memory == "user") read_.type.memory = AgentType::Memory::user;
    if (*memory == "project") read_.type.memory = AgentType::Memory::project;
    if (*memory == "local") read_.type.memory = AgentType::Memory::local;
    if (read_.type.memory != AgentType::Memory::none) return {};
    return fail(Errc::invalid_input, "memory must be user, project or local");
  }

  Result<void> take_turns() {
    const auto found = values_.find("maxTurns");
    if (found == values_.end() || found->value().is_null()) return {};
    const auto* turns = found->value().if_int64();
    if (!turns || *turns < 1) return fail(Errc::invalid_input, "maxTurns must be a number from 1 on");
    read_.type.turns_max = static_cast<std::size_t>(*turns);
    return {};
  }

  const JsonObject& values_;
  const bool trusted_;
  ReadAgentType read_;
};

}  // namespace

Result<std::optional<ReadAgentType>> read_agent_file(std::string_view text, bool trusted) {
  if (text.size() > kAgentFileBytesMax) {
    return fail(Errc::limit, "it has more than " + human_bytes(kAgentFileBytesMax));
  }
  auto file = read_front_matter(text);
  if (!file) return std::unexpected(file.error());
  auto name = text_field(file->values, "name");
  if (!name) return std::unexpected(name.error());
  if (!*name || trimmed(**name).empty()) return std::nullopt;
  auto read = Fields(file->values, trusted).read(trimmed(**name), file->body);
  if (!read) return std::unexpected(read.error());
  return std::optional(std::move(*read));
}

Result<std::vector<ReadAgentType>> read_agents_object(const Json& agents) {
  const JsonObject* object = agents.if_object();
  if (!object) return fail(Errc::invalid_input, "agents must be an object: {\"name\": {\"description\", \"prompt\"}}");
  if (object->size() > kAgentTypesMax) return fail(Errc::limit, "there are more than 500 agents");
  std::vector<ReadAgentType> types;
  for (const auto& [key, value] : *object) {
    const std::string name(key);
    const JsonObject* fields = value.if_object();
    if (!fields) return fail(Errc::invalid_input, "agent " + json_quote(name) + " must be an object");
    auto read = Fields(*fields, /*trusted=*/true).read(name, std::string(find_string(value, "prompt").value_or("")));
    if (!read) return fail(Errc::invalid_input, "agent " + json_quote(name) + ": " + read.error().message);
    types.push_back(std::move(*read));
  }
  return types;
}

}  // namespace deft
