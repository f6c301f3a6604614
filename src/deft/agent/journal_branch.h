#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "deft/base/result.h"

// A journal is only ever written at its end. Whoever goes on from an earlier point of a session says so in an entry
// {"type":"rewound","to":UUID}; what lies between the point and that entry stays on the disk and does not count, until
// somebody goes back into it. What a point can be is named like this:
//
//   prompt     the uuid of its entry
//   message    its entry has a uuid; nth_uuid() of it names its n-th block, kResultUuids + n the result of its n-th
//              call, kAfterResultsUuid what the model was told after all results

namespace deft {

inline constexpr std::string_view kRewoundEntry = "rewound";
inline constexpr std::uint16_t kResultUuids = 0x8000;
inline constexpr std::uint16_t kAfterResultsUuid = 0xFFFF;
inline constexpr std::string_view kDropsTurnRefusal = "Resume rejected by --resume-drops-turn: ";

// Where in an earlier run of a session somebody goes on: not at its end, but after this.
struct ResumePoint {
  std::string at = {};          // empty: the end
  std::string drops_turn = {};  // the uuid of a prompt: nothing may be left out but what was said in its turn
};

// How much of an entry counts.
struct BranchCut {
  std::optional<std::size_t> blocks = std::nullopt;  // of a message: the first ones; nothing: all
  bool results_alone = false;                        // without what the model was told after them
};

// Which entries of a journal count, by their number in it (read_journal(), from 1).
class JournalBranch {
 public:
  // Errors: `not_found` if the session has no such point; `denied` if more would be left out than `drops_turn` allows.
  static Result<JournalBranch> find(const std::string& journal, const ResumePoint& point);

  std::optional<BranchCut> at(std::size_t line) const;  // nothing: it does not count

 private:
  struct Range {
    std::size_t first = 0;
    std::size_t last = 0;
  };
  std::vector<Range> ranges_;
  std::map<std::size_t, BranchCut> cuts_;
};

}  // namespace deft
