#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "deft/base/clock.h"
#include "deft/base/json.h"

namespace deft::lsp {

inline constexpr std::size_t kDiagnosticsOfFileMax = 1'000;
inline constexpr std::size_t kDiagnosedFilesMax = 5'000;  // the one that was heard of first is forgotten then
inline constexpr std::size_t kDiagnosticCharactersMax = 1'000;

enum class Severity : std::uint8_t { error = 1, warning, information, hint };
std::string_view to_string(Severity severity);

// What a server has to say about a place.
struct Diagnostic {
  std::size_t line = 1;   // from 1
  std::size_t units = 0;  // in that line before it, as the server counts
  Severity severity = Severity::error;
  std::string message = {};  // one line
  std::string code = {};
  std::string source = {};
};

// Of the protocol's list, sorted by place; bounded. Whatever has no place or no message is left out.
std::vector<Diagnostic> read_diagnostics(const JsonArray& list);

// Errors that are in `now` and were not in `before`, wherever they stand in the file.
std::vector<Diagnostic> new_errors(const std::vector<Diagnostic>& before, const std::vector<Diagnostic>& now);

// What a server has published about files, by canonical path, and a way to wait for it. Any thread may call.
class DiagnosticBoard {
 public:
  explicit DiagnosticBoard(const Clock& clock) : clock_(clock) {}

  void publish(const std::string& path, std::optional<std::int64_t> version, std::vector<Diagnostic> list);
  // Nothing: nothing was said about it yet. An empty list: it is fine.
  std::optional<std::vector<Diagnostic>> of(const std::string& path) const;

  // How many times anything was published so far.
  std::uint64_t count() const;
  // Waits for what is said about this version of the file; of a server that names no versions, for what is said later
  // than `after`, a count(). False: it was not said in time, or `enough`, which is asked again after each publication
  // and look_again(), says that nobody needs to wait for it.
  bool wait_for(const std::string& path, std::int64_t version, std::uint64_t after, TimePoint deadline,
                std::stop_token stop, const std::function<bool()>& enough = nullptr) const;
  void look_again();
  void stop_waiting();  // nothing more will come

 private:
  struct Entry {
    std::vector<Diagnostic> list;
    std::optional<std::int64_t> version;
    std::uint64_t number = 0;  // of its last publication
  };

  const Clock& clock_;
  mutable std::mutex mutex_;
  mutable std::condition_variable_any changed_;
  std::map<std::string, Entry> entries_;  // under mutex_, as all below
  std::uint64_t count_ = 0;
  bool is_over_ = false;
};

}  // namespace deft::lsp
