#include "deft/lsp/diagnostics.h"

#include <algorithm>
#include <set>
#include <utility>

#include "deft/base/stable_sort.h"
#include "deft/base/text.h"

namespace deft::lsp {
namespace {

constexpr std::size_t kCodeCharactersMax = 60;

std::string code_of(const Json& diagnostic) {
  const Json* code = find(diagnostic, "code");
  if (!code) return "";
  if (code->is_string()) return one_line(view(code->get_string()), kCodeCharactersMax);
  return code->is_number() ? to_json(*code) : "";
}

std::optional<Diagnostic> read_diagnostic(const Json& given) {
  const auto message = find_string(given, "message");
  const Json* range = find(given, "range");
  const Json* start = range ? find(*range, "start") : nullptr;
  if (!message || !start) return std::nullopt;
  const auto line = find_int(*start, "line");
  const auto units = find_int(*start, "character");
  if (!line || !units || *line < 0 || *units < 0) return std::nullopt;
  const auto severity = find_int(given, "severity").value_or(1);
  return Diagnostic{.line = static_cast<std::size_t>(*line) + 1,
                    .units = static_cast<std::size_t>(*units),
                    .severity = severity >= 1 && severity <= 4 ? static_cast<Severity>(severity) : Severity::error,
                    .message = one_line(*message, kDiagnosticCharactersMax),
                    .code = code_of(given),
                    .source = one_line(find_string(given, "source").value_or(""), kCodeCharactersMax)};
}

}  // namespace

std::string_view to_string(Severity severity) {
  switch (severity) {
    case Severity::error: return "error";
    case Severity::warning: return "warning";
    case Severity::information: return "information";
    case Severity::hint: break;
  }
  return "hint";
}

std::vector<Diagnostic> read_diagnostics(const JsonArray& list) {
  std::vector<Diagnostic> found;
  for (const Json& given : list) {
    if (found.size() == kDiagnosticsOfFileMax) break;
    if (auto diagnostic = read_diagnostic(given)) found.push_back(std::move(*diagnostic));
  }
  stable_sort_by(found, [](const Diagnostic& one) { return std::pair(one.line, one.units); });
  return found;
}

std::vector<Diagnostic> new_errors(const std::vector<Diagnostic>& before, const std::vector<Diagnostic>& now) {
  std::multiset<std::pair<std::string, std::string>> known;
  for (const Diagnostic& one : before) {
    if (one.severity == Severity::error) known.emplace(one.code, one.message);
  }
  std::vector<Diagnostic> found;
  for (const Diagnostic& one : now) {
    if (one.severity != Severity::error) continue;
    const auto same = known.find({one.code, one.message});
    if (same == known.end()) {
      found.push_back(one);
    } else {
      known.erase(same);
    }
  }
  return found;
}

void DiagnosticBoard::publish(const std::string& path, std::optional<std::int64_t> version,
                              std::vector<Diagnostic> list) {
  const std::lock_guard lock(mutex_);
  Entry& entry = entries_[path];
  entry = {.list = std::move(list), .version = version, .number = ++count_};
  if (entries_.size() > kDiagnosedFilesMax) {
    entries_.erase(std::ranges::min_element(entries_, {}, [](const auto& one) { return one.second.number; }));
  }
  changed_.notify_all();
}

std::optional<std::vector<Diagnostic>> DiagnosticBoard::of(const std::string& path) const {
  const std::lock_guard lock(mutex_);
  const auto entry = entries_.find(path);
  if (entry == entries_.end()) return std::nullopt;
  return entry->second.list;
}

std::uint64_t DiagnosticBoard::count() const {
  const std::lock_guard lock(mutex_);
  return count_;
}

bool DiagnosticBoard::wait_for(const std::string& path, std::int64_t version, std::uint64_t after, TimePoint deadline,
                               std::stop_token stop, const std::function<bool()>& enough) const {
  std::unique_lock lock(mutex_);
  const auto is_said = [&] {
    const auto entry = entries_.find(path);
    if (entry == entries_.end()) return false;
    return entry->second.version ? *entry->second.version >= version : entry->second.number > after;
  };
  changed_.wait_until(lock, std::move(stop), clock_.on_steady_clock(deadline),
                      [&] { return is_over_ || is_said() || (enough && enough()); });
  return is_said();
}

void DiagnosticBoard::look_again() {
  const std::lock_guard lock(mutex_);
  changed_.notify_all();
}

void DiagnosticBoard::stop_waiting() {
  const std::lock_guard lock(mutex_);
  is_over_ = true;
  changed_.notify_all();
}

}  // namespace deft::lsp
