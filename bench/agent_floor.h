#pragma once

#include <arpa/inet.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

// The floor: the smallest native client that does the same requests and system calls. It sends the same requests, byte
// for byte (they were recorded; the next one is in memory before it is needed), reads the same streams, and makes the
// system calls of the tools and those that keep the promises of the program it is compared with: what has happened is
// in a file before the next request, what is going to be changed before it is, the old content too; nothing is sent to
// a server that has hung up; settings that somebody changed count from the next message on; a path is looked at without
// following a link before it is judged, and nothing but a regular file is opened. It knows no permission, no order, no
// JSON beyond finding a string in it, and trusts everybody.

extern char** environ;

namespace bench {

class FloorClient {
 public:
  // `folder` holds the bodies: 0, 1, 2 …
  FloorClient(std::uint16_t port, std::string folder)
      : folder_(std::move(folder)),
        socket_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)),
        journal_(::open((folder_ + "/journal").c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC, 0600)),
        settings_(places_of_settings(folder_.substr(0, folder_.rfind('/')))) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (::connect(socket_, reinterpret_cast<sockaddr*>(&address), sizeof address) != 0) std::exit(1);
    const int yes = 1;
    ::setsockopt(socket_, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
  }

  int run() {
    std::string body = read_body(0);
    for (int turn = 0; !body.empty(); ++turn) {
      if (turn > 0) look_at_connection();
      send_all("POST /v1/messages HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nContent-Length: " +
                   std::to_string(body.size()) + "\r\n\r\n",
               body);
      body = read_body(turn + 1);
      read_answer();
      end_commands();
      remember(told_);
      told_.clear();
    }
    return 0;
  }

 private:
  static std::vector<std::string> places_of_settings(const std::string& root) {
    return {"/etc/deft",
            "/etc/claude-code",
            root + "/project/.deft",
            root + "/project/.claude",
            root + "/home/.config/deft",
            root + "/home/.claude",
            root + "/home/.local/state/deft/trusted.json"};
  }

  void remember(std::string_view what) {
    if (::write(journal_, what.data(), what.size()) < 0) std::exit(1);
  }

  std::string read_body(int turn) {
    const std::string path = folder_ + "/" + std::to_string(turn);
    return ::access(path.c_str(), R_OK) == 0 ? read_file(path) : std::string();
  }

  // Whether the server still listens.
  void look_at_connection() {
    char byte;
    if (::recv(socket_, &byte, 1, MSG_PEEK | MSG_DONTWAIT) >= 0) std::exit(1);
  }

  // One of the message's first call: which files there are now, of those that could hold settings.
  void look_at_settings() {
    struct stat status{};
    for (const std::string& path : settings_) ::stat(path.c_str(), &status);
  }

  void send_all(std::string_view head, std::string_view body) {
    while (head.size() + body.size() > 0) {
      iovec parts[2] = {{const_cast<char*>(head.data()), head.size()}, {const_cast<char*>(body.data()), body.size()}};
      const ssize_t count = ::writev(socket_, parts, 2);
      if (count <= 0) std::exit(1);
      const std::size_t of_head = std::min(head.size(), static_cast<std::size_t>(count));
      head.remove_prefix(of_head);
      body.remove_prefix(static_cast<std::size_t>(count) - of_head);
    }
  }

  // Chunk heads may stand anywhere between events; a line that is none is passed over.
  void read_answer() {
    std::string unread;
    char bytes[65536];
    while (true) {
      const std::size_t end = unread.find("0\r\n\r\n");
      std::size_t line = 0;
      for (std::size_t at; (at = unread.find("\n\n", line)) != std::string::npos; line = at + 2) {
        read_event(std::string_view(unread).substr(line, at - line));
      }
      unread.erase(0, line);
      if (end != std::string::npos) return;
      const ssize_t count = ::recv(socket_, bytes, sizeof bytes, 0);
      if (count <= 0) std::exit(0);
      unread.append(bytes, static_cast<std::size_t>(count));
    }
  }

  static std::string member(std::string_view json, std::string_view key) {
    const std::string name = "\"" + std::string(key) + "\":\"";
    const std::size_t at = json.find(name);
    if (at == std::string_view::npos) return {};
    std::string value;
    for (std::size_t i = at + name.size(); i < json.size() && json[i] != '"'; ++i) {
      if (json[i] == '\\' && ++i < json.size() && json[i] == 'n') {
        value += '\n';
      } else {
        value += json[i];
      }
    }
    return value;
  }

  void read_event(std::string_view data) {
    if (data.find("\"message_start\"") != std::string_view::npos) {
      has_calls_ = false;
    } else if (data.find("\"text_delta\"") != std::string_view::npos) {
      text_ += member(data, "text");
    } else if (data.find("\"tool_use\"") != std::string_view::npos) {
      tool_ = member(data, "name");
      input_.clear();
    } else if (data.find("\"input_json_delta\"") != std::string_view::npos) {
      input_ += member(data, "partial_json");
    } else if (data.find("\"content_block_stop\"") != std::string_view::npos && !tool_.empty()) {
      if (!std::exchange(has_calls_, true)) look_at_settings();
      told_ += input_;
      if (tool_ == "Read") told_ += read_named_file(member(input_, "file_path"));
      if (tool_ == "Edit") edit_file();
      if (tool_ == "Bash") start_command(member(input_, "command"));
      tool_.clear();
    }
  }

  static int open_without_links(const std::string& path, int flags) {
    open_how how{};
    how.flags = static_cast<__u64>(flags | O_CLOEXEC);
    how.resolve = RESOLVE_NO_SYMLINKS;
    return static_cast<int>(::syscall(SYS_openat2, AT_FDCWD, path.c_str(), &how, sizeof how));
  }

  // Whether its name leads where it says, before anybody judges it; whether it is a file, before it is opened.
  std::string read_named_file(const std::string& path) {
    ::close(open_without_links(path, O_PATH));
    struct stat status{};
    if (::lstat(path.c_str(), &status) != 0 || !S_ISREG(status.st_mode)) std::exit(1);
    return read_file(path);
  }

  std::string read_file(const std::string& path) {
    const int file = open_without_links(path, O_RDONLY);
    struct stat status{};
    if (::fstat(file, &status) != 0) std::exit(1);
    std::string content(static_cast<std::size_t>(status.st_size), '\0');
    const ssize_t count = ::read(file, content.data(), content.size());
    content.resize(count > 0 ? static_cast<std::size_t>(count) : 0);
    ::close(file);
    return content;
  }

  void edit_file() {
    const std::string path = member(input_, "file_path");
    std::string content = read_file(path);
    write_file(folder_ + "/before", content);
    remember(input_);
    const std::string from = member(input_, "old_string");
    if (const std::size_t at = content.find(from); at != std::string::npos) {
      content.replace(at, from.size(), member(input_, "new_string"));
    }
    write_file(path, content);
  }

  void write_file(const std::string& path, std::string_view content) {
    const std::string temporary = path + ".new";
    const int file = ::open(temporary.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
    if (::write(file, content.data(), content.size()) < 0) std::exit(1);
    ::close(file);
    ::rename(temporary.c_str(), path.c_str());
  }

  struct Running {
    pid_t pid;
    int output;
  };
  void start_command(const std::string& command) {
    remember(command);
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0) std::exit(1);
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&actions, ends[1], 1);
    posix_spawn_file_actions_adddup2(&actions, ends[1], 2);
    const char* argv[] = {"/bin/bash", "--noprofile", "--norc", "-c", command.c_str(), nullptr};
    Running running{0, ends[0]};
    if (::posix_spawn(&running.pid, argv[0], &actions, nullptr, const_cast<char**>(argv), environ) != 0) std::exit(1);
    posix_spawn_file_actions_destroy(&actions);
    ::close(ends[1]);
    commands_.push_back(running);
  }

  // Output goes to a file as a whole, as it would have to for a large one.
  void end_commands() {
    std::vector<char> bytes(1 << 16);
    for (const Running& running : commands_) {
      const std::string path = folder_ + "/output";
      const int file = ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
      for (ssize_t count; (count = ::read(running.output, bytes.data(), bytes.size())) > 0;) {
        if (::write(file, bytes.data(), static_cast<std::size_t>(count)) < 0) std::exit(1);
      }
      ::close(file);
      ::close(running.output);
      ::waitpid(running.pid, nullptr, 0);
    }
    commands_.clear();
  }

  std::string folder_;
  int socket_;
  int journal_;
  const std::vector<std::string> settings_;  // where they could be
  bool has_calls_ = false;                   // the message that is being read
  std::string told_;                         // this turn, and not remembered yet
  std::string text_;
  std::string tool_;
  std::string input_;
  std::vector<Running> commands_;
};

}  // namespace bench
