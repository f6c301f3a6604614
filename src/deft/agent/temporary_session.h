#pragma once

#include <string>

#include "deft/base/result.h"
#include "deft/os/unique_fd.h"

namespace deft {

// The folder of a session that nobody wants to keep. It is removed at the end; and since a killed process cannot do
// that, whoever ends properly also removes the folders of those of the same user that are dead.
class TemporarySession {
 public:
  static Result<TemporarySession> make(std::string parent);
  TemporarySession(TemporarySession&&) = default;
  TemporarySession& operator=(TemporarySession&&) = delete;
  ~TemporarySession();

  const std::string& path() const { return path_; }

 private:
  TemporarySession(std::string path, UniqueFd lock) : path_(std::move(path)), lock_(std::move(lock)) {}

  std::string path_;
  UniqueFd lock_;  // held as long as we live, however we end
};

}  // namespace deft
