#pragma once

#include <map>
#include <mutex>
#include <optional>
#include <string>

#include "deft/base/json.h"
#include "deft/base/result.h"

namespace deft {

// What is remembered of servers from session to session: which revision each speaks, and how its tools described
// themselves when they last ran. In a file of the user's state; one that is broken remembers nothing. Any thread.
class McpMemory {
 public:
  // Empty: nothing is kept beyond this process.
  explicit McpMemory(std::string file) : file_(std::move(file)) {}
  static std::string default_file();  // $XDG_STATE_HOME/deft/mcp-servers.json; empty without a home

  // `server`: its name and what it consists of, so that another one of the same name is another one.
  std::string protocol(const std::string& server) const;
  void keep_protocol(const std::string& server, const std::string& protocol);
  std::optional<std::string> tool(const std::string& server, const std::string& tool) const;
  void keep_tool(const std::string& server, const std::string& tool, const std::string& identity);

 private:
  struct Known {
    std::string protocol;
    std::map<std::string, std::string> tools;
  };
  const Known* find_known(const std::string& server) const;
  void read() const;
  void write(const std::string& server);

  const std::string file_;
  mutable std::mutex mutex_;
  mutable bool is_read_ = false;  // this and all below under mutex_
  mutable std::map<std::string, Known> known_;
};

}  // namespace deft
