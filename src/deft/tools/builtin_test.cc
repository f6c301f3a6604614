#include "deft/tools/builtin.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <map>

#include "deft/os/disk_files.h"
#include "deft/os/warden_processes.h"
#include "deft/testing/places.h"
#include "deft/testing/temp_folder.h"
#include "deft/testing/tool_bench.h"
#include "deft/tools/apply_patch.h"
#include "deft/tools/registry.h"

// What holds for every tool that comes with deft, whatever it does.

namespace deft {
namespace {

namespace fs = std::filesystem;

std::shared_ptr<const ToolPool> pool_of(ToolRegistry& registry, std::vector<std::shared_ptr<Tool>> tools) {
  for (auto& tool : tools) {
    const auto added = registry.add(std::move(tool));
    EXPECT_TRUE(added.has_value()) << added.error().message;
  }
  return registry.pool(Permissions({}, Mode::normal, {}));
}

TEST(BuiltinTools, APlainSessionHasThePoolOfTheGoldenFileInItsOrder) {
  ToolRegistry registry;
  std::string names;
  const auto pool = pool_of(registry, make_builtin_tools());
  for (const RegisteredTool& entry : pool->advertised()) {
    names += entry.tool->spec().name + "\n";
  }
  const fs::path golden = fs::path(DEFT_SOURCE_DIR) / "tests/fixtures/tools/plain_pool.txt";
  std::ifstream file(golden);
  const std::string expected(std::istreambuf_iterator<char>(file), {});
  EXPECT_EQ(names, expected) << "if this is meant: write the names above into " << golden;
}

TEST(BuiltinTools, EverySchemaCompiles) {
  ToolRegistry registry;
  const auto pool = pool_of(registry, make_builtin_tools());
  for (const RegisteredTool& entry : pool->advertised()) {
    const Result<Schema>& schema = entry.form->input_schema();
    EXPECT_TRUE(schema) << entry.tool->spec().name << ": " << schema.error().message;
  }
}

TEST(BuiltinTools, TheSameToolsGiveTheSameDefinitionsByteForByte) {
  ToolRegistry first;
  ToolRegistry second;
  auto reversed = make_builtin_tools();
  std::ranges::reverse(reversed);
  EXPECT_EQ(pool_of(first, make_builtin_tools())->definitions({}),
            pool_of(second, std::move(reversed))->definitions({}));
}

// Every tool with everything that it needs, in a folder of the test's own.
struct AllTools {
  AllTools() {
    folder.put("bin/pwsh", "#!/bin/sh\nexit 0\n", 0755);
    project.put("a.txt", "one\ntwo\n");
    project.put("src/b.cc", "int main() {}\n");
    project.put("n.ipynb",
                R"({"cells":[{"cell_type":"code","id":"c1","metadata":{},"outputs":[],"source":"x"}],"metadata":{},)"
                R"("nbformat":4,"nbformat_minor":5})");
    tools = make_builtin_tools(
        {.bash = {.profile = UseProfile::never},
         .web_search = {.provider = "searxng", .url = "http://127.0.0.1:1/"},
         .schedule = std::make_shared<SharedSchedule>(
             SharedSchedule::Parts{.clock = clock,
                                   .offset = [](std::int64_t) { return std::int64_t{0}; },
                                   .durable_file = folder / "schedules.json"}),
         .monitor = {.sink = [](const MonitorEvent&) {}},
         .remote_targets = {{.host = "ci.test", .variable = "", .token = ""}},
         .advisor = {.ask = [](const std::string&, std::stop_token) -> Result<Advice> { return Advice{"well", 1}; }},
         .powershell = folder / "bin/pwsh"});
    tools.push_back(make_apply_patch_tool());
  }
  Tool* find(std::string_view name) const {
    for (const auto& tool : tools) {
      if (tool->spec().name == name) return tool.get();
    }
    return nullptr;
  }

