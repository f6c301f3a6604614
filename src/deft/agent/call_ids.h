#pragma once

#include <mutex>
#include <string>
#include <unordered_set>

namespace deft {

// Gives every call of a session an id of its own. Most providers' ids are; some count from zero in each message, and
// then the second "call_0" becomes "call_0-2". Shared by the session's agents: any thread may call.
class CallIds {
 public:
  std::string take(const std::string& id_of_provider);
  void use(const std::string& id);      // of an earlier run of the session
  void release(const std::string& id);  // its message was discarded

 private:
  std::mutex mutex_;
  std::unordered_set<std::string> used_;
};

}  // namespace deft
