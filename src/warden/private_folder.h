#pragma once

#include <cstddef>
#include <cstdint>

// Where read-only commands may write: a folder of its own for each, below one of the warden's, which is gone when the
// warden is.

namespace warden {

inline constexpr std::size_t kFolderPathBytesMax = 320;
// What a command leaves may be a million files: then the rest waits for the warden's end.
inline constexpr int kRemovalMillisMax = 1000;

class PrivateFolders {
 public:
  // Makes a new folder, only for this user, and writes its path to `path`. `parent` (TMPDIR, or /tmp) counts when the
  // warden's own is made. False: errno.
  bool make(const char* parent, char (&path)[kFolderPathBytesMax]);
  // Of all commands together; at the end.
  void remove_all();
  const char* own() const { return own_; }  // empty: none yet

 private:
  bool make_own(const char* parent);

  char own_[kFolderPathBytesMax] = {};
  std::uint64_t count_ = 0;
};

// Removes the folder and all in it, following no link, or as much as can be done until `give_up` (now_millis). However
// deep folders are nested, neither memory nor descriptors grow: what is below the second level is first moved up.
void remove_folder(const char* path, std::int64_t give_up);

}  // namespace warden
