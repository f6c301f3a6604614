#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace deft {

struct LineRange {
  std::uint64_t first = 1;
  std::uint64_t last = 0;  // inclusive
  bool operator==(const LineRange&) const = default;
};

// What the model has seen of one version of a file.
struct FileSeen {
  std::string path;  // canonical
  std::int64_t modified_ns = 0;
  std::uint64_t size = 0;
  std::string content_hash;       // of the whole file, whatever part was shown
  bool whole = false;             // every byte was shown, or written by us
  std::vector<LineRange> lines;   // if not whole: what was shown, sorted, not touching
  std::vector<LineRange> read;    // what Read has shown of it, sorted, not touching
  std::int64_t looked_at_ns = 0;  // the modification time of which the model was told, or that changed nothing
  bool operator==(const FileSeen&) const = default;
};

// Adds what was shown now to what was shown before of the same content; other content replaces it.
FileSeen merge_seen(const FileSeen& before, const FileSeen& now);
bool covers(const FileSeen& seen, const LineRange& lines);
bool was_read(const FileSeen& seen, const LineRange& lines);

// What the model has seen of each file. Pure: nobody looks at the disk here.
//
// What was read counts as read only after its message, and never if that was discarded: reads of one message run side
// by side, and none may depend on which of them was faster.
class FileLedger {
 public:
  void record(const FileSeen& seen);
  void end_message();
  void discard_message() { read_in_message_.clear(); }
  void forget(std::string_view path);  // it was not shown after all
  void forget_read();                  // what was read is out of sight; edits are judged by it all the same
  void looked_at(std::string_view path, std::int64_t modified_ns);
  const FileSeen* find(std::string_view path) const;
  const std::unordered_map<std::string, FileSeen>& all() const { return files_; }

 private:
  std::unordered_map<std::string, FileSeen> files_;
  std::vector<FileSeen> read_in_message_;
};

}  // namespace deft
