#pragma once

#include <cstddef>
#include <functional>
#include <stop_token>
#include <string>
#include <utility>

#include "deft/base/result.h"
#include "deft/os/unique_fd.h"

namespace deft {

// The right to have a command running, until it is destroyed.
class CommandSlot {
 public:
  CommandSlot() = default;  // of somebody whom nobody counts
  explicit CommandSlot(UniqueFd file) : file_(std::move(file)) {}
  CommandSlot(CommandSlot&& other) noexcept = default;
  CommandSlot& operator=(CommandSlot&&) = delete;
  ~CommandSlot();

  bool is_counted() const { return static_cast<bool>(file_); }

 private:
  UniqueFd file_;
};

// How many commands all deft processes of a user together have running on this machine. A slot is a locked byte of one
// file, the lowest that is free: locks are the kernel's, so whoever is killed has given its slots back, and processes
// that were told different numbers still agree on what is taken. There is one line to wait in, and whoever comes later
// does not overtake it. Where there is room a slot costs four system calls. Any thread may call.
class CommandSlots {
 public:
  struct Options {
    std::string file;            // absolute; its folder is made if it is missing
    std::size_t most = 0;        // 0: as many as anybody likes
    bool is_within_one = false;  // we are started by a command that has a slot, and that waits for us
  };
  explicit CommandSlots(Options options) : options_(std::move(options)) {}

  // Waits until there is room; `on_wait` is called once, if that is so. Who runs within a command that has a slot waits
  // for nobody: all of them would have to wait for each other. A file that cannot be used counts nobody. The only error
  // is `cancelled`.
  Result<CommandSlot> take(const std::stop_token& stop, const std::function<void()>& on_wait) const;
  // Whether the file can be used, for people.
  Result<void> check() const;
  std::size_t most() const { return options_.most; }

 private:
  Result<UniqueFd> open() const;
  Result<CommandSlot> wait_in_line(UniqueFd file, const std::stop_token& stop) const;

  Options options_;
};

}  // namespace deft
