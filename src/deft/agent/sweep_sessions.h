#pragma once

#include <chrono>
#include <string>
#include <vector>

namespace deft {

// Removes the sessions below `root` (a folder for each, agent/session_store.h) that nobody has used for `age`, with
// everything that they keep: journal, stored results, contents for undo. Never one that is in use: its journal is
// locked, and ours is the lock while it is being removed. Only folders of this user's with a journal in them. Returns
// their names.
std::vector<std::string> sweep_sessions(const std::string& root, std::chrono::hours age,
                                        std::chrono::system_clock::time_point now);

}  // namespace deft
