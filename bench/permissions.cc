// What a decision costs with ten thousand rules. The floor is the same decision with none.
#include <string>

#include "deft/core/permission.h"
#include "measure.h"

namespace {

using namespace deft;

constexpr int kRules = 10'000;
constexpr int kDecisions = 200;

PermissionRules many_rules() {
  PermissionRules rules;
  for (int i = 0; i < kRules / 5; ++i) {
    const std::string n = std::to_string(i);
    rules.allow.push_back(read_rule("Bash(tool" + n + " run *)"));
    rules.deny.push_back(read_rule("Bash(danger" + n + ":*)"));
    rules.deny.push_back(read_rule("Read(secret" + n + "/**)"));
    rules.allow.push_back(read_rule("Edit(src/part" + n + "/*.cc)"));
    rules.ask.push_back(read_rule("mcp__server" + n + "__write_*"));
  }
  return rules;
}

double cost(const Permissions& permissions, const std::string& tool, const Json& input) {
  return bench::fastest(5,
                        [&] {
                          for (int i = 0; i < kDecisions; ++i) {
                            if (permissions.decide({.tool = tool, .input = &input}).reason.empty()) std::abort();
                          }
                        }) /
         kDecisions;
}

}  // namespace

int main() {
  const Permissions none({}, Mode::normal, {"/project"});
  const Permissions many(many_rules(), Mode::normal, {"/project"});
  const auto compare = [&](std::string_view what, const std::string& tool, const Json& input) {
    bench::print_ratio(what, cost(many, tool, input), "without rules", cost(none, tool, input));
  };
  compare("10,000 rules: a shell command", "Bash", JsonObject{{"command", "tool77 run --fast a.cc && ls -l | head"}});
  compare("10,000 rules: an edit", "Edit", JsonObject{{"file_path", "/project/src/part77/x.cc"}});
  compare("10,000 rules: an MCP tool", "mcp__server77__write_all", JsonObject{});
  compare("10,000 rules: a tool without rules", "TodoWrite", JsonObject{});
  const double built =
      bench::fastest(3, [] { const Permissions built_anew(many_rules(), Mode::normal, {"/project"}); });
  std::printf("%-52s %10.2f ms\n", "reading 10,000 rules", built * 1e3);
}
