#pragma once

#include <cstdint>
#include <mutex>
#include <string>
#include <string_view>

#include "deft/model/model.h"

// What a server does not take again, or not at all, would be refused with every later request of the session. It is
// left out then, and the session goes on.
//
// Thoughts are signed or sealed, and the newest models' are bound to all that stood before them: after a compaction,
// with other tools or another system prompt, from another account or server they are refused. Pictures and documents
// are refused by models that see nothing, and where they are broken or too large.

namespace deft {

// Up to which messages, by their numbers, something is left out. 0: nowhere.
struct RefusedUntil {
  std::uint64_t thoughts = 0;
  std::uint64_t pictures = 0;

  bool thoughts_of(const HistoryMessage& message) const { return thoughts > 0 && message.number <= thoughts; }
  bool pictures_of(const HistoryMessage& message) const { return pictures > 0 && message.number <= pictures; }
};

// Of one server. From any thread.
class RefusedContent {
 public:
  RefusedUntil until() const;
  // A request that ended in the message `newest`, and went without `asked`, has failed. If it was for what it held, it
  // is to be made again at once: until() has grown then.
  void learn(std::uint64_t newest, const RefusedUntil& asked, ModelFailure& failure);

 private:
  mutable std::mutex mutex_;
  RefusedUntil until_;  // under mutex_
};

// Does the server refuse what was thought before, or pictures and documents, in whatever words?
bool refuses_thoughts(const ModelFailure& failure);
bool refuses_pictures(const ModelFailure& failure);

// The content of a message without its thoughts; "": nothing is left. And with words in the place of pictures and
// documents, also of those in results.
std::string without_thoughts(std::string_view content);
std::string without_pictures(std::string_view content);

}  // namespace deft
