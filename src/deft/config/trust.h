#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "deft/base/result.h"
#include "deft/config/change_file.h"

namespace deft {

// A folder that the user has trusted: its real path, and which folder stood there. Another one in its place is not it.
struct TrustedFolder {
  std::string path;
  std::uint64_t device = 0;
  std::uint64_t inode = 0;
  bool operator==(const TrustedFolder&) const = default;
};

// Of a folder as it is now.
Result<TrustedFolder> folder_identity(const std::string& path);

// The list of one user, in a file that only they can read. A file that is broken trusts nothing.
class TrustStore {
 public:
  TrustStore(std::string file, ChangeFile change_file) : file_(std::move(file)), change_file_(std::move(change_file)) {}
  static std::string default_file();  // $XDG_STATE_HOME/deft/trusted.json; empty without a home

  bool is_trusted(const std::string& path) const;
  Result<std::vector<TrustedFolder>> list() const;
  Result<void> add(const std::string& path) const;
  Result<void> remove(const std::string& path) const;  // also of a folder that is gone

 private:
  std::string file_;
  ChangeFile change_file_;
};

}  // namespace deft
