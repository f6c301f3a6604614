#pragma once

#include <chrono>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

namespace deft {

// Removes the sessions below `root` (a folder for each, agent/session_store.h) that nobody has used for `age`, with
// everything that they keep: journal, stored results, contents for undo. Never one that is in use: its journal is
// locked, and ours is the lock while it is being removed. Nor one that has stored results which a fork of it, used
// since, was told of. Only folders of this user's with a journal in them. Returns their names. After `patience` it
// stops.
struct SweptSessions {
  std::vector<std::string> removed;
  bool is_complete = true;  // nothing that is old is left
};
SweptSessions sweep_sessions(const std::string& root, std::chrono::hours age, std::chrono::system_clock::time_point now,
                             std::chrono::steady_clock::duration patience = std::chrono::hours(1));

// Finishes what others have begun and were killed before its end: sessions that were being removed go, and forks of
// which only a part was made. However young they are: nobody can see them any more, or yet.
void remove_unfinished(const std::string& root);

// The name of a fork while it is being made; it has its session's as soon as all of it is there.
std::string name_of_unfinished_fork(std::string_view id);

// A fork goes on whose conversation names what this session has stored.
void note_use_by_fork(const std::string& folder);

// Removes a session's folder; whoever calls has the lock of its journal. It gets another name first, so that whoever
// opens the session at that moment finds either all of it, locked, or nothing. Its journal goes last: what is left if
// the process is killed meanwhile is removed some other day.
std::error_code remove_session_folder(const std::string& folder);

}  // namespace deft
