#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "deft/base/glob.h"
#include "deft/config/settings_files.h"
#include "deft/os/files.h"

namespace deft {

inline constexpr std::size_t kMemoryFileBytesMax = std::size_t{4} << 20;
inline constexpr std::size_t kMemoryFilesMax = 500;
inline constexpr std::size_t kMemoryBytesMax = std::size_t{8} << 20;  // of all together
inline constexpr std::size_t kImportDepthMax = 4;
inline constexpr std::size_t kRuleFolderDepthMax = 8;

// What people have written down for the model, for all of their work or for one project.
struct MemoryFile {
  enum class Kind : std::uint8_t { managed, user, project, local };
  std::string path;  // canonical
  Kind kind = Kind::project;
  std::string imported_by;  // path of another one; empty: it was found by its name
  std::string text;
};
std::string_view to_string(MemoryFile::Kind kind);  // "Managed", "User", "Project", "Local"

struct MemoryRequest {
  SettingsPlaces places;              // `directory` is where the session works; canonical
  bool trusted = false;               // the user has trusted that directory
  WantedSources sources = {};         // of user, project and local
  std::string managed_text = {};      // of managed settings
  std::vector<std::string> excludes;  // globs of absolute paths ("~/…" too): left out, managed ones excepted
  // Whether the model may be shown a file at all; nothing: it may.
  std::function<bool(const std::string& path)> may_read = nullptr;
};

// The memory of one session, in this order: the machine's, the user's, then that of every folder from the root down to
// the session's own, so that what is nearest is said last.
//   machine  /etc/claude-code/CLAUDE.md, /etc/deft/DEFT.md
//   user     ~/.claude/CLAUDE.md, ~/.config/deft/DEFT.md, and rules/ beside them
//   folder   CLAUDE.md, .claude/CLAUDE.md, DEFT.md, .deft/DEFT.md, or if it has none of them AGENTS.md;
//            CLAUDE.local.md, DEFT.local.md; .claude/rules/ and .deft/rules/, with all that is below them
// Each may import others ("@docs/style.md"). Rules that are about certain files, and the memory of folders below the
// session's, are loaded when such a file has been read.
//
// Nothing is taken from a stranger: what a project names outside of itself, by an import or a link, counts only if the
// user has trusted it; and in the folders above the project only what belongs to the user, or to root.
class ProjectMemory {
 public:
  ProjectMemory(MemoryRequest request, Files& files);

  const std::vector<MemoryFile>& files() const { return files_; }
  // For people: what was left out, and why.
  const std::vector<std::string>& problems() const { return problems_; }

  // What is new because the session has read this file: each once.
  std::vector<MemoryFile> after_reading(const std::string& path);
  // What was loaded that way is forgotten, because the model has forgotten it: it may come again.
  void forget_what_was_read();

 private:
  struct Rule {  // that waits for a file
    MemoryFile file;
    std::vector<std::string> imports;
    std::string root;  // what its globs are seen from
    std::vector<Glob> globs;
  };
  struct Origin {
    MemoryFile::Kind kind = MemoryFile::Kind::project;
    std::string root = {};  // what belongs to it; "": everything
    bool must_be_own = false;
  };

  void load_all();
  void load_folder(const std::string& folder, bool must_be_own);
  void load_rules(const std::string& folder, const Origin& origin, const std::string& globs_root, std::size_t depth);
  bool load(const std::string& path, const Origin& origin);
  void load_imports(const std::string& from, const std::vector<std::string>& imports, const Origin& origin,
                    std::size_t depth);
  struct Found {
    std::string path;
    std::string bytes;
  };
  std::optional<Found> read(const std::string& path, const Origin& origin);
  bool leads_out(const std::string& canonical, const Origin& origin) const;
  bool is_excluded(const std::string& path) const;
  void leave_out(const std::string& path, std::string_view why);
  bool add(MemoryFile file);

  MemoryRequest request_;
  Files& disk_;
  std::string project_;  // the repository of the directory, or the directory itself
  std::vector<Glob> excludes_;
  std::vector<MemoryFile> files_;
  std::vector<Rule> rules_;
  std::set<std::string> loaded_;        // paths, canonical
  std::set<std::string> folders_;       // whose memory is loaded
  std::set<std::string> rule_folders_;  // canonical: a link may lead back to where it stands
  std::size_t bytes_ = 0;
  std::vector<std::string> problems_;
  // After the session's start.
  std::size_t files_at_start_ = 0;
  std::vector<Rule> rules_at_start_;
  std::set<std::string> rule_folders_at_start_;
};

// As the model is told it. "" if there is none.
std::string memory_text(const std::vector<MemoryFile>& files);

}  // namespace deft
