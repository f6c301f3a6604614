#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "deft/base/clock.h"
#include "deft/base/json.h"
#include "deft/base/result.h"
#include "deft/config/lsp_settings.h"
#include "deft/lsp/handshake.h"
#include "deft/os/files.h"

namespace deft::lsp {

inline constexpr std::size_t kDocumentBytesMax = std::size_t{8} << 20;
inline constexpr std::size_t kOpenDocumentsMax = 100;  // the one that was not asked for longest is closed then
// A file that was changed so shortly before it was read may change once more without showing it in its time.
inline constexpr Duration kTimeGranularity = std::chrono::milliseconds(100);

// The files that a server has been shown, and keeping it told of what they hold now. What is on the disk counts: deft
// changes files there and nowhere else, and so does everybody else. One thread at a time.
class Documents {
 public:
  using Tell = std::function<void(std::string_view method, Json params)>;
  using Moment = std::function<std::uint64_t()>;
  // `moment`: what is remembered of the time when a content is told.
  Documents(const LanguageServerSpec& spec, const Clock& clock, Tell tell, Moment moment)
      : spec_(spec), clock_(clock), tell_(std::move(tell)), moment_(std::move(moment)) {}

  struct Document {
    std::int64_t version = 0;
    std::uint64_t told_at = 0;  // the moment before the server was told of this content
  };
  // Shows a file to the server, or what has changed in it. The path is canonical. Error: it cannot be read, or is no
  // text, or is none of the server's languages.
  Result<Document> show(const std::string& path, Files& files, const ServerAbilities& abilities);
  // The same, for who has just read it.
  Result<Document> show(const std::string& path, const FileContent& content, const ServerAbilities& abilities);
  // Of all that were shown before, but one: what has changed meanwhile; those that are gone are closed.
  void refresh(Files& files, const ServerAbilities& abilities, std::string_view but_not = {});
  bool is_open(const std::string& path) const { return open_.contains(path); }

 private:
  struct Open {
    std::int64_t version = 1;
    std::uint64_t told_at = 0;
    FileStatus status{};
    ContentId content{};
    bool is_settled = false;  // the time of the file tells whether it has changed
    std::uint64_t last_use = 0;
  };

  bool is_settled(const FileStatus& status) const;
  bool is_unchanged(const Open& document, const FileStatus& now) const;
  Result<void> read_again(const std::string& path, Open& document, Files& files, const ServerAbilities& abilities);
  Result<void> take(const std::string& path, Open& document, const FileContent& content,
                    const ServerAbilities& abilities);
  Result<Document> open(const std::string& path, const FileContent& content);
  void close(const std::string& path, const Error& why);
  void close_oldest();

  const LanguageServerSpec& spec_;
  const Clock& clock_;
  const Tell tell_;
  const Moment moment_;
  std::map<std::string, Open> open_;
  std::uint64_t uses_ = 0;
};

}  // namespace deft::lsp
