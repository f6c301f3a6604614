#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>

#include "warden/protocol.h"

// Finding and ending every process below this one, wherever it hid: another process group, another session, a parent
// that is gone. The caller is a subreaper, so an orphan becomes its own child and never leaves the tree.
//
// A signal to a tree that still forks misses what is born meanwhile. So a sweep first stops everything, parents before
// children, again and again until a look finds nothing that runs, and only then kills. A process that has died is never
// signalled by mistake through its number: our own children keep theirs until we reap them, all others are opened
// (pidfd), looked at (is it still in the tree?) and only then signalled.
//
// Thousands of processes that fork leave us little of the processor. A signal to a whole process group is atomic, no
// fork slips through, so with the first process of a group that was stopped all of it is. A group in another session
// than ours holds nobody but descendants: one gets into a session by being born there.

namespace warden {

inline constexpr std::size_t kProcessesSeenMax = 32768;  // what doesn't fit is found by the next sweep

enum class Listing {
  children_files,  // /proc/PID/task/TID/children: costs as much as the tree is large
  whole_proc,      // every process of the machine; for kernels without those files
};
Listing best_listing();

struct Process {
  pid_t pid;
  pid_t parent;
  pid_t group;   // 0: not known, or one that must not be signalled as a whole
  char state;    // as in /proc/PID/stat; 'X' if it is gone
  bool refused;  // we may not signal it: another user's

  bool is_alive() const { return state != 'Z' && state != 'X' && state != 'x'; }
};

class Descendants {
 public:
  explicit Descendants(Listing listing) : listing_(listing) {}

  // Looks for all of them, dead ones that wait for their parent included. Those in `spared`, and all below them, are
  // left out. When the caller has just reaped its children and finds nothing here, there is nothing.
  void find(const pid_t* spared, std::size_t spared_count) { look(spared, spared_count, /*signal=*/0); }
  // Stops all, then kills all, except `spared` as above. At `give_up` (now_millis) it kills without waiting for all to
  // have stopped. `names`, if given, gets how many were alive, and their names.
  void sweep(const pid_t* spared, std::size_t spared_count, std::int64_t give_up, Report* names = nullptr);

  // The name of a process as people know it: "sleep 1000", or "[sleep]" where the command line is empty.
  static void read_name(pid_t pid, char (&name)[kLeftoverNameBytesMax]);

  // What the last look found, parents before children.
  std::size_t count() const { return count_; }
  const Process& at(std::size_t index) const { return processes_[index]; }
  std::uint32_t alive_count() const;
  std::uint32_t refused_count() const;
  bool anything_works() const;  // or waits for the processor or a disk, and not for a time or an event

 private:
  void look(const pid_t* spared, std::size_t spared_count, int signal);
  void visit(Process& process, int signal);
  bool signal_group_once(pid_t group, int signal);
  void add_children_of(pid_t pid, long threads);
  void add(pid_t pid, pid_t parent);
  void list_everyone();
  bool anything_runs() const;

  Listing listing_;
  pid_t self_ = 0;
  const pid_t* spared_ = nullptr;
  std::size_t spared_count_ = 0;
  pid_t session_ = 0;
  static constexpr std::size_t kGroupsMax = 64;  // those beyond are signalled one by one
  pid_t groups_[kGroupsMax];                     // that have been signalled in this look
  std::size_t group_count_ = 0;
  std::size_t count_ = 0;
  std::size_t everyone_count_ = 0;
  Process processes_[kProcessesSeenMax];
  Process everyone_[kProcessesSeenMax];  // Listing::whole_proc; memory that is never touched costs nothing
};

}  // namespace warden
