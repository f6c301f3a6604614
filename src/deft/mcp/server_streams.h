#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

#include "deft/os/http_server.h"

// The event streams of one session, as a server keeps them: a client that lost its connection comes back with the id of
// the last event that it saw and gets the rest.

namespace deft {

inline constexpr std::size_t kMcpEventsKeptBytesMax = std::size_t{16} << 20;  // of one session
inline constexpr std::size_t kMcpStreamsKeptMax = 1'000;

class McpStreams : public std::enable_shared_from_this<McpStreams> {
 public:
  McpStreams() = default;
  McpStreams(const McpStreams&) = delete;
  McpStreams& operator=(const McpStreams&) = delete;

  // A new stream. `answer`: who reads it. `primed`: the client may come back, so it is given an id
  // before anything has happened.
  std::uint64_t open(const std::shared_ptr<HttpAnswer>& answer, HttpFields fields, bool primed);
  void send(std::uint64_t stream, std::string_view message);
  void finish(std::uint64_t stream);  // nothing more comes
  void let_go(std::uint64_t stream);  // the connection ends, the stream does not
  // A reader comes back. False: what it saw last is not known any more.
  bool resume(std::string_view last_event, const std::shared_ptr<HttpAnswer>& answer, HttpFields fields);
  void keep_alive();
  void end();  // all of them
  bool has_reader(std::uint64_t stream) const;

 private:
  struct Event {
    std::uint64_t number;
    std::string text;  // as it stands on the wire
  };
  struct Stream {
    std::shared_ptr<HttpAnswer> reader;
    std::uint64_t events = 0;
    std::deque<Event> kept;
    bool finished = false;
    bool resumable = false;
  };
  static void attach(Stream& stream, const std::shared_ptr<HttpAnswer>& answer, HttpFields fields);
  void watch(std::uint64_t number, const std::shared_ptr<HttpAnswer>& answer);
  void put(std::uint64_t number, Stream& stream, std::string_view data);
  void trim();

  mutable std::mutex mutex_;
  // All under mutex_.
  std::map<std::uint64_t, Stream> streams_;
  std::uint64_t opened_ = 0;
  std::size_t bytes_ = 0;  // of all that is kept
};

}  // namespace deft
