#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "deft/base/clock.h"
#include "deft/config/lsp_settings.h"

namespace deft::lsp {

inline constexpr std::size_t kWatchedFilesMax = 20'000;  // a larger project is not watched
// Looking that takes no longer is done every time; else it may take a tenth of the time at most.
inline constexpr Duration kQuickLook = std::chrono::milliseconds(20);
inline constexpr int kLookPauseFactor = 10;

// The files of a project that a server would read by itself: those of its languages and its markers, without what is
// ignored. For servers that want to know when one changes, appears or goes. One thread at a time.
class WatchedFiles {
 public:
  WatchedFiles(std::string root, const LanguageServerSpec& spec, const Clock& clock)
      : root_(std::move(root)), spec_(spec), clock_(clock) {}

  enum class ChangeKind : std::uint8_t { created = 1, changed, deleted };  // the protocol's numbers
  struct Change {
    std::string path;
    ChangeKind kind = ChangeKind::changed;
  };
  // What has changed since it was looked last, sorted by path; the first time nothing has.
  std::vector<Change> look();

 private:
  struct Seen {
    std::int64_t modified_ns = 0;
    std::int64_t size = 0;
    bool operator==(const Seen&) const = default;
  };
  using Snapshot = std::map<std::string, Seen>;
  class Visitor;

  const std::string root_;
  const LanguageServerSpec& spec_;
  const Clock& clock_;
  Snapshot seen_;
  bool has_looked_ = false;
  bool is_too_large_ = false;
  TimePoint next_look_{};
};

}  // namespace deft::lsp
