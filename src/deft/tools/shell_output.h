#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "deft/base/terminal_text.h"
#include "deft/core/result_limits.h"
#include "deft/core/tool_result.h"
#include "deft/os/output_folder.h"
#include "deft/tools/excerpt.h"

namespace deft {

inline constexpr std::size_t kShellCharactersShownMax = 1'000'000;  // whatever the settings allow

// What a command prints, in bounded memory: cleaned for the model, its beginning and its end here; every byte of it (up
// to a limit) in a file.
class ShellOutput {
 public:
  enum class Keep : std::uint8_t {
    long_output,  // a file is made when the output is too long to be shown whole, and has its name in the end
    all,          // a file is there from the beginning: somebody may look into it meanwhile
  };
  // `folder` null: nothing can be kept.
  ShellOutput(std::shared_ptr<OutputFolder> folder, const std::string& id, Keep keep,
              std::size_t shown_characters_max = kResultCharactersMax);
  ShellOutput(const ShellOutput&) = delete;
  ShellOutput& operator=(const ShellOutput&) = delete;

  void add(std::string_view bytes);
  // From now on every byte goes to the file, what came before included, and others may look into it.
  void keep_all();
  // No more comes.
  void finish();

  std::uint64_t size() const { return size_; }
  // Is it too long for the model to see all of it?
  bool is_long() const;
  // What the model gets of it instead: after finish().
  LongOutput long_output() const;
  // Whole, or both ends with a note of what was left out and where it is. Valid UTF-8.
  std::string text() const;
  // The same of what came since the last time.
  std::string take_new();
  // The last lines, for progress.
  std::string last_lines(std::size_t bytes_max) const;
  // Every byte as it came, while it is short enough to be here.
  const std::string* raw() const { return raw_is_whole_ ? &raw_ : nullptr; }

  const std::string& file() const;  // empty: it has no name yet, or never
  bool has_file() const { return !file().empty(); }
  std::string problem() const;  // why not everything is in the file; empty: everything is

 private:
  Excerpt with_pending(const Excerpt& excerpt) const;
  std::string shown(const Excerpt& excerpt) const;
  void spill(std::string_view bytes);

  const std::shared_ptr<OutputFolder> folder_;
  const std::unique_ptr<GrowingOutput> growing_;  // null: there is no folder
  Keep keep_;
  const std::size_t shown_characters_max_;
  std::uint64_t spilled_ = 0;
  std::uint64_t size_ = 0;
  std::string raw_;  // until it is in the file
  bool raw_is_whole_ = true;
  bool is_finished_ = false;
  std::optional<KeptOutput> kept_;
  std::string finish_problem_;
  TerminalText cleaner_;
  std::string cleaned_;  // scratch
  Excerpt seen_;
  Excerpt new_;
};

}  // namespace deft
