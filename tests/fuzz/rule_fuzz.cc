// Permission rules and calls that strangers wrote: the first line is a rule, the rest a command. Nothing crashes or
// hangs, a broken rule allows nothing, a deny rule beats an allow rule, and no rule lifts what removes the root.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "deft/base/check.h"
#include "deft/base/json.h"
#include "deft/base/utf8.h"
#include "deft/core/permission.h"

namespace {

using namespace deft;

Decision decide(PermissionRules rules, Mode mode, std::string_view tool, const Json& input) {
  PermissionSetup setup{.sources = {{.rules = std::move(rules)}}, .mode = mode, .directory = "/p", .home = "/home/me"};
  const Permissions permissions(std::move(setup));
  (void)permissions.warnings();
  PermissionQuestion question{.tool = std::string(tool), .input = &input, .all_paths_known = true};
  return permissions.decide(question);
}

void check(std::string_view rule_text, const std::string& rest) {
  const Rule rule = read_rule(rule_text);
  DEFT_CHECK(rule.problem.has_value() != parse_rule(rule_text).has_value());
  const Json inputs[] = {JsonObject{{"command", rest}}, JsonObject{{"file_path", rest}}, JsonObject{{"url", rest}}};
  const std::string_view tools[] = {"Bash", "Edit", "WebFetch"};
  for (std::size_t i = 0; i < 3; ++i) {
    const Decision allowed = decide({.allow = {rule}}, Mode::normal, tools[i], inputs[i]);
    if (rule.problem) DEFT_CHECK(allowed.verdict != Verdict::allow || allowed.rule.empty());
    // The same rule in deny holds against itself in allow and against bypass.
    const Decision denied = decide({.allow = {rule}, .deny = {rule}}, Mode::bypass, tools[i], inputs[i]);
    if (allowed.verdict == Verdict::allow && !allowed.rule.empty()) DEFT_CHECK(denied.verdict != Verdict::allow);
    if (rule.problem) DEFT_CHECK(denied.verdict != Verdict::allow || !rule.tool.empty());
  }
  const Json removal = JsonObject{{"command", "rm -rf /"}};
  DEFT_CHECK(decide({.allow = {rule}}, Mode::bypass, "Bash", removal).verdict != Verdict::allow);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const std::size_t end = std::min(bytes.find('\n'), bytes.size());
  const std::string rest(bytes.substr(std::min(end + 1, bytes.size())));
  if (is_utf8(rest)) check(bytes.substr(0, end), rest);
  return 0;
}
