#include "deft/lsp/server_choice.h"

#include <algorithm>
#include <utility>

#include "deft/base/path.h"
#include "deft/base/text.h"
#include "deft/lsp/server_table.h"
#include "deft/os/command_file.h"

namespace deft::lsp {
namespace {

bool is_below_any(std::string_view path, const std::vector<std::string>& folders) {
  return std::ranges::any_of(folders, [&](const std::string& folder) { return is_at_or_below(path, folder); });
}

// The directory of the session that holds the file: the innermost of several.
std::string directory_of(std::string_view path, const std::vector<std::string>& directories) {
  std::string found;
  for (const std::string& directory : directories) {
    if (is_at_or_below(path, directory) && directory.size() > found.size()) found = directory;
  }
  if (!found.empty()) return found;
  return directories.empty() ? std::string(parent_path(path)) : directories.front();
}

// Without the directories of PATH that belong to the project: what stands there is the project's choice, for our
// search and for that of the server.
std::vector<std::string> outside_environment(const ChoiceGround& ground, const LanguageServerSpec& spec, Files& files) {
  constexpr std::string_view kPath = "PATH=";
  std::vector<std::string> environment;
  for (const std::string& variable : ground.environment) {
    if (!variable.starts_with(kPath)) {
      environment.push_back(variable);
      continue;
    }
    std::vector<std::string> kept;
    std::string_view rest = std::string_view(variable).substr(kPath.size());
    while (!rest.empty()) {
      const std::string_view folder = rest.substr(0, rest.find(':'));
      rest.remove_prefix(std::min(rest.size(), folder.size() + 1));
      if (!folder.starts_with('/')) continue;
      const auto canonical = files.canonical(folder);
      if (canonical && !is_below_any(*canonical, ground.directories)) kept.emplace_back(folder);
    }
    environment.push_back(std::string(kPath) + join(kept, ":"));
  }
  environment.insert(environment.end(), spec.environment.begin(), spec.environment.end());
  return environment;
}

// The search looks at names only, an absolute path is taken as it is.
bool is_there(const std::string& program, Files& files) {
  const auto canonical = files.canonical(program);
  const auto status = canonical ? files.status(*canonical) : Result<FileStatus>(FileStatus{});
  return status && status->kind == FileKind::regular && (status->mode & 0111U) != 0;
}

// A link in /usr/local/bin may lead into the project.
bool is_of_project(const std::string& program, const ChoiceGround& ground, Files& files) {
  const auto canonical = files.canonical(program);
  return !canonical || is_below_any(*canonical, ground.directories);
}

Error not_installed(std::string_view path, const std::vector<const LanguageServerSpec*>& specs) {
  std::string wanted;
  for (const LanguageServerSpec* spec : specs) {
    if (!wanted.empty()) wanted += ", or ";
    wanted += spec->programs.front();
    if (!spec->install.empty()) wanted += " (" + spec->install + ")";
  }
  return {Errc::not_found, "No language server for " + std::string(file_name(path)) +
                               " is on this machine: ask the user to install " + wanted + ". Use Grep meanwhile."};
}

Error not_trusted(const LanguageServerSpec& spec, const std::string& root) {
  return {Errc::denied, spec.name + " may run code of the project, and " + root +
                            " is not trusted: ask the user to run `deft trust` there. Use Grep meanwhile."};
}

}  // namespace

std::string root_for(std::string_view path, const LanguageServerSpec& spec, const std::vector<std::string>& directories,
                     Files& files) {
  const std::string directory = directory_of(path, directories);
  if (spec.root_markers.empty() || !is_at_or_below(path, directory)) return directory;
  for (std::string folder(parent_path(path)); is_at_or_below(folder, directory);
       folder = std::string(parent_path(folder))) {
    for (const std::string& marker : spec.root_markers) {
      const auto status = files.status((folder == "/" ? "/" : folder + "/") + marker);
      if (status && status->kind == FileKind::regular) return folder;
    }
    if (folder == "/") break;
  }
  return directory;
}

Result<ServerStart> choose_server(const std::string& path, const ChoiceGround& ground, Files& files) {
  const std::vector<const LanguageServerSpec*> specs = servers_for(path, ground.configured);
  if (specs.empty()) {
    return fail(Errc::unsupported, "No language server is known for " + std::string(file_name(path)) +
                                       ". Known are: " + known_languages(ground.configured) +
                                       ". Others are named in the settings, under lsp.servers. Use Grep instead.");
  }
  std::optional<Error> refused;
  for (const LanguageServerSpec* candidate : specs) {
    const LanguageServerSpec& spec = *candidate;
    const std::string root = root_for(path, spec, ground.directories, files);
    const bool is_trusted = is_below_any(root, ground.trusted);
    std::vector<std::string> environment = outside_environment(ground, spec, files);
    for (const std::string& name : spec.programs) {
      auto program = find_program(name, environment);
      if (!program) continue;
      if (!is_there(*program, files)) continue;
      if (!is_trusted && (spec.runs_project_code || is_of_project(*program, ground, files))) {
        if (!refused) refused = not_trusted(spec, root);
        break;
      }
      const bool restricted = spec.works_read_only && ground.can_restrict;
      if (!is_trusted && !restricted) {
        if (!refused) {
          refused = Error{Errc::denied, "This system cannot keep " + spec.name + " from changing files, and " + root +
                                            " is not trusted: ask the user to run `deft trust` there."};
        }
        break;
      }
      Command command{.argv = {std::move(*program)},
                      .environment = std::move(environment),
                      .directory = root,
                      .separate_errors = true,
                      .restriction = restricted ? Restriction::read_only : Restriction::none};
      command.argv.insert(command.argv.end(), spec.arguments.begin(), spec.arguments.end());
      return ServerStart{.spec = spec, .root = root, .command = std::move(command)};
    }
  }
  if (refused) return std::unexpected(*refused);
  return std::unexpected(not_installed(path, specs));
}

}  // namespace deft::lsp
