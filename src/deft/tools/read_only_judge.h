#pragma once

#include <cstddef>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "deft/core/session_state.h"
#include "deft/shell/classify.h"

namespace deft {

// The files that judging a command takes, on the real disk: git's configuration and where paths really lead.
shell::FileView file_view_of_disk();

// Says for one session which command lines only read (shell/classify.h), and remembers those that proved otherwise. Any
// thread may call.
class ReadOnlyJudge {
 public:
  struct Judgement {
    bool read_only = false;
    // What it reads, absolute; nothing: not all of it is known.
    std::optional<std::vector<std::string>> paths{};
  };
  Judgement judge(std::string_view command, const SessionView& session) const;

  // It was judged read-only and tried more than that. From now on it counts as a command that changes things.
  void was_refused(std::string_view command);

 private:
  Judgement judge_anew(std::string_view command, std::string_view directory, bool& depends_on_files) const;

  mutable std::mutex mutex_;
  std::unordered_set<std::string> refused_;                        // under mutex_; hashes
  mutable std::unordered_map<std::string, Judgement> judgements_;  // under mutex_; of what depends on no file
};

}  // namespace deft
