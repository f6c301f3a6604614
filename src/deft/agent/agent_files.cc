#include "deft/agent/agent_files.h"

#include <algorithm>
#include <utility>

#include "deft/agent/project_folders.h"
#include "deft/config/agent_file.h"

namespace deft {
namespace {

class Search {
 public:
  Search(const AgentFilesRequest& request, Files& disk) : request_(request), disk_(disk) {}

  FoundAgentTypes run() {
    const SettingsPlaces& places = request_.places;
    if (!places.system.empty()) {
      add_folder(places.system + "/deft/agents", {.source = SettingSource::managed});
      add_folder(places.system + "/claude-code/.claude/agents", {.source = SettingSource::managed});
    }
    add_given();
    if (request_.sources.project && request_.trusted) add_project();
    if (request_.sources.user) {
      if (!places.config_home.empty()) add_folder(places.config_home + "/deft/agents", {.source = SettingSource::user});
      if (!places.claude_home.empty()) add_folder(places.claude_home + "/agents", {.source = SettingSource::user});
    }
    if (request_.sources.project && !request_.trusted) {
      for (const AgentType& type : builtin_agent_types()) taken_.push_back(type.name);
      add_project();
    }
    return std::move(found_);
  }

 private:
  void add_given() {
    if (!request_.given) return;
    auto types = read_agents_object(*request_.given);
    if (!types) return problem("--agents", types.error().message);
    for (ReadAgentType& read : *types) add(std::move(read), "--agents", SettingSource::command_line);
  }

  // The nearest first.
  void add_project() {
    for (const std::string& folder : folders_of_project()) {
      add_folder(below(folder, ".deft/agents"), {.source = SettingSource::project, .trusted = request_.trusted});
      add_folder(below(folder, ".claude/agents"), {.source = SettingSource::project, .trusted = request_.trusted});
    }
  }

  // The session's own and those above it; what is at home is the user's.
  std::vector<std::string> folders_of_project() {
    std::vector<std::string> folders = project_folders(request_.places.directory, disk_);
    folders.erase(std::ranges::find(folders, request_.places.home), folders.end());
    folders.insert(folders.end(), request_.directories.begin(), request_.directories.end());
    return folders;
  }

  struct Writer {
    SettingSource source = SettingSource::project;
    bool trusted = true;
  };

  void add_folder(const std::string& folder, const Writer& writer, std::size_t depth = 0) {
    const auto canonical = disk_.canonical(folder);
    if (!canonical) return;
    const auto names = disk_.list(*canonical, kAgentFilesPerFolderMax);
    if (!names) return;  // most folders have none
    for (const std::string& name : *names) {
      const std::string path = *canonical + "/" + name;
      const auto status = disk_.status(path);
      if (!status) continue;
      if (status->kind == FileKind::directory) {
        if (depth < kAgentFolderDepthMax) add_folder(path, writer, depth + 1);
      } else if (name.ends_with(".md")) {
        add_file(path, writer);
      }
    }
  }

  void add_file(const std::string& written, const Writer& writer) {
    if (++files_read_ > kAgentFilesPerFolderMax) return;
    const auto path = disk_.canonical(written);
    auto content = path ? disk_.read(*path, kAgentFileBytesMax) : fail(path.error().code, path.error().message);
    if (!content) return problem(written, content.error().message);
    auto read = read_agent_file(content->bytes, writer.trusted);
    if (!read) return problem(written, read.error().message);
    if (*read) add(std::move(**read), written, writer.source);
  }

  // The first of a name counts.
  void add(ReadAgentType read, const std::string& origin, SettingSource source) {
    if (std::ranges::find(taken_, read.type.name) != taken_.end()) return;
    if (found_.types.size() >= kAgentTypesMax) return problem(origin, "there are too many agent types");
    for (const std::string& note : read.notes) problem(origin, note);
    taken_.push_back(read.type.name);
    read.type.origin = origin;
    read.type.source = source;
    found_.types.push_back(std::move(read.type));
  }

  void problem(const std::string& where, const std::string& what) { found_.problems.push_back(where + ": " + what); }

  const AgentFilesRequest& request_;
  Files& disk_;
  FoundAgentTypes found_;
  std::vector<std::string> taken_;
  std::size_t files_read_ = 0;
};

}  // namespace

FoundAgentTypes find_agent_types(const AgentFilesRequest& request, Files& files) {
  return Search(request, files).run();
}

}  // namespace deft
