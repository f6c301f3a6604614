#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "deft/base/result.h"
#include "deft/os/unique_fd.h"

// What makes a write in place safe: before the first byte of the file changes, its old and its new content lie in a
// journal, in a private folder. Whoever is killed half-way leaves the journal behind, and the next session finds it
// there and puts the old content back.
//
// A journal never lies beside the file: there a stranger's repository could bring one along.

namespace deft {

class InPlaceJournal {
 public:
  // On the disk when this returns; `sync`: also after a power cut. Errors: `stale` if somebody is writing that file in
  // place right now; `io`.
  static Result<InPlaceJournal> begin(const std::string& folder, std::string_view path, std::string_view old_bytes,
                                      std::string_view new_bytes, bool sync);
  InPlaceJournal(InPlaceJournal&& other) noexcept = default;
  InPlaceJournal& operator=(InPlaceJournal&&) = delete;

  // The file is whole again, one way or the other.
  void end();

 private:
  InPlaceJournal(std::string path, UniqueFd file) : path_(std::move(path)), file_(std::move(file)) {}
  std::string path_;
  UniqueFd file_;  // locked: its writer lives
};

// For whoever has no better place: one folder for each user.
std::string user_journal_folder();

// Puts the old content back into every file that a dead process left half-written, and returns their paths. Files that
// are whole, or that somebody has changed since, stay as they are.
std::vector<std::string> recover_in_place_writes(const std::string& folder);

// Whether a file with these contents is what a write in place leaves when it is killed.
bool is_half_written(std::string_view now, std::string_view old_bytes, std::string_view new_bytes);

}  // namespace deft
