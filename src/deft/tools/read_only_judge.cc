#include "deft/tools/read_only_judge.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <utility>

#include "deft/base/content_hash.h"
#include "deft/shell/commands.h"
#include "deft/shell/named_paths.h"
#include "deft/shell/parse.h"

namespace deft {
namespace {

constexpr std::size_t kJudgementsKeptMax = 1'000;

std::optional<std::string> read_file(const std::string& path) {
  std::error_code ec;
  if (!std::filesystem::is_regular_file(path, ec)) return std::nullopt;
  std::ifstream file(path, std::ios::binary);
  if (!file) return std::nullopt;
  const std::uintmax_t size = std::filesystem::file_size(path, ec);
  std::string text(static_cast<std::size_t>(std::min<std::uintmax_t>(size, shell::kViewedBytesMax + 1)), '\0');
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<std::size_t>(file.gcount()));
  return text;
}

std::optional<std::string> real_path(const std::string& path) {
  std::error_code ec;
  const auto canonical = std::filesystem::canonical(path, ec);
  if (ec) return std::nullopt;
  return canonical.string();
}

std::string home() {
  const char* path = std::getenv("HOME");
  return path && *path == '/' ? path : "";
}

}  // namespace

shell::FileView file_view_of_disk() { return {.read = read_file, .real_path = real_path}; }

ReadOnlyJudge::Judgement ReadOnlyJudge::judge(std::string_view command, const SessionView& session) const {
  const std::string directory(session.working_directory());
  std::string key = directory + '\0' + std::string(command);
  {
    const std::lock_guard lock(mutex_);
    if (refused_.contains(content_hash(command))) return {};
    if (const auto known = judgements_.find(key); known != judgements_.end()) return known->second;
  }
  bool depends_on_files = false;
  Judgement judgement = judge_anew(command, directory, depends_on_files);
  if (depends_on_files) return judgement;
  const std::lock_guard lock(mutex_);
  if (judgements_.size() >= kJudgementsKeptMax) judgements_.clear();
  judgements_.emplace(std::move(key), judgement);
  return judgement;
}

ReadOnlyJudge::Judgement ReadOnlyJudge::judge_anew(std::string_view command, std::string_view directory,
                                                   bool& depends_on_files) const {
  shell::FileView files = file_view_of_disk();
  shell::ClassifyOptions options{.cwd = std::string(directory), .home = home(), .files = {}};
  options.files.read = [&](const std::string& path) {
    depends_on_files = true;
    return files.read(path);
  };
  options.files.real_path = [&](const std::string& path) {
    depends_on_files = true;
    return files.real_path(path);
  };
  const auto script = shell::parse(command);
  if (!script) return {};
  const shell::Commands commands = shell::commands_of(*script, {.cwd = options.cwd, .home = options.home});
  if (!shell::classify(command, options).read_only) return {};
  return {.read_only = true, .paths = shell::touched_paths(commands)};
}

void ReadOnlyJudge::was_refused(std::string_view command) {
  const std::lock_guard lock(mutex_);
  refused_.insert(content_hash(command));
}

}  // namespace deft
