#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "deft/lsp/language_servers.h"
#include "deft/lsp/lsp_tool.h"
#include "deft/os/disk_files.h"
#include "deft/os/warden_processes.h"
#include "deft/testing/temp_folder.h"
#include "deft/testing/tool_bench.h"

namespace deft::testing {

// A project on the disk, the LSP tool and the language servers of a session, as real processes. The fake server of
// tests/fixtures/lsp is for files that end with ".fake", unless the test says otherwise.
class LspBench {
 public:
  struct Options {
    std::vector<std::string> arguments = {};  // of the fake server
    LspSettings settings = {};                // beside the fake server
    PermissionRules rules = {};
    bool trusted = true;
  };
  LspBench() : LspBench(Options()) {}
  explicit LspBench(Options options);

  // The text of the answer, or of the error.
  std::string ask(std::string_view operation, std::string_view file, std::size_t line = 0, std::size_t column = 0,
                  std::string_view query = {});
  Result<ToolResult> call(const Json& input) { return bench.call(*tool, input); }
  // What the observer of changes says after this file was changed.
  std::string look_at(std::string_view file);
  // What the fake server was told so far, one message in each line.
  std::string log() const { return folder.bytes("server.log").value_or(""); }

  TempFolder outside;  // of the session
  TempFolder folder;
  SystemClock clock;
  DiskFiles files;
  WardenProcesses processes{clock};
  ToolBench bench{files, folder.path()};
  // Destroyed before the processes.
  std::shared_ptr<lsp::LanguageServers> servers;
  std::shared_ptr<Tool> tool;
};

}  // namespace deft::testing
