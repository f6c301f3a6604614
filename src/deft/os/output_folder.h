#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "deft/base/result.h"
#include "deft/os/survives.h"
#include "deft/os/unique_fd.h"

namespace deft {

// How much may be kept.
struct OutputQuota {
  std::uint64_t file_bytes_max = std::uint64_t{64} << 20;
  std::uint64_t folder_bytes_max = std::uint64_t{1} << 30;
  std::uint64_t free_bytes_min = std::uint64_t{64} << 20;  // that stay free on the disk
};

struct KeptOutput {
  std::string path;
  std::uint64_t bytes = 0;    // in the file: fewer than were given if one file may have no more
  std::string original = {};  // the name of the first file with this content: the same for the same content
};

class GrowingOutput;

// A folder of files that are written once: private to their user (0700, 0600), never overwritten, whole or absent after
// a crash, each with a name made from an id that a stranger may have chosen. Files of the same content share their
// space (hard links). Any thread may call.
//
// The folder is opened once and without following a link, and everything happens inside the opened one: whoever puts a
// link in its place misses.
class OutputFolder {
 public:
  explicit OutputFolder(std::string path, OutputQuota quota = {}, Survives survives = Survives::killed)
      : path_(std::move(path)), quota_(quota), survives_(survives) {}
  OutputFolder(const OutputFolder&) = delete;
  OutputFolder& operator=(const OutputFolder&) = delete;

  // Of more than one file may have, the beginning is kept. `extension`: ".txt".
  Result<KeptOutput> keep(std::string_view id, std::string_view extension, std::string_view bytes);
  // For output that is still coming. The folder must outlive it.
  std::unique_ptr<GrowingOutput> grow(std::string id, std::string extension);

  const std::string& path() const { return path_; }
  const OutputQuota& quota() const { return quota_; }

 private:
  friend class GrowingOutput;
  struct Finished {
    std::string name;
    std::string original;
  };

  Result<int> folder();                       // opened; makes it
  Result<void> reserve(std::uint64_t bytes);  // of the quotas
  void release(std::uint64_t bytes);
  void look_around(int folder);  // what is there from an earlier run; under mutex_
  std::vector<Finished> same_size(std::uint64_t bytes);
  void finished(std::uint64_t bytes, Finished file);
  // Gives a file the first name that is free: another one, or instead of the one that it has.
  Result<std::string> put_in_place(std::string_view id, std::string_view extension, const std::string& from,
                                   bool is_move);

  const std::string path_;
  const OutputQuota quota_;
  const Survives survives_;
  std::mutex mutex_;
  // All under mutex_.
  UniqueFd folder_;
  bool looked_around_ = false;
  std::uint64_t bytes_kept_ = 0;
  std::uint64_t bytes_since_look_ = 0;  // at the free space of the disk
  std::uint64_t parts_begun_ = 0;
  std::multimap<std::uint64_t, Finished> by_size_;
};

// A file that grows. One thread at a time.
class GrowingOutput {
 public:
  GrowingOutput(OutputFolder& folder, std::string id, std::string extension)
      : folder_(folder), id_(std::move(id)), extension_(std::move(extension)) {}
  ~GrowingOutput();  // what was neither published nor finished is removed
  GrowingOutput(const GrowingOutput&) = delete;
  GrowingOutput& operator=(const GrowingOutput&) = delete;

  // What does not fit any more is left out; after an error nothing more is taken.
  void add(std::string_view bytes);
  // Gives it its name now, so that others can look into it while it grows.
  void publish();
  // No more comes. Content that is there already is not kept twice.
  Result<KeptOutput> finish();

  const std::string& path() const { return path_; }        // empty before publish() and finish()
  std::uint64_t bytes() const { return bytes_; }           // in the file
  const std::string& problem() const { return problem_; }  // why not everything is in it; empty: everything is

 private:
  bool open();
  void fail_with(std::string problem);

  OutputFolder& folder_;
  const std::string id_;
  const std::string extension_;
  UniqueFd fd_;
  std::string part_;  // its name while it has no other
  std::string path_;
  std::string problem_;
  std::uint64_t bytes_ = 0;
  bool is_finished_ = false;
};

}  // namespace deft
