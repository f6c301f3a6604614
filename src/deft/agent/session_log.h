#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "deft/agent/event.h"
#include "deft/agent/journal.h"
#include "deft/agent/session.h"
#include "deft/core/message.h"

namespace deft {

// Writes a conversation into the journal as it goes on (agent/session.cc reads it, and says what comes in which order).
// On the turn's thread. What cannot be written is told to the user, once, and the turn goes on: only what has effects
// does not begin without its entry, and that is the pipeline's to see to.
class SessionLog {
 public:
  SessionLog(Journal& journal, Frontend& frontend) : journal_(journal), frontend_(frontend) {}

  void turn_began();
  // `uuid`: of what a person said. Nothing: others told it, `source` says who.
  void prompt(std::string_view content, std::string_view uuid, std::string_view source);
  // Blocks of the message that streams in, up to a call that is about to start.
  void draft(std::vector<Block> blocks, std::string uuid);
  void draft_dropped() { journal_.drop_what_waits(); }  // the message never existed
  struct Said {
    std::string_view content;  // "": nothing that could be handed back
    const Message& message;
    std::string_view model;  // that was asked
    std::string_view how;    // "whole", "kept", "aborted"
    double cost = 0;
    std::string_view uuid = {};
  };
  void message(const Said& said);
  // What the model is told of the calls, and what follows it. Of answers that are told as they came from the executor,
  // which has journaled them, only the name is written.
  void results(const std::vector<CallAnswered>& answers, const std::vector<bool>& changed, std::string_view after);
  // The history is now `summary`, and after it the last `kept_messages` of before.
  struct Compacted {
    std::string_view summary;  // content
    std::size_t kept_messages = 0;
    std::string_view trigger;
    std::string_view model = {};  // that wrote it
    Json usage = nullptr;
    double cost = 0;
  };
  void cleared();  // what was said before is forgotten
  void compacted(const Compacted& how);
  void used(const SessionUsage& usage);  // by a subagent
  void sync();                           // see Journal

 private:
  void write(const JournalEntry& entry);
  void look_at(const Result<void>& written);

  Journal& journal_;
  Frontend& frontend_;
  bool is_broken_ = false;
};

}  // namespace deft
