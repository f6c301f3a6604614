#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <string>

#include "deft/testing/places.h"
#include "deft_exec.h"

// The LSP tool with real language servers: clangd (Debian's package) and bash-language-server (build/npm, by ./dev).

namespace deft::testing {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr const char* kModules = DEFT_SOURCE_DIR "/build/npm/node_modules/.bin";

// Whatever a loaded machine needs.
ExecSetup patient_setup(Arguments arguments = {}) {
  arguments.insert(arguments.end(), {"--settings", R"({"lsp":{"diagnosticsWaitMs":60000}})"});
  return {.arguments = std::move(arguments),
          .environment = {"PATH=/usr/local/bin:/usr/bin:/bin:" + std::string(kModules)}};
}

class LspProject : public ::testing::Test {
 protected:
  LspProject() {
    folder.put("add.h", "#pragma once\n// Adds two numbers.\nint add(int a, int b);\n");
    folder.put("add.cc", "#include \"add.h\"\nint add(int a, int b) { return a + b; }\n");
    folder.put("main.cc",
               "#include \"add.h\"\n"
               "struct Shape { virtual int area() = 0; };\n"
               "struct Square : Shape { int area() override { return 4; } };\n"
               "int twice(int x) { return add(x, x); }  // 😀 ä\n"
               "int main() { Square s; return /* 😀 */ twice(3) + add(1, s.area()); }\n");
    std::string commands;
    for (const std::string file : {"add.cc", "main.cc"}) {
      commands += (commands.empty() ? "[" : ",") +
                  to_json(JsonObject{{"directory", folder.path()}, {"command", "c++ -c " + file}, {"file", file}});
    }
    folder.put("compile_commands.json", commands + "]");
    folder.put("greet.sh",
               "#!/bin/bash\n"
               "greet() {\n"
               "  echo \"hi $1\"\n"
               "}\n"
               "greet \"you\"\n"
               "unused=1\n");
  }

  static void ask(DeftExec& deft, std::string_view id, std::string_view operation, std::string_view file,
                  std::int64_t line = 0, std::string_view name = {}) {
    JsonObject input{{"operation", std::string(operation).c_str()}};
    if (!file.empty()) input["file_path"] = std::string(file).c_str();
    if (line > 0) input["line"] = line;
    if (!name.empty()) input["query"] = std::string(name).c_str();
    deft.call(id, "LSP", input);
  }

