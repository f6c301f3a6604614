#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "deft/core/source_lines.h"
#include "deft/lsp/diagnostics.h"
#include "deft/tools/tool.h"

namespace deft::lsp {

inline constexpr std::size_t kQuotedFilesMax = 300;
inline constexpr std::size_t kQuotedBytesMax = std::size_t{64} << 20;  // of all files that lines are shown from
inline constexpr std::size_t kQuotedLineCharactersMax = 160;

// A place that a server names.
struct ServerPlace {
  std::string path{};  // normalised; empty: it is no file, `uri` says what it is
  std::string uri{};
  std::size_t line = 1;   // from 1
  std::size_t units = 0;  // in that line before it, as the server counts
};

// Puts places into words, as one call may see them: "src/a.cc:12:5: int x = f();", paths as seen from the working
// directory, columns in characters. What the rules keep from being read is hidden, and a line of a file is shown only
// if it could be read without asking: a project can make a server name any file. Reads each file once.
class SourceView {
 public:
  SourceView(ToolIo& io, ColumnUnit unit) : io_(io), unit_(unit) {}

  // What a file holds, by its canonical path: it is not read again. The bytes stay.
  void know(const std::string& canonical, std::string_view bytes);

  bool is_hidden(const ServerPlace& place);
  std::string shown_path(const ServerPlace& place) const;
  std::string place(const ServerPlace& place);            // "src/a.cc:12:5"
  std::string with_line(const ServerPlace& place);        // and the source line, if it may be shown
  std::string line_and_column(const ServerPlace& place);  // "12:5"
  std::string shown(const std::string& path, const Diagnostic& diagnostic);

 private:
  struct File {
    std::string text;
    std::optional<SourceLines> lines;
  };
  const SourceLines* lines_of(const std::string& path);
  bool may_quote(const std::string& canonical) const;
  const std::optional<std::string>& canonical_of(const std::string& path);

  ToolIo& io_;
  const ColumnUnit unit_;
  std::map<std::string, File> files_;
  std::map<std::string, bool> hidden_;                           // by path, as the next
  std::map<std::string, std::optional<std::string>> canonical_;  // nothing: it has none
  std::string known_path_;
  std::string_view known_bytes_;
  std::size_t bytes_ = 0;
};

}  // namespace deft::lsp
