#pragma once

#include <string>
#include <string_view>

#include "deft/tools/tool.h"

namespace deft {

// Finds out where a command left the shell, so that the next one starts there.
class LastDirectory {
 public:
  // Only a command that could change its directory is asked.
  LastDirectory(std::string_view session_folder, std::string_view call_id, std::string_view command);
  // Where the command writes it; empty: it is not asked.
  const std::string& file() const { return file_; }
  ~LastDirectory();
  LastDirectory(const LastDirectory&) = delete;
  LastDirectory& operator=(const LastDirectory&) = delete;

  // The command, with a note of ours to itself on its first line: line numbers in messages stay right.
  std::string script(std::string_view command) const;
  // The next call starts where this one left the shell, if that is there and inside the session's directories.
  void follow(const ToolIo& io, ToolResult& result) const;

 private:
  std::string read() const;

  std::string file_;
};

// By its text: only a command that names one of the words for it can.
bool may_change_directory(std::string_view command);
bool is_folder(const ToolIo& io, std::string_view path);
// Somebody else removed the working directory: the command may mean something else elsewhere, so it is not run there.
ToolResult directory_is_gone(const ToolIo& io);

}  // namespace deft
