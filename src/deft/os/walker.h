#pragma once

#include <cstddef>
#include <cstdint>
#include <stop_token>
#include <string>
#include <string_view>

#include "deft/base/result.h"

namespace deft {

inline constexpr std::size_t kWalkWorkersMax = 8;

enum class WalkWish : std::uint8_t {
  skip,
  take,      // whatever the ignore files say
  by_rules,  // unless an ignore file says no
};

struct WalkedFile {
  int folder = -1;               // open
  std::string_view folder_path;  // from the root, with a slash at its end; empty: the root itself
  const char* name = nullptr;
  bool is_link = false;
};

// Who looks at the files of a walk. Called from several threads at once; a worker number belongs to one thread.
class WalkVisitor {
 public:
  virtual ~WalkVisitor() = default;
  // `path` is seen from the root. A folder that is skipped is not entered.
  virtual WalkWish wish(std::string_view path, bool is_folder) = 0;
  virtual void visit(const WalkedFile& file, std::size_t worker) = 0;
};

struct WalkOptions {
  std::string root;  // a folder; absolute and canonical
  bool respect_ignore_files = true;
  bool enter_git = false;  // false: whatever is called .git is left out
  bool links_too = false;  // symbolic links are visited as such; they are never followed
  std::string home = {};   // of the environment, for git's global excludes
  std::string xdg_config_home = {};
  std::size_t workers_max = kWalkWorkersMax;
  std::stop_token stop = {};
};

struct WalkReport {
  std::size_t unreadable = 0;         // folders that could not be listed
  std::string first_unreadable = {};  // one of them
};

// Visits all regular files below a folder, in no particular order, in as many threads as pay off; small trees are
// walked by the calling thread alone. Never leaves the root: links are not followed, not even one that takes the place
// of a folder meanwhile. /proc and /sys are not entered unless the root is in there. Ends soon after `stop` is
// requested.
Result<WalkReport> walk(const WalkOptions& options, WalkVisitor& visitor);

std::size_t walk_workers();  // how many threads a walk may use on this machine

}  // namespace deft
