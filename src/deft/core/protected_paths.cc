#include "deft/core/protected_paths.h"

#include <algorithm>
#include <array>

#include "deft/base/path.h"
#include "deft/base/utf8.h"
#include "deft/shell/hidden_characters.h"

namespace deft {
namespace {

constexpr std::size_t kPathBytesMax = 4'096;

constexpr std::array<std::string_view, 14> kFolders = {".git",          ".vscode", ".idea", ".husky",  ".cargo",
                                                       ".devcontainer", ".yarn",   ".mvn",  ".claude", ".deft",
                                                       ".ssh",          ".gnupg",  ".jj",   ".hg"};
// Of two segments.
constexpr std::array<std::string_view, 5> kDeepFolders = {".config/git", ".config/deft", ".config/fish", "etc/deft",
                                                          "etc/claude-code"};
constexpr std::array<std::string_view, 42> kFiles = {".gitconfig",
                                                     ".gitmodules",
                                                     ".bashrc",
                                                     ".bash_profile",
                                                     ".bash_login",
                                                     ".bash_logout",
                                                     ".bash_aliases",
                                                     ".profile",
                                                     ".zshrc",
                                                     ".zprofile",
                                                     ".zshenv",
                                                     ".zlogin",
                                                     ".zlogout",
                                                     ".kshrc",
                                                     ".mkshrc",
                                                     ".cshrc",
                                                     ".tcshrc",
                                                     ".login",
                                                     ".logout",
                                                     ".inputrc",
                                                     ".xprofile",
                                                     ".xinitrc",
                                                     ".xsessionrc",
                                                     "config.fish",
                                                     ".envrc",
                                                     ".npmrc",
                                                     "bunfig.toml",
                                                     ".bunfig.toml",
                                                     ".pre-commit-config.yaml",
                                                     ".pre-commit-config.yml",
                                                     "gradle-wrapper.properties",
                                                     "maven-wrapper.properties",
                                                     ".devcontainer.json",
                                                     ".ripgreprc",
                                                     "pyrightconfig.json",
                                                     ".mcp.json",
                                                     ".claude.json",
                                                     ".deft.json",
                                                     ".hgrc",
                                                     ".netrc",
                                                     ".pypirc",
                                                     "managed-settings.json"};
// With anything behind them.
constexpr std::array<std::string_view, 5> kFileBeginnings = {".yarnrc", ".pnp", ".bazel", "lefthook.", ".lefthook"};

std::string lower(std::string_view text) {
  std::string out(text);
  for (char& c : out) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return out;
}

// Worktrees are ordinary trees, and what agents remember are ordinary notes: how much of the rest is passed over; 0: it
// is neither.
std::size_t ordinary_below(std::string_view rest) {
  for (const std::string_view folder : {"/worktrees", "/agent-memory", "/agent-memory-local"}) {
    if (is_at_or_below(rest, folder)) return folder.size() + 1;
  }
  return 0;
}

bool holds(const auto& names, std::string_view name) { return std::ranges::find(names, name) != names.end(); }

}  // namespace

// Case is ignored: some file systems do.
std::optional<std::string> protected_name(std::string_view path) {
  const std::string folded = lower(path);
  std::string_view before;  // the segment before this one
  for (std::size_t start = 1; start < folded.size();) {
    const std::size_t slash = std::min(folded.find('/', start), folded.size());
    const std::string_view segment = std::string_view(folded).substr(start, slash - start);
    if (segment == ".claude" || segment == ".deft") {
      const auto ordinary = ordinary_below(std::string_view(folded).substr(slash));
      if (ordinary > 0) {
        start = slash + ordinary;
        before = {};
        continue;
      }
    }
    if (holds(kFolders, segment)) return std::string(segment);
    const std::string pair = std::string(before) + "/" + std::string(segment);
    if (holds(kDeepFolders, pair)) return pair;
    before = segment;
    start = slash + 1;
  }
  const std::string_view name = file_name(folded);
  if (holds(kFiles, name)) return std::string(name);
  const auto begins = [&](std::string_view beginning) { return name.starts_with(beginning); };
  if (std::ranges::any_of(kFileBeginnings, begins)) return std::string(name);
  return std::nullopt;
}

std::optional<std::string> suspicious_path(std::string_view path, bool is_written) {
  if (path.size() > kPathBytesMax) return "the path is too long";
  if (!is_utf8(path)) return "the path is not valid UTF-8";
  const auto is_control = [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; };
  if (std::ranges::any_of(path, is_control)) return "the path holds a control character";
  if (!is_written) return std::nullopt;
  // Whoever is shown the path sees another one.
  if (const auto hidden = shell::find_hidden_character(path)) return "the path holds a hidden character: " + *hidden;
  for (const std::string_view folder :
       {std::string_view("/dev"), std::string_view("/proc"), std::string_view("/sys")}) {
    if (is_at_or_below(path, folder) && path != "/dev/null") return "it writes to " + std::string(folder);
  }
  return std::nullopt;
}

}  // namespace deft
