#pragma once

#include <cstddef>
#include <cstdint>

// Where read-only commands may write: a folder for each that runs, below one of the warden's, which is gone when the
// warden is. Making and removing one costs as much as the rest of the restriction together, so an emptied folder is
// used again, by one command after the other.

namespace warden {

inline constexpr std::size_t kFolderPathBytesMax = 320;
// What a command leaves may be a million files: then the rest waits for the warden's end.
inline constexpr int kRemovalMillisMax = 2000;

class PrivateFolders {
 public:
  // An empty folder, only for this user and this command, at `path`. `parent` (TMPDIR, or /tmp) counts when the
  // warden's own is made. Its number, or 0: errno.
  std::uint32_t take(const char* parent, char (&path)[kFolderPathBytesMax]);
  void give_back(std::uint32_t number);  // one that is empty
  void prepare(const char* parent);      // for the first that takes one
  // Those that were not given back as well; at the end.
  void remove_all();
  const char* own() const { return own_; }  // empty: none yet

 private:
  bool make_own(const char* parent);
  bool path_of(std::uint32_t number, char (&path)[kFolderPathBytesMax]) const;

  static constexpr std::size_t kFreeMax = 256;
  char own_[kFolderPathBytesMax] = {};
  std::uint32_t made_count_ = 0;
  std::uint32_t free_[kFreeMax];
  std::size_t free_count_ = 0;
};

// Removes all that is in a folder, following no link, or as much as can be done until `give_up` (now_millis). However
// deep folders are nested, neither memory nor descriptors grow: what is below the second level is first moved up. True:
// it is empty.
bool empty_folder(const char* path, std::int64_t give_up);

}  // namespace warden
