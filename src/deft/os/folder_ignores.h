#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "deft/base/ignore.h"

namespace deft {

inline constexpr std::size_t kIgnoreFileBytesMax = std::size_t{1} << 20;

// Which files with rules a folder holds.
struct IgnoreFilesPresent {
  bool rgignore = false;
  bool ignore = false;
  bool gitignore = false;
  bool git = false;  // .git, a folder or a file: here a repository begins
  bool any() const { return rgignore || ignore || gitignore || git; }
};

// The ignore rules that hold in a folder: its own and those of the folders around it. Immutable, for any number of
// threads. As in ripgrep: .rgignore counts before .ignore, and that before git's own rules, which count only within a
// repository (.gitignore, .git/info/exclude, the user's global excludes, in this order); of several files of a kind the
// innermost that has a rule decides, and a repository inside another knows nothing of the outer one's rules.
//
// Files with rules are read bounded, never through a symbolic link, and git itself is never run.
class FolderIgnores {
 public:
  using Ptr = std::shared_ptr<const FolderIgnores>;

  // Those of the folders around `folder`, which is absolute and canonical; `home` and `xdg_config_home` are the
  // environment's, for the global excludes.
  static Ptr around(std::string_view folder, std::string_view home, std::string_view xdg_config_home);
  // Those inside `folder`, open as `fd`; `outer` itself if it has none of its own.
  static Ptr inside(Ptr outer, int fd, std::string_view folder, const IgnoreFilesPresent& present);

  static IgnoreFilesPresent look_for(int fd);

  // `path` is absolute and below the folder.
  bool ignores(std::string_view path, bool is_folder) const;

 private:
  Ptr outer_;
  std::size_t prefix_bytes_ = 0;  // the folder's path and a slash
  bool begins_repository_ = false;
  bool in_repository_ = false;
  std::optional<IgnoreFile> rgignore_;
  std::optional<IgnoreFile> ignore_;
  std::optional<IgnoreFile> gitignore_;
  std::optional<IgnoreFile> exclude_;
  std::shared_ptr<const IgnoreFile> global_;  // if begins_repository_; also kept by the outermost for others
};

// Where the user's global excludes are, as the configuration says: text of ~/.gitconfig and
// $XDG_CONFIG_HOME/git/config.
std::string global_excludes_path(std::string_view user_config, std::string_view xdg_config, std::string_view home,
                                 std::string_view xdg_config_home);

}  // namespace deft
