#pragma once

#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "deft/agent/journal_entry.h"
#include "deft/base/clock.h"
#include "deft/base/json.h"
#include "deft/base/result.h"
#include "deft/core/message.h"
#include "deft/core/tool_result.h"
#include "deft/os/unique_fd.h"

namespace deft {

// 1: calls alone. 2: the conversation too (agent/session_log.h), and what is in the header.
inline constexpr int kJournalVersion = 2;
inline constexpr std::string_view kJournalFile = "journal.jsonl";

// What the first line of a journal says of its session, beside the version.
struct JournalHeader {
  std::string session_id = {};
  std::string directory = {};    // in which it was begun; canonical
  std::string forked_from = {};  // id of another session
};

// The truth about a session: append-only JSON lines in `journal.jsonl` of its folder; each subagent has its own in
// `subagents/`. What may have an effect is written before it begins, its result when it is known; so after kill -9
// nobody has to guess. Each entry is one write on an O_APPEND descriptor: safe from any thread, and whole or absent if
// the process is killed. As long as one lives, nobody else can open the same journal.
class Journal {
 public:
  // Creates the folder (0700) and the journal (0600), or goes on with the one that is there.
  static Result<Journal> open(const std::string& folder, const Clock& clock, const JournalHeader& header = {},
                              std::string_view name = kJournalFile);
  Journal(Journal&& other) noexcept;
  Journal& operator=(Journal&&) = delete;

  // A person would have to be asked about the call; `deft permissions simulate` counts these.
  Result<void> asked(const ToolCall& call, std::string_view directory, std::string_view reason);
  Result<void> intent(const ToolCall& call);
  Result<void> result(const std::string& call_id, const std::string& tool, const ToolResult& result);
  // The model was given this instead of what result() has: a reference, a preview, a note. Whoever rebuilds the
  // conversation takes the last word.
  Result<void> shown(const std::string& call_id, const ToolResult& result);
  Result<void> message_discarded();

  // What was last said of something that has one value at a time: the title, the mode, the todo list.
  Result<void> state(std::string_view key, const Json& value);

  // For whoever has entries of its own (agent/session_log.h).
  Result<void> append(const JournalEntry& entry);
  // Is only needed if something gets an effect: written before the next intent, unless it was dropped by then.
  void append_before_intent(const JournalEntry& entry);
  void drop_what_waits();
  Result<void> append_line(std::string_view line);  // of another journal, as it is, without its newline

  const std::string& folder() const { return folder_; }
  const std::string& path() const { return path_; }

 private:
  Journal(std::string folder, std::string path, UniqueFd file, const Clock& clock);
  std::int64_t now_ms() const;
  Result<void> write(std::string_view lines);

  std::string folder_;
  std::string path_;
  UniqueFd file_;
  const Clock* clock_;
  std::mutex mutex_;
  std::string waiting_;   // lines; under the mutex
  bool is_torn_ = false;  // the last line is not whole; under the mutex
};

}  // namespace deft
