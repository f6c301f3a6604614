#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace deft {

inline constexpr std::size_t kShellOutputShownBytesMax = 30'000;
inline constexpr std::uint64_t kShellOutputFileBytesMax = std::uint64_t{64} << 20;

// What a command prints, in bounded memory: its beginning and its end here, all of it (up to a limit) in a file as soon
// as it is too long to be shown whole.
class ShellOutput {
 public:
  // `file`: where long output goes; made only when it is needed.
  explicit ShellOutput(std::string file) : file_(std::move(file)) {}
  ~ShellOutput();
  ShellOutput(const ShellOutput&) = delete;
  ShellOutput& operator=(const ShellOutput&) = delete;

  void add(std::string_view bytes);
  std::uint64_t size() const { return size_; }
  // For the model: whole, or both ends with a note of what was left out and where it is. Valid UTF-8.
  std::string text() const;
  // The last lines, for progress.
  std::string last_lines(std::size_t bytes_max) const;

 private:
  void keep(std::string_view bytes);
  void spill(std::string_view bytes);

  std::string file_;
  int descriptor_ = -1;
  bool file_failed_ = false;
  std::uint64_t in_file_ = 0;
  std::uint64_t size_ = 0;
  std::string head_;
  std::string tail_;  // what follows the head; its end once it grows too long
};

}  // namespace deft
