#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <functional>
#include <list>
#include <mutex>
#include <stop_token>
#include <string>
#include <string_view>
#include <thread>
#include <unordered_map>

namespace deft {

// Writes lines to a descriptor on a thread of its own, so that a slow or stopped reader stalls nobody. Progress is one
// cell per call: while an earlier progress line of it still waits, the newer takes its place.
class LineWriter {
 public:
  // `on_broken` is told, once and on the writer's thread, that nobody reads any more.
  LineWriter(int descriptor, std::function<void()> on_broken);
  ~LineWriter() { finish(); }
  LineWriter(const LineWriter&) = delete;
  LineWriter& operator=(const LineWriter&) = delete;

  void put(std::string line);   // without its newline
  std::size_t waiting_bytes();  // of lines that the reader has not taken yet
  void put_progress(const std::string& call_id, std::string line);
  void finish();  // returns when everything is written, or nobody reads; nothing may be put after it
  // The same, and it is not waited for longer than this. False: the reader has not taken everything. Where the
  // descriptor does not block, the rest is dropped; else the thread stays in its write(), and the process must leave
  // with _exit.
  bool finish_within(std::chrono::nanoseconds at_most);
  // After the end, for people: why not everything is where it belongs (a full disk). Empty: it is, or nobody reads.
  std::string problem();

 private:
  void need_thread();  // under mutex_
  void write_lines();
  void write_until_closed();
  int write_all(std::string_view bytes) const;  // the errno of a failure; 0: all is written

  const int descriptor_;
  const std::function<void()> on_broken_;
  std::mutex mutex_;
  std::condition_variable changed_;
  // Under mutex_:
  std::list<std::string> lines_;
  std::unordered_map<std::string, std::list<std::string>::iterator> progress_;  // lines of it that still wait
  std::size_t bytes_ = 0;  // of lines_, and of those that are being written
  bool closing_ = false;
  bool is_over_ = false;
  int failure_ = 0;           // the errno
  std::stop_source give_up_;  // what is not written by now is dropped
  std::thread thread_;        // begins with the first line
};

}  // namespace deft
