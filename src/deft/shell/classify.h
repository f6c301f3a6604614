#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "deft/shell/commands.h"

// Is a command line read-only? Read-only means: under bash, started fresh in that directory, it changes no persistent
// state, runs no program or code that an argument, a variable, a file name, standard input or the repository chooses,
// opens no network connection or privileged socket, and bash cannot read it in another way. Whatever is not known to be
// so is not read-only. Judged by the text; nothing is run.

namespace deft::shell {

inline constexpr std::size_t kClassifiedCharactersMax = 10'000;
inline constexpr std::size_t kJsonLineBytesMax = std::size_t{16} << 20;
inline constexpr std::size_t kViewedBytesMax = std::size_t{1} << 20;

// The two looks at the disk that judging git takes: its configuration names programs to run. Both may be left empty;
// then git commands are judged by their text alone.
struct FileView {
  // Nothing: no such file. Of a file longer than kViewedBytesMax at least one byte more than that.
  std::function<std::optional<std::string>(const std::string& path)> read;
  std::function<std::optional<std::string>(const std::string& path)> real_path;  // nothing: does not exist
};

struct ClassifyOptions {
  std::string cwd;   // absolute; "" if not known
  std::string home;  // absolute; "" if not known
  FileView files;
};

struct Verdict {
  bool read_only = false;
  std::string reason;  // one line
};

Verdict classify(std::string_view command, const ClassifyOptions& options = {});
// The same for a command line that was reduced before.
Verdict classify(const Commands& commands, const ClassifyOptions& options);

// One line of `deft classify --json`: {"id","cmd","cwd"} in, {"id","verdict","reason"} out, without the line end. A
// line that cannot be used is not read-only and carries "error". A "cwd" in the line replaces that of the options.
std::string classify_json_line(std::string_view line, const ClassifyOptions& options = {});

}  // namespace deft::shell
