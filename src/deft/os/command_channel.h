#pragma once

#include <mutex>
#include <optional>
#include <string>

#include "deft/os/processes.h"
#include "deft/os/unique_fd.h"
#include "warden/protocol.h"

namespace deft {

// deft's end of one command: what its supervisor reports, and the wish that it end. Closing it (destruction) makes the
// supervisor kill the command at once. Any thread may call anything; who waits, polls fd() for reading and then calls
// receive(). After the outcome fd() stays readable, so nobody waits in vain for what another thread has received.
class CommandChannel {
 public:
  CommandChannel(UniqueFd socket, std::string program, std::string directory)
      : socket_(std::move(socket)), program_(std::move(program)), directory_(std::move(directory)) {}

  int fd() const { return socket_.get(); }
  void request_end(Duration grace);
  void request_timeout(std::optional<Duration> timeout);  // from now on; nothing: it has none any more

  // Takes in what has arrived, without waiting.
  void receive();
  bool is_started() const;
  // How it ended, or why it never ran; nothing while it does.
  std::optional<Result<CommandEnd>> outcome() const;
  bool has_lost_warden() const;  // that is why it ended

 private:
  void send(const warden::Request& request);
  void take(const warden::Report& report);
  Error failure_of(const warden::Report& report) const;

  const UniqueFd socket_;
  const std::string program_;
  const std::string directory_;
  mutable std::mutex mutex_;
  bool is_started_ = false;                    // under mutex_
  std::optional<Result<CommandEnd>> outcome_;  // under mutex_
  bool has_lost_warden_ = false;               // under mutex_
};

}  // namespace deft
