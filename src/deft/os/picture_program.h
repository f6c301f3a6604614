#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "deft/base/result.h"

namespace deft {

// The program of src/picture, which makes a picture small enough to be shown, as a file that can be started. It lies in
// a private folder of its own and is gone with this object.
class PictureProgram {
 public:
  // In `folder` if programs may be started there, else in one of the system's folders for temporary files.
  static Result<PictureProgram> put_into(std::string_view folder);
  PictureProgram(PictureProgram&& other) noexcept : folder_(std::exchange(other.folder_, {})) {}
  PictureProgram& operator=(PictureProgram&&) = delete;
  ~PictureProgram();

  std::string path() const;  // absolute

 private:
  explicit PictureProgram(std::string folder) : folder_(std::move(folder)) {}
  std::string folder_;
};

}  // namespace deft
