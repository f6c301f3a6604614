#include "deft/agent/journal_branch.h"

#include <algorithm>
#include <cstdint>
#include <utility>

#include "deft/agent/journal_reader.h"
#include "deft/base/json.h"
#include "deft/os/uuid.h"

namespace deft {
namespace {

constexpr std::size_t kThoughtsAtEndMax = 8;  // of one message

// An entry that is a part of the conversation.
struct Entry {
  enum class Kind : std::uint8_t { prompt, message, results, other, rewound };
  Kind kind = Kind::other;
  std::size_t line = 0;
  std::string uuid = {};         // of a rewound one: where to
  std::string source = {};       // of a prompt that no person said
  std::vector<bool> calls = {};  // of a message: which of its blocks are
};

// A point of the journal, as far as it counts.
struct Place {
  std::size_t message = 0;  // line of a message that is cut; 0: none is
  std::size_t blocks = 0;
  std::size_t last = 0;  // line; all up to it counts
  bool results_alone = false;
};

class Index {
 public:
  Result<void> read(const std::string& journal) {
    const auto read = read_journal(journal, [&](std::string_view type, const Json& entry) { take(type, entry); });
    if (!read) return std::unexpected(read.error());
    return {};
  }

  std::size_t lines() const { return lines_; }
  const std::vector<Entry>& entries() const { return entries_; }

  const Entry* last_rewound(std::size_t up_to) const {
    const auto found = std::ranges::find_if(entries_.rbegin(), entries_.rend(), [&](const Entry& entry) {
      return entry.line <= up_to && entry.kind == Entry::Kind::rewound;
    });
    return found == entries_.rend() ? nullptr : &*found;
  }

  // The last one of this name before `line`.
  std::optional<Place> place_of(std::string_view uuid, std::size_t line) const {
    for (auto entry = entries_.rbegin(); entry != entries_.rend(); ++entry) {
      if (entry->line >= line || entry->uuid.empty()) continue;
      if (entry->kind == Entry::Kind::prompt && entry->uuid == uuid) return Place{.last = entry->line};
      if (entry->kind != Entry::Kind::message) continue;
      const auto distance = uuid_distance(entry->uuid, uuid);
      if (!distance) continue;
      if (auto place = place_in(*entry, *distance)) return place;
    }
    return std::nullopt;
  }

 private:
  void take(std::string_view type, const Json& entry) {
    ++lines_;
    Entry one{.line = lines_};
    const auto word = [&](std::string_view key) { return std::string(find_string(entry, key).value_or("")); };
    if (type == "prompt") {
      one.kind = Entry::Kind::prompt;
      one.uuid = word("uuid");
      one.source = word("source");
    } else if (type == "message") {
      one.kind = Entry::Kind::message;
      one.uuid = word("uuid");
      const auto blocks = parse_json(word("content"));
      const JsonArray* list = blocks ? blocks->if_array() : nullptr;
      for (std::size_t i = 0; list && i < list->size(); ++i) {
        one.calls.push_back(find_string((*list)[i], "type") == "tool_use");
      }
    } else if (type == "results") {
      one.kind = Entry::Kind::results;
    } else if (type == kRewoundEntry) {
      one.kind = Entry::Kind::rewound;
      one.uuid = word("to");
    } else if (type != "compacted" && type != "cleared") {
      return;
    }
    entries_.push_back(std::move(one));
  }

  std::optional<Place> place_in(const Entry& message, std::size_t number) const {
    const auto calls = static_cast<std::size_t>(std::ranges::count(message.calls, true));
    const std::size_t results = results_of(message);
    if (number == kAfterResultsUuid && calls > 0 && results > 0) return Place{.last = results};
    const bool is_result = number >= kResultUuids && number - kResultUuids < calls;
    if (!is_result && number >= message.calls.size() + kThoughtsAtEndMax) return std::nullopt;
    // What was thought last has a name, too, but is not handed back: whoever means it means all that is.
    const std::size_t blocks = is_result ? message.calls.size() : std::min(number + 1, message.calls.size());
    Place place{.message = message.line, .blocks = blocks, .last = message.line, .results_alone = true};
    // What was called is answered: its effect is there, whether it is told or not.
    const auto end = message.calls.begin() + static_cast<std::ptrdiff_t>(blocks);
    if (std::find(message.calls.begin(), end, true) != end) place.last = results > 0 ? results : end_of(message);
    return place;
  }

