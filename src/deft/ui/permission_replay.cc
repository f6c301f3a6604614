#include "deft/ui/permission_replay.h"

#include <filesystem>
#include <fstream>
#include <unordered_set>

#include "deft/core/rule_meaning.h"
#include "deft/ui/permission_check.h"

namespace deft {

Result<ReplayedCall> parse_call(std::string_view text) {
  const auto open = text.find('(');
  ReplayedCall call{.tool = std::string(text.substr(0, open)), .directory = {}};
  if (call.tool.empty()) return fail(Errc::invalid_input, "a call begins with its tool: Bash(npm test)");
  if (open == text.npos) return call;
  if (!text.ends_with(')')) return fail(Errc::invalid_input, "a call ends with a parenthesis: Bash(npm test)");
  const std::string_view inner = text.substr(open + 1, text.size() - open - 2);
  if (inner.starts_with('{')) {
    auto json = parse_json(inner);
    if (json && json->is_object()) {
      call.input = std::move(*json);
      return call;
    }
  }
  const std::string_view field = subject_of(todays_tool_name(call.tool)).field;
  if (field.empty()) return fail(Errc::invalid_input, "the input of " + call.tool + " must be a JSON object");
  call.input = JsonObject{{field, inner}};
  return call;
}

Decision judge(const Permissions& permissions, const PermissionSetup& setup, const ReplayedCall& call) {
  PermissionQuestion question{.tool = call.tool, .input = &call.input, .working_directory = call.directory};
  declare_by_name(question, permissions, setup);
  return permissions.decide(question);
}

Result<std::vector<ReplayedCall>> calls_of_session(const std::string& path) {
  std::error_code ec;
  const bool is_folder = std::filesystem::is_directory(path, ec);
  const std::string file = is_folder ? path + "/journal.jsonl" : path;
  std::ifstream journal(file, std::ios::binary);
  if (!journal) return fail(Errc::not_found, file + " cannot be read: give the folder of a session (--session)");
  std::vector<ReplayedCall> calls;
  std::unordered_set<std::string> seen;  // one that was asked for and then began counts once
  for (std::string line; std::getline(journal, line);) {
    const auto entry = parse_json(line);
    if (!entry || !entry->is_object()) continue;  // torn by a crash
    const auto type = find_string(*entry, "type");
    const auto id = find_string(*entry, "call");
    const auto tool = find_string(*entry, "tool");
    const Json* input = find(*entry, "input");
    if ((type != "asked" && type != "intent") || !id || !tool || !input) continue;
    if (!seen.insert(std::string(*id)).second) continue;
    calls.push_back({.tool = std::string(*tool),
                     .input = *input,
                     .directory = std::string(find_string(*entry, "directory").value_or(""))});
  }
  return calls;
}

}  // namespace deft