  TempFolder folder;
  TempFolder project;
  SystemClock clock;
  std::vector<std::shared_ptr<Tool>> tools;
};

// What each declares, for an input as models send it. Letters: r only reads, s touches only the session, d cannot be
// undone, i ends when the user interrupts, l may be left out of the first prompt, a never, c a failure ends its
// siblings. Then what it touches.
struct Declared {
  const char* tool;
  const char* input;  // @ is the project's folder
  const char* letters;
  const char* touches;
};
constexpr std::array<Declared, 37> kDeclared = {{
    {"Advisor", R"({"question":"q"})", "rsi", "nothing"},
    {"AskUserQuestion", R"({"questions":[]})", "s", "everything"},
    {"Bash", R"({"command":"ls"})", "rac", "reads below /, session:read"},
    {"Bash", R"({"command":"touch x"})", "ac", "everything"},
    {"CronCreate", R"({"cron":"0 9 * * *","prompt":"p"})", "sl", "session:write"},
    {"CronCreate", R"({"cron":"0 9 * * *","prompt":"p","durable":true})", "l", "session:write"},
    {"CronDelete", R"({"id":"x"})", "sl", "session:write"},
    {"CronList", R"({})", "rsil", "session:read"},
    {"Edit", R"({"file_path":"@/a.txt","old_string":"one","new_string":"1"})", "", "writes @/a.txt, reads @/a.txt"},
    {"EnterPlanMode", R"({})", "s", "everything"},
    {"EnterWorktree", R"({})", "l", "everything"},
    {"ExitPlanMode", R"({})", "s", "everything"},
    {"ExitWorktree", R"({"action":"keep"})", "sl", "everything"},
    {"Glob", R"({"pattern":"*"})", "ri", "reads below /, session:read"},
    {"Grep", R"({"pattern":"x"})", "ri", "reads below /, session:read"},
    {"Monitor", R"({"command":"tail -n1 a.txt","description":"d"})", "rl", "reads below /, session:read"},
    {"Monitor", R"({"command":"touch x","description":"d"})", "l", "everything"},
    {"NotebookEdit", R"({"notebook_path":"@/n.ipynb","new_source":"y","cell_id":"c1"})", "", "writes @/n.ipynb"},
    {"PowerShell", R"({"command":"Get-ChildItem"})", "rc", "reads below /, session:read"},
    {"PowerShell", R"({"command":"Remove-Item x"})", "c", "everything"},
    {"Read", R"({"file_path":"@/a.txt"})", "ri", "reads @/a.txt"},
    {"RemoteTrigger", R"({"url":"https://ci.test/"})", "dl", "network:write"},
    {"ScheduleWakeup", R"({"delaySeconds":60,"prompt":"p"})", "sl", "session:write"},
    {"Skill", R"({"skill":"x"})", "a", "everything"},
    {"Sleep", R"({"seconds":0})", "rsi", "nothing"},
    {"TaskCreate", R"({"subject":"s","description":"d"})", "sl", "session:write"},
    {"TaskGet", R"({"taskId":"1"})", "rsil", "session:read"},
    {"TaskList", R"({})", "rsil", "session:read"},
    {"TaskOutput", R"({"task_id":"b1"})", "rsi", "session:read"},
    {"TaskStop", R"({"task_id":"b1"})", "s", "session:write"},
    {"TaskUpdate", R"({"taskId":"1"})", "sl", "session:write"},
    {"TodoWrite", R"({"todos":[]})", "s", "session:write"},
    {"ToolSearch", R"({"query":"x"})", "rsa", "nothing"},
    {"WebFetch", R"({"url":"https://x.example/","prompt":"p"})", "ri", "network:read"},
    {"WebSearch", R"({"query":"xy"})", "ri", "network:read"},
    {"Write", R"({"file_path":"@/new.txt","content":"x"})", "", "writes @/new.txt"},
    {"apply_patch",
     R"({"input":"*** Begin Patch\n*** Add File: @/p.txt\n+x\n*** Delete File: @/a.txt\n*** End Patch\n"})", "",
     "writes @/p.txt, writes @/a.txt, reads @/a.txt"},
}};

std::string letters_of(const Tool& tool, const Json& input, const SessionView& session) {
  const ToolSpec& spec = tool.spec();
  std::string letters;
  if (tool.is_read_only(input, session)) letters += 'r';
  if (tool.is_session_only(input)) letters += 's';
  if (tool.is_destructive(input)) letters += 'd';
  if (spec.on_interrupt == OnInterrupt::cancel) letters += 'i';
  if (spec.should_defer) letters += 'l';
  if (spec.always_load) letters += 'a';
  if (spec.failure_cancels_siblings) letters += 'c';
  return letters;
}

std::string touched_by(const Tool& tool, const Json& input, const SessionView& session, const std::string& folder) {
  const auto footprint = tool.footprint(input, session);
  if (!footprint) return tool.is_concurrency_safe(input, session) ? "beside others" : "alone";
  if (footprint->is_everything()) return "everything";
  if (footprint->is_nothing()) return "nothing";
  std::vector<std::string> parts;
  for (const auto& [path, use] : footprint->paths()) {
    const char* word = use == Footprint::PathUse::write  ? "writes "
                       : use == Footprint::PathUse::read ? "reads "
                                                         : "reads below ";
    parts.push_back(word + (path.starts_with(folder) ? "@" + path.substr(folder.size()) : path));
  }
  const auto add = [&](const char* what, Footprint::Use use) {
    if (use != Footprint::Use::none)
      parts.push_back(what + std::string(use == Footprint::Use::read ? "read" : "write"));
  };
  add("session:", footprint->session());
  add("network:", footprint->network());
  std::string text;
  for (const std::string& part : parts) text += (text.empty() ? "" : ", ") + part;
  return text;
}

Json input_of(const Declared& row, const std::string& folder) {
  std::string text = row.input;
  for (std::size_t at = text.find('@'); at != std::string::npos; at = text.find('@', at + folder.size())) {
    text.replace(at, 1, folder);
  }
  return parse_json(text).value();
}

TEST(BuiltinTools, DeclareWhatTheTableSays) {
  const AllTools all;
  const SessionState state{.working_directory = all.project.path(), .directories = {all.project.path()}, .files = {}};
  const SessionView session(state, {});
  std::map<std::string, int> rows;
  for (const Declared& row : kDeclared) {
    const Tool* tool = all.find(row.tool);
    ASSERT_NE(tool, nullptr) << row.tool;
    ++rows[row.tool];
    const Json input = input_of(row, all.project.path());
    EXPECT_EQ(letters_of(*tool, input, session), row.letters) << row.tool << " " << row.input;
    EXPECT_EQ(touched_by(*tool, input, session, all.project.path()), row.touches) << row.tool << " " << row.input;
    EXPECT_FALSE(tool->render_use(input).empty()) << row.tool;
    EXPECT_EQ(tool->render_use(input).find('\n'), std::string::npos) << row.tool << ": one line for people";
    EXPECT_FALSE(tool->spec().search_hint.empty()) << row.tool;
    const auto footprint = tool->footprint(input, session);
    if (tool->is_read_only(input, session) && footprint) {
      for (const auto& [path, use] : footprint->paths()) {
        EXPECT_NE(use, Footprint::PathUse::write) << row.tool << " says that it only reads, and writes " << path;
      }
    }
  }
  for (const auto& tool : all.tools) EXPECT_EQ(rows.count(tool->spec().name), 1U) << tool->spec().name << " has no row";
}

// Every entry below the folder with all that can be seen of it.
std::map<std::string, std::string> tree_of(const std::string& folder) {
  std::map<std::string, std::string> tree;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    std::string bytes;
    if (entry.is_regular_file()) {
      std::ifstream file(entry.path(), std::ios::binary);
      bytes.assign(std::istreambuf_iterator<char>(file), {});
    }
    tree[entry.path().string()] = std::to_string(static_cast<unsigned>(entry.status().permissions())) + " " +
                                  std::to_string(entry.last_write_time().time_since_epoch().count()) + " " + bytes;
  }
  return tree;
}

TEST(BuiltinTools, WhatClaimsToOnlyReadChangesNothing) {
  AllTools all;
  SystemClock clock;
  WardenProcesses processes{clock};
  DiskFiles files{Survives::killed, all.folder.path()};
  ToolBench bench(files, all.project.path());
  bench.use(processes);
  const SessionView session(bench.session(), {});
  const auto before = tree_of(all.project.path());
  int run = 0;
  for (const Declared& row : kDeclared) {
    Tool& tool = *all.find(row.tool);
    const Json input = input_of(row, all.project.path());
    if (!tool.is_read_only(input, session) || row.tool == std::string_view("WebFetch")) continue;
    static_cast<void>(bench.call(tool, input));
    EXPECT_EQ(tree_of(all.project.path()), before) << row.tool << " " << row.input;
    ++run;
  }
  EXPECT_GT(run, 10);
  all.tools.clear();  // what they have running in the background ends before what it works with
}

}  // namespace
}  // namespace deft