  TempFolder folder;
};

TEST_F(LspProject, ClangdAnswersEveryKindOfQuestionAboutAProjectThatIsNotTrusted) {
  DeftExec deft(folder, patient_setup());
  ask(deft, "definition", "goto_definition", "main.cc", 4, "add");
  ask(deft, "references", "find_references", "main.cc", 4, "add");
  ask(deft, "hover", "hover", "main.cc", 4, "add");
  ask(deft, "symbols", "document_symbols", "main.cc");
  ask(deft, "names", "workspace_symbols", "main.cc", 0, "twice");
  ask(deft, "implementation", "goto_implementation", "main.cc", 2, "area");
  ask(deft, "item", "prepare_call_hierarchy", "main.cc", 5, "twice");
  ask(deft, "callers", "incoming_calls", "main.cc", 4, "twice");
  ask(deft, "problems", "diagnostics", "main.cc");
  EXPECT_EQ(deft.finish(), 0);

  EXPECT_THAT(content(deft.result("definition")), HasSubstr("add.cc:2:5: int add(int a, int b) { return a + b; }"));
  EXPECT_THAT(content(deft.result("references")),
              AllOf(HasSubstr("references in 3 files:"), HasSubstr("main.cc:4:27: "), HasSubstr("main.cc:5:50: ")))
      << "columns are characters, also behind one that is two units";
  EXPECT_THAT(content(deft.result("hover")), AllOf(HasSubstr("Adds two numbers"), HasSubstr("int add(int a, int b)")));
  EXPECT_THAT(content(deft.result("symbols")), HasSubstr("4:5 function twice"));
  EXPECT_THAT(content(deft.result("names")), HasSubstr("main.cc:4:5: function twice"));
  EXPECT_THAT(content(deft.result("implementation")), HasSubstr("main.cc:3:29: "));
  EXPECT_THAT(content(deft.result("item")), HasSubstr("main.cc:4:5: function twice"));
  EXPECT_THAT(content(deft.result("callers")), HasSubstr("main.cc:5:5: function main, called at 5:39"));
  EXPECT_EQ(content(deft.result("problems")), "No problem was found in main.cc.");
  EXPECT_TRUE(deft.leaves_no_command());
  EXPECT_EQ(folder.names(),
            (std::vector<std::string>{"add.cc", "add.h", "compile_commands.json", "greet.sh", "main.cc"}))
      << "no index or anything else was left in the project";
}

TEST_F(LspProject, AnEditSaysWhichErrorsItHasMade) {
  DeftExec deft(folder, patient_setup(kBypass));
  deft.read("read", "main.cc");
  ask(deft, "before", "diagnostics", "main.cc");
  deft.edit("break", "main.cc", "twice(3)", "thrice(3)");
  ask(deft, "broken", "diagnostics", "main.cc");
  deft.edit("repair", "main.cc", "thrice(3)", "twice(4)");
  deft.bash("else", "sed -i 's/int twice/int thrice/' main.cc");
  ask(deft, "by someone else", "document_symbols", "main.cc");
  EXPECT_EQ(deft.finish(), 0);

  EXPECT_EQ(content(deft.result("before")), "No problem was found in main.cc.");
  EXPECT_THAT(content(deft.result("break")),
              AllOf(HasSubstr("New errors, says clangd:\nmain.cc:5:39: error: "), HasSubstr("thrice")));
  EXPECT_THAT(content(deft.result("broken")), HasSubstr("main.cc:5:39: error: "));
  EXPECT_THAT(content(deft.result("repair")), Not(HasSubstr("error")));
  EXPECT_THAT(content(deft.result("by someone else")), HasSubstr("function thrice"));
}

TEST_F(LspProject, BashLanguageServerAnswersToo) {
  DeftExec deft(folder, patient_setup());
  ask(deft, "symbols", "document_symbols", "greet.sh");
  ask(deft, "definition", "goto_definition", "greet.sh", 5, "greet");
  ask(deft, "references", "find_references", "greet.sh", 2, "greet");
  ask(deft, "problems", "diagnostics", "greet.sh");
  EXPECT_EQ(deft.finish(), 0);

  EXPECT_THAT(content(deft.result("symbols")), HasSubstr("function greet"));
  EXPECT_EQ(content(deft.result("definition")), "greet.sh:2:1: greet() {");
  EXPECT_THAT(content(deft.result("references")),
              AllOf(HasSubstr("2 references"), HasSubstr("greet.sh:5:1: greet \"you\"")));
  EXPECT_THAT(content(deft.result("problems")), HasSubstr("greet.sh:6:1: warning: unused appears unused"));
  EXPECT_TRUE(deft.leaves_no_command());
}

TEST_F(LspProject, AServerThatIsKilledIsStartedAgain) {
  DeftExec deft(folder, patient_setup());
  ask(deft, "before", "goto_definition", "main.cc", 5, "twice");
  EXPECT_THAT(content(deft.result("before")), HasSubstr("main.cc:4:5: "));
  const auto servers = deft.commands();
  EXPECT_FALSE(servers.empty());
  for (const int pid : servers) ::kill(pid, SIGKILL);
  ask(deft, "after", "goto_definition", "main.cc", 5, "twice");
  EXPECT_THAT(content(deft.result("after")), HasSubstr("main.cc:4:5: "));
  EXPECT_EQ(deft.finish(), 0);
  EXPECT_TRUE(deft.leaves_no_command());
}

TEST_F(LspProject, AServerIsGoneWhenDeftIsKilled) {
  DeftExec deft(folder, patient_setup());
  ask(deft, "one", "document_symbols", "main.cc");
  EXPECT_THAT(content(deft.result("one")), HasSubstr("function twice"));
  EXPECT_FALSE(deft.commands().empty());
  ::kill(deft.program.pid(), SIGKILL);
  EXPECT_TRUE(deft.leaves_no_command());
}

TEST_F(LspProject, WhatMayNotBeReadIsNotAskedAboutAndNotNamed) {
  ExecSetup setup = patient_setup();
  setup.arguments = {"--settings", R"x({"permissions":{"deny":["Read(add.cc)"]}})x"};
  DeftExec deft(folder, setup);
  ask(deft, "denied", "document_symbols", "add.cc");
  ask(deft, "hidden", "find_references", "main.cc", 4, "add");
  EXPECT_EQ(deft.finish(), 0);
  EXPECT_EQ(text_of(deft.result("denied"), "code"), "denied");
  EXPECT_THAT(content(deft.result("hidden")),
              AllOf(Not(HasSubstr("add.cc")), HasSubstr("in files that the rules keep from being read")));
}

TEST_F(LspProject, ItCanBeTurnedOff) {
  DeftExec deft(folder, Arguments{"--settings", R"({"lsp":{"enabled":false}})"});
  ask(deft, "off", "document_symbols", "main.cc");
  EXPECT_EQ(deft.finish(), 0);
  EXPECT_EQ(text_of(deft.result("off"), "code"), "tool_disabled");
}

}  // namespace
}  // namespace deft::testing
