#pragma once

#include <atomic>
#include <condition_variable>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "deft/lsp/connection.h"
#include "deft/lsp/diagnostics.h"
#include "deft/lsp/documents.h"
#include "deft/lsp/handshake.h"
#include "deft/lsp/watched_files.h"

namespace deft::lsp {

inline constexpr Duration kStartTimeMax = std::chrono::seconds(30);
inline constexpr Duration kGoodbyeTimeMax = std::chrono::milliseconds(500);
inline constexpr std::size_t kProgressesMax = 100;
// A server that has just been shown its first file may not have begun to look at the rest of the project yet.
inline constexpr Duration kSettleTime = std::chrono::milliseconds(700);
// Some answer about a file at once, with nothing, before they have read it.
inline constexpr Duration kFirstLookMax = std::chrono::seconds(10);
inline constexpr int kRetriesMax = 6;  // of a request that the server gives up by itself

struct ServerStart {
  LanguageServerSpec spec;
  std::string root;  // canonical: the project that it serves
  Command command;   // ready to run
  Duration settle_time = kSettleTime;
};

// A language server that runs and has introduced itself. Any thread may call.
class LanguageServer {
 public:
  // Runs the program and waits until it is ready. Errors: those of Processes::start(), `timeout`, `cancelled`, `io`.
  static Result<std::shared_ptr<LanguageServer>> start(ServerStart start, Processes& processes, const Clock& clock,
                                                       const RequestUntil& until);
  ~LanguageServer();  // it is gone then
  LanguageServer(const LanguageServer&) = delete;
  LanguageServer& operator=(const LanguageServer&) = delete;

  const LanguageServerSpec& spec() const { return start_.spec; }
  const std::string& root() const { return start_.root; }
  ServerAbilities abilities() const;
  std::optional<std::string> ended() const { return connection_->ended(); }  // why; nothing: it runs
  void ask_to_end() { connection_->ask_to_end(); }
  bool wait_for_end(TimePoint deadline) { return connection_->wait_for_end(deadline); }

  // Tells it of everything that has changed in the files that it knows, and shows it this one.
  Result<Documents::Document> synchronise(const std::string& path, Files& files);
  // The same, for who has just read the file.
  Result<Documents::Document> synchronise(const std::string& path, const FileContent& content, Files& files);
  void refresh(Files& files);
  bool knows(const std::string& path) const;
  void tell_of_change(const std::string& path);  // in a file that it may not know

  // As Connection::request(); a server that gave up because something changed is asked again.
  Result<Json> request(std::string_view method, const Json& params, const RequestUntil& until);

  // What it says about a file that was synchronised. Nothing: it has not said it in time.
  Result<std::optional<std::vector<Diagnostic>>> diagnostics(const std::string& path, const Documents::Document& shown,
                                                             const RequestUntil& until);
  // What it said last.
  std::optional<std::vector<Diagnostic>> last_diagnostics(const std::string& path) const;

  // Has it said anything about this content of a file? If not, this waits until it has, a little, and a server that
  // never does is not waited for again. True: it had not, so what it answered before may be too early.
  bool wait_for_first_look(const std::string& path, const Documents::Document& shown, std::stop_token stop);

  // A server that has just started may answer at once, before it has read anything: whoever asks it first waits for its
  // first look. Later nobody does.
  void warm_up(const std::string& path, const Documents::Document& shown, std::stop_token stop);

  // Waits until it has read the project, as far as it tells. What it is still busy with then; nothing: it is done.
  std::optional<std::string> wait_until_idle(const RequestUntil& until);

 private:
  LanguageServer(ServerStart start, const Clock& clock)
      : start_(std::move(start)),
        clock_(clock),
        board_(clock),
        documents_(
            start_.spec, clock,
            [this](std::string_view method, Json params) { connection_->notify(method, std::move(params)); },
            [this] { return board_.count(); }),
        watched_(start_.root, start_.spec, clock) {}
  void connect(std::unique_ptr<Child> child);
  Result<void> introduce(const RequestUntil& until);
  void bring_up_to_date(Files& files, std::string_view but_not = {});  // under documents_mutex_
  bool pulls_diagnostics() const;
  void hear_the_end();
  void hear(std::string_view method, const Json& params);
  std::expected<Json, RpcError> answer(std::string_view method, const Json& params);
  void hear_diagnostics(const Json& params);
  void hear_progress(const Json& params);
  Result<std::vector<Diagnostic>> pull_diagnostics(const std::string& path, const RequestUntil& until);

  const ServerStart start_;
  const Clock& clock_;
  DiagnosticBoard board_;

  mutable std::mutex documents_mutex_;
  Documents documents_;                   // under documents_mutex_
  WatchedFiles watched_;                  // under documents_mutex_
  std::optional<TimePoint> first_shown_;  // under documents_mutex_

  mutable std::mutex mutex_;
  std::condition_variable_any changed_;
  ServerAbilities abilities_;                      // under mutex_, as all below
  std::map<std::string, std::string> progresses_;  // what it is busy with, by token
  bool has_been_busy_ = false;
  bool is_silent_ = false;                                 // it says nothing about files by itself
  std::map<std::string, std::vector<Diagnostic>> pulled_;  // what it answered last, by path

  std::atomic<bool> is_warm_ = false;
  std::unique_ptr<Connection> connection_;  // last: its threads use everything above
};

}  // namespace deft::lsp
