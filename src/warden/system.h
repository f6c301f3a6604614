#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>

// The few system calls that need more than one line.

namespace warden {

std::int64_t now_millis();  // CLOCK_MONOTONIC: a suspended machine's sleep doesn't count

void set_name(const char* name);

// A fork bomb leaves others little time. Takes precedence over it, as far as we may.
void hurry();

// From here on children leave no zombies, and waitpid() only tells whether there are any.
void ignore_child_signals();

// Closes every descriptor but the given ones, which are put in order on the way.
void close_all_except(int* kept, std::size_t count);

// One packet, without waiting and without SIGPIPE. A peer that is gone is its own answer: nothing is returned.
void send_packet(int socket, const void* data, std::size_t bytes);

// Reads a small file of /proc whole, as far as it fits, and ends it with a NUL. Its length, or -1.
ssize_t read_small_file(const char* path, char* buffer, std::size_t capacity);

// Removes a folder, or a cgroup, if there is nothing in it but empty ones.
void remove_with_empty_ones(const char* path);

int open_process(pid_t pid);                     // pidfd_open
int signal_process(int process_fd, int signal);  // pidfd_send_signal

}  // namespace warden
