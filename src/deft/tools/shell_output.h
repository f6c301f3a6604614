#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "deft/base/terminal_text.h"
#include "deft/tools/excerpt.h"

namespace deft {

inline constexpr std::size_t kShellOutputShownBytes = 30'000;
inline constexpr std::uint64_t kShellOutputFileBytesMax = std::uint64_t{64} << 20;

// What a command prints, in bounded memory: cleaned for the model, its beginning and its end here; every byte of it (up
// to a limit) in a file.
class ShellOutput {
 public:
  enum class Keep : std::uint8_t {
    long_output,  // a file is made when the output is too long to be shown whole
    all,          // a file is made at the first byte: somebody may look into it meanwhile
  };
  ShellOutput(std::string file, Keep keep, std::size_t shown_bytes_max = kShellOutputShownBytes)
      : file_(std::move(file)),
        keep_(keep),
        shown_bytes_max_(shown_bytes_max),
        seen_(shown_bytes_max),
        new_(shown_bytes_max) {}
  ~ShellOutput();
  ShellOutput(const ShellOutput&) = delete;
  ShellOutput& operator=(const ShellOutput&) = delete;

  void add(std::string_view bytes);
  // From now on every byte goes to the file, what came before included.
  void keep_all();
  std::uint64_t size() const { return size_; }
  // For the model: whole, or both ends with a note of what was left out and where it is. Valid UTF-8.
  std::string text() const;
  // The same of what came since the last time.
  std::string take_new();
  // The last lines, for progress.
  std::string last_lines(std::size_t bytes_max) const;
  // Every byte as it came, while it is short enough to be here.
  const std::string* raw() const { return raw_is_whole_ ? &raw_ : nullptr; }

  const std::string& file() const { return file_; }
  bool has_file() const { return descriptor_ >= 0; }

 private:
  std::string shown(const Excerpt& excerpt) const;
  void spill(std::string_view bytes);
  bool open_file();

  const std::string file_;
  Keep keep_;
  const std::size_t shown_bytes_max_;
  int descriptor_ = -1;
  bool file_failed_ = false;
  std::uint64_t in_file_ = 0;
  std::uint64_t size_ = 0;
  std::string raw_;  // until it is in the file
  bool raw_is_whole_ = true;
  TerminalText cleaner_;
  std::string cleaned_;  // scratch
  Excerpt seen_;
  Excerpt new_;
};

}  // namespace deft
