#pragma once

#include <condition_variable>
#include <cstddef>
#include <functional>
#include <list>
#include <mutex>
#include <string>
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

 private:
  void write_lines();

  const int descriptor_;
  const std::function<void()> on_broken_;
  std::mutex mutex_;
  std::condition_variable changed_;
  // Under mutex_:
  std::list<std::string> lines_;
  std::unordered_map<std::string, std::list<std::string>::iterator> progress_;  // lines of it that still wait
  std::size_t bytes_ = 0;  // of lines_, and of those that are being written
  bool closing_ = false;
  std::thread thread_;  // last: it uses all of the above
};

}  // namespace deft
