#pragma once

#include <cstddef>
#include <cstdint>
#include <expected>
#include <functional>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "deft/agent/journal_entry.h"
#include "deft/base/clock.h"
#include "deft/base/json.h"
#include "deft/base/result.h"
#include "deft/core/message.h"
#include "deft/core/tool_result.h"
#include "deft/os/survives.h"
#include "deft/os/unique_fd.h"

namespace deft {

// 1: calls alone. 2: the conversation too (agent/session_log.h), and what is in the header.
inline constexpr int kJournalVersion = 2;
inline constexpr std::string_view kJournalFile = "journal.jsonl";
inline constexpr std::size_t kLateEntriesBytesMax = std::size_t{64} << 20;

// What the first line of a journal says of its session, beside the version.
struct JournalHeader {
  std::string session_id = {};
  std::string directory = {};    // in which it was begun; canonical
  std::string forked_from = {};  // id of another session
};

// How a journal begins: its first line was never wholly written (the disk was full), so nothing can have followed it.
bool was_never_begun(std::string_view beginning);

// The truth about a session: append-only JSON lines in `journal.jsonl` of its folder; each subagent has its own in
// `subagents/`. What may have an effect is written before it begins, its result when it is known; so after kill -9
// nobody has to guess. Each entry is one write on an O_APPEND descriptor: safe from any thread, and whole or absent if
// the process is killed. As long as one lives, nobody else can open the same journal.
//
// What cannot be written (the disk is full) is an error for whoever wanted it; it is kept, and written before whatever
// comes next. So the journal tells what happened in order, up to some moment, and no entry stands there without those
// that it follows. Only an intent is not kept: its call does not begin.
//
// One that survives a power cut also waits for the disk: with an intent before the call begins, with the result of such
// a call before anybody is told, and whenever sync() is called. Who waits at the same time waits together. What the
// system could not bring to the disk it forgets, and the next wait would succeed without it: so from then on every wait
// fails.
class Journal {
 public:
  // Creates the folder (0700) and the journal (0600), or goes on with the one that is there.
  static Result<Journal> open(const std::string& folder, const Clock& clock, const JournalHeader& header = {},
                              std::string_view name = kJournalFile, Survives survives = Survives::killed);
  Journal(Journal&& other) noexcept;
  ~Journal();
  Journal& operator=(Journal&&) = delete;

  // A person would have to be asked about the call; `deft permissions simulate` counts these.
  Result<void> asked(const ToolCall& call, std::string_view directory, std::string_view reason);
  Result<void> intent(const ToolCall& call);
  // Of a call that had no effect it may wait a moment: for flush(), or for whatever is written next.
  enum class When : std::uint8_t { now, soon };
  Result<void> result(const std::string& call_id, const std::string& tool, const ToolResult& result,
                      When when = When::now);
  // Writes what waits for a moment: whoever is about to wait itself, or to tell others, calls it first.
  Result<void> flush();
  // The model was given this instead of what result() has: a reference, a preview, a note. Whoever rebuilds the
  // conversation takes the last word.
  Result<void> shown(const std::string& call_id, const ToolResult& result);
  Result<void> message_discarded();

  // What was last said of something that has one value at a time: the title, the mode, the todo list.
  Result<void> state(std::string_view key, const Json& value);

  // For whoever has entries of its own (agent/session_log.h).
  Result<void> append(const JournalEntry& entry);
  // Is only needed if something gets an effect: made and written before the next intent, unless it was dropped by then.
  void append_before_intent(std::function<JournalEntry()> entry);
  void drop_what_waits();
  // Stands for what waits. One step: an intent written meanwhile has what waits before it, or this.
  Result<void> append_for_what_waits(const JournalEntry& entry);
  Result<void> append_lines(std::string_view lines);  // of another journal, as they are, with their newlines
  // All that was written so far is on the disk; nothing to do for a journal that need not survive a power cut.
  Result<void> sync();

  const std::string& folder() const { return folder_; }
  const std::string& path() const { return path_; }
  const std::string& forked_from() const { return forked_from_; }  // as its header says

 private:
  Journal(std::string folder, std::string path, UniqueFd file, const Clock& clock, Survives survives);
  std::int64_t now_ms() const;
  void forget_what_waits();  // under mutex_
  Result<void> write(std::string_view lines);
  bool add_soon(std::string_view line);  // false: too much waits already
  bool take_soon();                      // into late_; true: there were some
  struct Unwritten {
    Error why;
    std::size_t bytes = 0;  // the last ones of what was to be written
  };
  std::expected<void, Unwritten> try_to_write(std::string_view lines);

  std::string folder_;
  std::string path_;
  std::string forked_from_;
  UniqueFd file_;
  const Clock* clock_;
  const Survives survives_;
  std::mutex mutex_;
  // Under mutex_:
  struct Waiting {
    std::int64_t time_ms;
    std::function<JournalEntry()> entry;
  };
  std::vector<Waiting> waiting_;
  std::string waiting_lines_;  // before waiting_: made for an intent that could not be written
  std::string late_;           // lines that could not be written, and those of soon_; they come first
  bool is_torn_ = false;       // the last line is not whole
  bool has_lost_ = false;      // something that was written did not get to the disk
  std::unordered_set<std::string>
      effects_;  // calls with an intent and without a result; of one that waits for the disk
  std::uint64_t writes_ = 0;
  // Lines that wait for a moment. Whoever adds one does not wait for those that are being written.
  std::mutex soon_mutex_;  // after mutex_
  std::string soon_;       // under soon_mutex_
  std::mutex sync_mutex_;
  std::uint64_t writes_on_disk_ = 0;  // under sync_mutex_
};

}  // namespace deft
