#pragma once

#include <sys/stat.h>

#include <optional>
#include <string>
#include <vector>

namespace deft {

// How files look from outside, to notice cheaply that none of them has changed, come or gone. Of a folder that is not
// there one look says it of all files in it.
class FileLooks {
 public:
  FileLooks() = default;
  explicit FileLooks(const std::vector<std::string>& paths);

  bool are_unchanged() const;

 private:
  using Look = std::optional<struct stat>;  // nothing: it is not there
  struct Looked {
    std::string path;
    Look look;
  };
  static Look look_at(const std::string& path);
  static bool is_same(const Look& before, const Look& now);

  std::vector<Looked> looked_;
};

}  // namespace deft
