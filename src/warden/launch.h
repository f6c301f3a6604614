#pragma once

#include <sys/resource.h>
#include <sys/types.h>

#include <cstddef>

#include "warden/protocol.h"
#include "warden/restriction.h"

// From a command's file to its running process.

namespace warden {

// Descriptors of one command, -1 where there is none.
struct Descriptors {
  int channel = -1;
  int command = -1;
  int output = -1;
  int input = -1;
  int errors = -1;
  int directory = -1;
};

// A command as its process needs it. Points into the memory that read_command() took.
struct Command {
  const CommandHeader* header = nullptr;
  const char* program = nullptr;
  const char* directory = nullptr;      // empty: none was named
  const char* writable_file = nullptr;  // that a restricted one may write all the same; empty: none
  char** arguments = nullptr;
  char** environment = nullptr;
  char** daemons = nullptr;
  rlimit open_files{};  // where the command asks for no other
  const ReadOnly* read_only = nullptr;
  int group = -1;  // the cgroup that it begins in, open
};

// False: the file is not what the protocol says.
bool read_command(int fd, std::size_t bytes, Command& command);

// Sets a variable, given as NAME=VALUE, which must stay where it is. At most once for each command.
void set_variable(Command& command, char* variable);

struct Launch {
  pid_t pid = -1;  // -1: nothing runs
  Stage stage = Stage::none;
  int error_number = 0;
  bool is_in_group = false;
};
// Returns when the program runs in its own session, or when it is certain that it never will.
Launch launch(const Command& command, const Descriptors& descriptors);

}  // namespace warden
