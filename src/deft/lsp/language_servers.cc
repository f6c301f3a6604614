#include "deft/lsp/language_servers.h"

#include <algorithm>
#include <utility>

#include "deft/base/path.h"
#include "deft/lsp/server_table.h"
#include "deft/lsp/source_view.h"

namespace deft::lsp {
namespace {

constexpr const char* kServersFile = ".lsp.json";

std::string key_of(const LanguageServerSpec& spec, const std::string& root) { return spec.name + "\n" + root; }

bool is_trusted(const ToolIo& io) { return io.permissions && io.permissions->setup().trusted; }

std::string project_folder(ToolIo& io) {
  const auto canonical = io.os.files.canonical(io.permissions->setup().directory);
  return canonical ? *canonical : "";
}

bool serves(const LanguageServer& server, const std::string& path) {
  return language_of(path, server.spec()) && is_at_or_below(path, server.root());
}

Duration pause_after(std::size_t deaths) {
  if (deaths < 2) return Duration::zero();
  Duration pause = kRestartPause;
  for (std::size_t i = 2; i < deaths && pause < kRestartPauseMax; ++i) pause *= 2;
  return std::min(pause, kRestartPauseMax);
}

std::string seconds_of(Duration duration) {
  return std::to_string(std::chrono::ceil<std::chrono::seconds>(duration).count()) + " s";
}

}  // namespace

LanguageServers::~LanguageServers() {
  std::vector<std::shared_ptr<LanguageServer>> servers = running();
  for (const auto& server : servers) server->ask_to_end();
  const TimePoint deadline = std::chrono::steady_clock::now() + kGoodbyeTimeMax;
  for (const auto& server : servers) server->wait_for_end(deadline);
}

std::vector<std::shared_ptr<LanguageServer>> LanguageServers::running() const {
  const std::lock_guard lock(mutex_);
  std::vector<std::shared_ptr<LanguageServer>> servers;
  for (const auto& [key, slot] : slots_) {
    if (slot.server && !slot.server->ended()) servers.push_back(slot.server);
  }
  return servers;
}

// What the settings say, and what the project's file says if it is trusted.
const LanguageServers::Configured& LanguageServers::configured(ToolIo& io) {
  const bool trusted = is_trusted(io);
  {
    const std::lock_guard lock(mutex_);
    if (const auto known = configured_.find(trusted); known != configured_.end()) return known->second;
  }
  Configured made{.specs = options_.settings.servers, .problem = std::nullopt};
  if (trusted) {
    const std::string folder = project_folder(io);
    const std::string path = folder + "/" + kServersFile;
    const auto content = io.os.files.read(path, kServersFileBytesMax);
    if (content) {
      const auto json = parse_json(content->bytes);
      auto specs =
          json ? parse_language_servers(*json, path, folder)
               : Result<std::vector<LanguageServerSpec>>(fail(Errc::invalid_input, path + ": " + json.error().message));
      if (specs) {
        made.specs.insert(made.specs.begin(), specs->begin(), specs->end());
      } else {
        made.problem = specs.error();
      }
    } else if (content.error().code != Errc::not_found) {
      made.problem = content.error();
    }
  }
  const std::lock_guard lock(mutex_);
  return configured_.emplace(trusted, std::move(made)).first->second;
}

Result<ChoiceGround> LanguageServers::ground_for(ToolIo& io) {
  const Configured& known = configured(io);
  if (known.problem) return std::unexpected(*known.problem);
  ChoiceGround ground{.directories = io.session.directories(),
                      .configured = known.specs,
                      .environment = environment_.for_command(io.os, io.stop),
                      .can_restrict = options_.can_restrict};
  if (is_trusted(io)) ground.trusted = {project_folder(io)};
  return ground;
}

std::shared_ptr<LanguageServer> LanguageServers::warm_server_for(const std::string& path, ToolIo& io) {
  {
    const std::lock_guard lock(mutex_);
    if (slots_.empty()) return nullptr;  // most sessions never need more than this
  }
  const std::vector<const LanguageServerSpec*> specs = servers_for(path, configured(io).specs);
  const bool is_outside = std::ranges::none_of(
      io.session.directories(), [&](const std::string& directory) { return is_at_or_below(path, directory); });
  const std::lock_guard lock(mutex_);
  for (const LanguageServerSpec* spec : specs) {
    Slot* best = nullptr;
    for (auto& [key, slot] : slots_) {
      if (!slot.server || slot.server->spec().name != spec->name || slot.server->ended()) continue;
      // A header of the system belongs to whoever is there.
      if (!is_outside && key != key_of(*spec, root_for(path, *spec, io.session.directories(), io.os.files))) continue;
      if (!best || slot.last_use > best->last_use) best = &slot;
    }
    if (!best) continue;
    best->last_use = ++uses_;
    return best->server;
  }
  return nullptr;
}

Result<std::shared_ptr<LanguageServer>> LanguageServers::server_for(const std::string& path, ToolIo& io) {
  if (!options_.settings.enabled) {
    return fail(Errc::tool_disabled,
                "Language servers are turned off in the settings (lsp.enabled). Use Grep instead.");
  }
  if (auto server = warm_server_for(path, io)) return server;
  const auto ground = ground_for(io);
  if (!ground) return std::unexpected(ground.error());
  auto start = choose_server(path, *ground, io.os.files);
  if (!start) return std::unexpected(start.error());
  start->settle_time = options_.settle_time;

  std::vector<std::shared_ptr<LanguageServer>> dropped;  // they go when the lock is free again
  std::unique_lock lock(mutex_);
  Slot& slot = slots_[key_of(start->spec, start->root)];
  if (!changed_.wait(lock, io.stop, [&] { return !slot.is_starting; })) {
    return fail(Errc::cancelled, "Cancelled while " + start->spec.name + " was started.");
  }
  slot.last_use = ++uses_;
  if (slot.server && !slot.server->ended()) return slot.server;  // somebody else was faster
  if (slot.server) dropped.push_back(note_death(slot, io.os.clock));
  if (auto turn = wait_for_turn(slot, start->spec, lock, io); !turn) return std::unexpected(turn.error());
  for (auto& server : take_least_used()) dropped.push_back(std::move(server));
  return start_in(slot, std::move(*start), lock, io);
}

std::shared_ptr<LanguageServer> LanguageServers::note_death(Slot& slot, const Clock& clock) {
  if (clock.now() - slot.started > kLongLife) slot.deaths = 0;
  ++slot.deaths;
  slot.last_death = slot.server->ended().value_or("");
  slot.not_before = clock.now() + pause_after(slot.deaths);
  return std::exchange(slot.server, nullptr);
}

Result<void> LanguageServers::wait_for_turn(Slot& slot, const LanguageServerSpec& spec,
                                            std::unique_lock<std::mutex>& lock, ToolIo& io) {
  const std::size_t restarts_max = spec.restarts_max.value_or(kRestartsMax);
  if (slot.deaths > restarts_max) {
    return fail(Errc::failed, spec.name + " has died " + std::to_string(slot.deaths) +
                                  " times and is not started again in this session; the last time: " + slot.last_death +
                                  ". Use Grep instead.");
  }
  const Duration left = slot.not_before - io.os.clock.now();
  if (left > kRestartWaitMax) {
    return fail(Errc::failed, spec.name + " has died " + std::to_string(slot.deaths) + " times, the last time: " +
                                  slot.last_death + ". It may be started again in " + seconds_of(left) + ".");
  }
  if (left <= Duration::zero()) return {};
  slot.is_starting = true;  // the others wait for us
  changed_.wait_until(lock, io.stop, io.os.clock.on_steady_clock(slot.not_before), [] { return false; });
  slot.is_starting = false;
  changed_.notify_all();
  if (io.stop.stop_requested()) return fail(Errc::cancelled, "Cancelled before " + spec.name + " was started again.");
  return {};
}

Result<std::shared_ptr<LanguageServer>> LanguageServers::start_in(Slot& slot, ServerStart start,
                                                                  std::unique_lock<std::mutex>& lock, ToolIo& io) {
  slot.is_starting = true;
  lock.unlock();
  const std::string name = start.spec.name;
  if (io.progress) io.progress(JsonObject{{"type", "language_server"}, {"message", "Starting " + name}});
  const TimePoint began = io.os.clock.now();
  const RequestUntil until{.deadline = began + start.spec.start_time_max.value_or(kStartTimeMax), .stop = io.stop};
  auto server = LanguageServer::start(std::move(start), io.os.processes, io.os.clock, until);
  lock.lock();
  slot.is_starting = false;
  slot.started = began;
  changed_.notify_all();
  if (server) {
    slot.server = *server;
  } else if (server.error().code != Errc::cancelled) {
    ++slot.deaths;
    slot.last_death = server.error().message;
    slot.not_before = io.os.clock.now() + pause_after(slot.deaths);
    return fail(server.error().code, name + " could not be started: " + server.error().message);
  }
  return server;
}

std::vector<std::shared_ptr<LanguageServer>> LanguageServers::take_least_used() {
  std::vector<std::shared_ptr<LanguageServer>> taken;
  for (;;) {
    Slot* oldest = nullptr;
    std::size_t count = 0;
    for (auto& [key, slot] : slots_) {
      if (!slot.server) continue;
      ++count;
      if (!oldest || slot.last_use < oldest->last_use) oldest = &slot;
    }
    if (count < kServersRunningMax || !oldest) return taken;
    taken.push_back(std::exchange(oldest->server, nullptr));
  }
}

std::string LanguageServers::look_at(std::span<const std::string> paths, ToolIo& io) {
  if (!options_.settings.enabled || !options_.settings.diagnostics_after_edits) return "";
  const std::vector<std::shared_ptr<LanguageServer>> warm = running();
  if (warm.empty()) return "";
  const TimePoint deadline = io.os.clock.now() + options_.settings.diagnostics_wait.value_or(kLookTimeMax);
  std::string findings;
  std::size_t looked_at = 0;
  for (const std::string& path : paths) {
    for (const auto& server : warm) {
      if (serves(*server, path) && looked_at < kLookedAtMax) {
        ++looked_at;
        findings += new_errors_in(*server, path, io, deadline);
      } else if (is_at_or_below(path, server->root())) {
        server->tell_of_change(path);
      }
    }
  }
  if (!findings.empty()) findings.pop_back();
  return findings;
}

std::string LanguageServers::new_errors_in(LanguageServer& server, const std::string& path, ToolIo& io,
                                           TimePoint deadline) {
  const bool was_known = server.knows(path);
  const auto before = server.last_diagnostics(path);
  const auto shown = server.synchronise(path, io.os.files);
  if (!shown) return "";
  const auto now = server.diagnostics(path, *shown, {.deadline = deadline, .stop = io.stop});
  if (!now || !*now) return "";  // it has not looked yet; nobody says that all is well
  const bool can_compare = was_known && before;
  const auto errors = new_errors(can_compare ? *before : std::vector<Diagnostic>(), **now);
  if (errors.empty()) return "";
  SourceView view(io, server.abilities().unit);
  std::string text = can_compare ? "New errors, says " + server.spec().name + ":\n"
                                 : "Errors in this file, says " + server.spec().name + " (some may be older):\n";
  for (std::size_t i = 0; i < std::min(errors.size(), kNewErrorsShownMax); ++i) {
    text += view.shown(path, errors[i]) + "\n";
  }
  if (errors.size() > kNewErrorsShownMax) {
    text += "… and " + std::to_string(errors.size() - kNewErrorsShownMax) + " more\n";
  }
  return text;
}

}  // namespace deft::lsp
