#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "deft/base/result.h"
#include "deft/lsp/language_server.h"
#include "deft/os/files.h"

namespace deft::lsp {

// What there is to choose from, and where.
struct ChoiceGround {
  std::vector<std::string> directories;          // of the session, canonical; the working directory's first
  std::vector<std::string> trusted{};            // folders whose own code may run
  std::vector<LanguageServerSpec> configured{};  // beside those that deft knows
  std::vector<std::string> environment{};        // of commands: where programs are looked for
  bool can_restrict = false;                     // the system can run a program so that it changes nothing
};

// The folder that a server for this file is started in: the nearest one above it that holds one of the server's
// markers, within the session's directory that the file is in; else that directory itself.
std::string root_for(std::string_view path, const LanguageServerSpec& spec, const std::vector<std::string>& directories,
                     Files& files);

// How to start the server for a file. A program comes from an absolute directory of PATH that does not belong to the
// session's directories, never from the project. In a folder that is not trusted only a server runs that runs nothing
// of the project, and only where it can be kept from changing anything. The error says what to install or to do.
Result<ServerStart> choose_server(const std::string& path, const ChoiceGround& ground, Files& files);

}  // namespace deft::lsp
