#include <gtest/gtest.h>

#include "deft/testing/places.h"
#include "deft/testing/program.h"
#include "deft/testing/temp_folder.h"
#include "property_run.h"
#include "seeds.h"

// The same through the program that users run: everything at once against one call after another.

namespace deft::testing {
namespace {

constexpr std::size_t kProgramRunsDefault = 30;  // it adds little to what the engine's own runs show

std::string lines_of(const std::vector<PropertyMessage>& messages, const std::string& folder) {
  std::string lines;
  for (const PropertyMessage& message : messages) {
    for (const PropertyCall& call : message) {
      lines +=
          to_json(JsonObject{{"type", "tool_use"}, {"id", call.id}, {"name", call.tool}, {"input", call.input}}) + "\n";
    }
    lines += "{\"type\":\"end\"}\n";
  }
  return with_folder(lines, folder);
}

Outcome run_program(const std::vector<PropertyMessage>& messages, const std::vector<std::string>& arguments) {
  const TempFolder folder;
  plant_tree(folder.path());
  std::vector<std::string> argv = {DEFT_PROGRAM, "exec", "--permission-mode", "bypassPermissions"};
  argv.insert(argv.end(), arguments.begin(), arguments.end());
  Program program({.argv = std::move(argv),
                   .environment = {"PATH=/usr/bin:/bin", "SHLVL=1", "DEFT_ALLOW_ROOT_BYPASS=1"},
                   .directory = folder.path()});
  program.write(lines_of(messages, folder.path()));
  program.close_input();

  Outcome outcome;
  while (const auto line = program.read_line()) {
    const Json json = parse_json(*line).value();
    if (find_string(json, "type") != "tool_result") continue;
    const std::string text = to_json(*find(json, "content")) + to_json(*find(json, "is_error"));
    outcome.answers.push_back({std::string(find_string(json, "tool_use_id").value_or("")),
                               std::string(find_string(json, "name").value_or("")),
                               without_folder(text, folder.path())});
  }
  EXPECT_EQ(program.wait(), 0);
  outcome.tree = tree_below(folder.path());
  return outcome;
}

TEST(SerialEquivalence, HoldsForTheProgram) {
  for_every_seed(
      [](std::uint64_t seed) {
        const auto messages = random_messages(seed);
        const Outcome serial = run_program(messages, {"--max-concurrency", "1", "--settings",
                                                      R"({"scheduling":"exclusive","cancelSiblingsOnFailure":"off"})"});
        return difference(serial, run_program(messages, {"--settings", R"({"cancelSiblingsOnFailure":"off"})"}));
      },
      kProgramRunsDefault);
}

}  // namespace
}  // namespace deft::testing