  // The last line before the conversation goes on: results that were written down and not told yet stand there.
  std::size_t end_of(const Entry& message) const {
    const auto after = std::ranges::find(entries_, message.line, &Entry::line) + 1;
    return after != entries_.end() ? after->line - 1 : lines_;
  }

  // The line in which its calls are answered; 0: they are not.
  std::size_t results_of(const Entry& message) const {
    const auto after = std::ranges::find(entries_, message.line, &Entry::line) + 1;
    return after != entries_.end() && after->kind == Entry::Kind::results ? after->line : 0;
  }

  std::vector<Entry> entries_;
  std::size_t lines_ = 0;
};

// Whether what lies behind the place is the turn of that prompt, and nothing else.
Result<void> check_dropped(const Index& index, const JournalBranch& now, const Place& place, const std::string& turn) {
  const auto refuse = [](const std::string& why) { return fail(Errc::denied, std::string(kDropsTurnRefusal) + why); };
  bool has_begun = false;
  for (const Entry& entry : index.entries()) {
    if (entry.line == place.message && place.blocks < entry.calls.size()) {
      return refuse("the message at that point goes on, in an earlier turn");
    }
    if (entry.line <= place.last || !now.at(entry.line) || entry.kind == Entry::Kind::rewound) continue;
    const bool is_prompt = entry.kind == Entry::Kind::prompt;
    if (is_prompt && entry.source == "abort") continue;  // a mark that a turn was ended there
    const bool is_of_others = !entry.uuid.empty() || entry.source == "task" || entry.source == "undo";
    if (is_prompt && entry.uuid == turn) {
      has_begun = true;
    } else if (!has_begun) {
      return refuse("something of an earlier turn would be left out");
    } else if (is_prompt && is_of_others) {
      return refuse("something else was said after that turn's prompt");
    }
  }
  if (!has_begun) return refuse("there is no such turn after that point");
  return {};
}

}  // namespace

std::optional<BranchCut> JournalBranch::at(std::size_t line) const {
  const bool counts =
      std::ranges::any_of(ranges_, [&](const Range& range) { return range.first <= line && line <= range.last; });
  if (!counts) return std::nullopt;
  const auto cut = cuts_.find(line);
  return cut == cuts_.end() ? BranchCut{} : cut->second;
}

Result<JournalBranch> JournalBranch::find(const std::string& journal, const ResumePoint& point) {
  Index index;
  if (auto read = index.read(journal); !read) return std::unexpected(read.error());
  // Backwards: from the end to the last entry that goes back, from where that leads to the one before it …
  const auto branch_up_to = [&](std::size_t end) {
    JournalBranch branch;
    while (end > 0) {
      const Entry* rewound = index.last_rewound(end);
      branch.ranges_.push_back({.first = rewound ? rewound->line + 1 : 1, .last = end});
      if (!rewound) break;
      const auto place = index.place_of(rewound->uuid, rewound->line);
      end = place ? place->last : rewound->line - 1;
      if (!place || place->message == 0) continue;
      branch.cuts_[place->message].blocks = place->blocks;
      branch.cuts_[place->last].results_alone = place->results_alone;
    }
    return branch;
  };
  JournalBranch whole = branch_up_to(index.lines());
  if (point.at.empty()) return whole;
  const auto place = index.place_of(point.at, index.lines() + 1);
  if (!place) return fail(Errc::not_found, "The session has no message " + json_quote(point.at.substr(0, 60)) + ".");
  if (!point.drops_turn.empty()) {
    if (auto good = check_dropped(index, whole, *place, point.drops_turn); !good) return std::unexpected(good.error());
  }
  JournalBranch branch = branch_up_to(place->last);
  if (place->message > 0) {
    branch.cuts_[place->message].blocks = place->blocks;
    branch.cuts_[place->last].results_alone = place->results_alone;
  }
  return branch;
}

}  // namespace deft
