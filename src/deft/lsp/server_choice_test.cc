#include "deft/lsp/server_choice.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "deft/lsp/server_table.h"
#include "deft/os/disk_files.h"
#include "deft/testing/temp_folder.h"

namespace deft::lsp {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

// A machine with programs in two folders of PATH, one of them the project's own, and a project.
struct ServerChoice : ::testing::Test {
  ServerChoice() {
    ground.directories = {project.path()};
    ground.environment = {"PATH=relative:" + (project / "bin") + ":" + machine.path() + "::/nowhere", "HOME=/h"};
    ground.can_restrict = true;
  }
  void install(const TempFolder& folder, std::string_view name) { folder.put(name, "#!/bin/sh\n", 0755); }
  void trust() { ground.trusted = {project.path()}; }
  Result<ServerStart> choose(std::string_view file) { return choose_server(project / file, ground, files); }
  std::string problem(std::string_view file) {
    const auto chosen = choose(file);
    return chosen ? "" : chosen.error().message;
  }

  TempFolder machine;
  TempFolder project;
  DiskFiles files;
  ChoiceGround ground;
};

TEST_F(ServerChoice, AProgramComesFromThePathAndNeverFromTheProject) {
  install(project, "bin/clangd");
  EXPECT_THAT(problem("a.cc"), AllOf(HasSubstr("No language server for a.cc"), HasSubstr("apt install clangd")));
  install(machine, "clangd");
  const ServerStart start = choose("a.cc").value();
  EXPECT_EQ(start.command.argv.front(), machine / "clangd");
  EXPECT_THAT(start.command.environment, Contains("PATH=" + machine.path() + ":/nowhere"))
      << "nor does the server find anything there";
  EXPECT_EQ(start.command.directory, project.path());
}

TEST_F(ServerChoice, OneThatLeadsIntoAnUntrustedProjectIsNotRun) {
  install(project, "tools/clangd");
  std::filesystem::create_symlink(project / "tools/clangd", machine / "clangd");
  EXPECT_THAT(problem("a.cc"), HasSubstr("is not trusted"));
  trust();
  EXPECT_EQ(choose("a.cc").value().command.argv.front(), machine / "clangd");
}

TEST_F(ServerChoice, AnotherNameOfTheSameProgramWillDo) {
  install(machine, "clangd-19");
  EXPECT_EQ(choose("a.cc").value().command.argv.front(), machine / "clangd-19");
}

TEST_F(ServerChoice, OfSeveralTheFirstThatIsThereIsTaken) {
  trust();
  install(machine, "pylsp");
  EXPECT_EQ(choose("a.py").value().spec.name, "pylsp");
  install(machine, "pyright-langserver");
  const ServerStart start = choose("a.py").value();
  EXPECT_EQ(start.spec.name, "pyright");
  EXPECT_THAT(start.command.argv, ElementsAre(machine / "pyright-langserver", "--stdio"));
}

TEST_F(ServerChoice, WhatMayRunCodeOfTheProjectNeedsTrust) {
  for (const char* program : {"typescript-language-server", "pyright-langserver", "gopls", "rust-analyzer"}) {
    install(machine, program);
  }
  for (const char* file : {"a.ts", "a.py", "a.go", "a.rs"}) {
    EXPECT_THAT(problem(file), AllOf(HasSubstr("may run code of the project"), HasSubstr("deft trust"))) << file;
  }
  trust();
  for (const char* file : {"a.ts", "a.py", "a.go", "a.rs"}) EXPECT_TRUE(choose(file)) << file;
}

TEST_F(ServerChoice, TrustInOneFolderIsNoneInAnother) {
  install(machine, "gopls");
  const TempFolder other;
  ground.directories.push_back(other.path());
  trust();
  EXPECT_TRUE(choose("a.go"));
  EXPECT_EQ(choose_server(other / "a.go", ground, files).error().code, Errc::denied);
}

TEST_F(ServerChoice, WhatOnlyReadsRunsSoThatItCanChangeNothingAndWithoutTrustOnlySo) {
  install(machine, "clangd");
  EXPECT_EQ(choose("a.cc").value().command.restriction, Restriction::read_only);
  ground.can_restrict = false;
  EXPECT_THAT(problem("a.cc"), HasSubstr("cannot keep clangd from changing files"));
  trust();
  EXPECT_EQ(choose("a.cc").value().command.restriction, Restriction::none);
}

TEST_F(ServerChoice, AProjectIsTheNearestFolderWithAMarkerWithinTheSessionsDirectory) {
  project.put("go.mod", "");
  project.put("sub/go.mod", "");
  project.put("sub/x/a.go", "");
  const LanguageServerSpec gopls = *servers_for("a.go", {}).at(0);
  const LanguageServerSpec clangd = *servers_for("a.cc", {}).at(0);
  EXPECT_EQ(root_for(project / "sub/x/a.go", gopls, ground.directories, files), project / "sub");
  EXPECT_EQ(root_for(project / "other/a.go", gopls, ground.directories, files), project.path());
  EXPECT_EQ(root_for(project / "sub/x/a.cc", clangd, ground.directories, files), project.path());
  EXPECT_EQ(root_for("/usr/include/stdio.h", clangd, ground.directories, files), project.path());
  EXPECT_EQ(root_for(project / "sub/x/a.go", gopls, {project.path(), project / "sub/x"}, files), project / "sub/x")
      << "what is above it belongs to somebody else";
}

TEST_F(ServerChoice, AnAbsoluteProgramThatIsNotThereIsNotInstalled) {
  LanguageServerSpec spec{.name = "mine", .programs = {machine / "mine"}};
  spec.languages[".mine"] = "mine";
  spec.environment = {"MINE=1"};
  ground.configured = {spec};
  trust();
  EXPECT_THAT(problem("a.mine"), HasSubstr("install " + (machine / "mine")));
  machine.put("mine", "no program", 0644);
  EXPECT_THAT(problem("a.mine"), Not(::testing::IsEmpty()));
  install(machine, "mine");
  EXPECT_THAT(choose("a.mine").value().command.environment, Contains("MINE=1"));
}

}  // namespace
}  // namespace deft::lsp
