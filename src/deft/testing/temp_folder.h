#pragma once

#include <sys/stat.h>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <optional>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "deft/base/check.h"

namespace deft {

// A real folder of a test's own, gone at the end. Its path is canonical.
class TempFolder {
 public:
  TempFolder() {
    std::string pattern = (std::filesystem::canonical(std::filesystem::temp_directory_path()) / "deft-test-XXXXXX");
    DEFT_CHECK(::mkdtemp(pattern.data()) != nullptr);
    path_ = pattern;
  }
  TempFolder(const TempFolder&) = delete;
  ~TempFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }

  const std::string& path() const { return path_; }
  std::string operator/(std::string_view name) const { return path_ + "/" + std::string(name); }

  // Returns the absolute path.
  std::string put(std::string_view name, std::string_view bytes, std::uint32_t mode = 0644) const {
    const std::string path = *this / name;
    std::filesystem::create_directories(std::filesystem::path(path).parent_path());
    std::ofstream(path, std::ios::binary) << bytes;
    DEFT_CHECK(::chmod(path.c_str(), mode) == 0);
    return path;
  }

  std::optional<std::string> bytes(std::string_view name) const {
    std::ifstream in(*this / name, std::ios::binary);
    if (!in) return std::nullopt;
    std::ostringstream out;
    out << in.rdbuf();
    return out.str();
  }

  // Of what is in it, or in a folder in it; sorted.
  std::vector<std::string> names(std::string_view folder = {}) const {
    std::vector<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(*this / folder))
      names.push_back(entry.path().filename());
    std::sort(names.begin(), names.end());
    return names;
  }

 private:
  std::string path_;
};

}  // namespace deft
