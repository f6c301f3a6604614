#include "deft/agent/engine.h"

#include <cstdlib>
#include <filesystem>
#include <utility>

#include "deft/tools/read_only_judge.h"

namespace deft {
namespace {

std::string home_folder() {
  const char* home = std::getenv("HOME");
  return home && *home == '/' ? home : "";
}

std::string temporary_parent() {
  std::error_code ec;
  const std::string path = std::filesystem::temp_directory_path(ec);
  return ec ? "/tmp" : path;
}

}  // namespace

Result<std::unique_ptr<Engine>> Engine::open(EngineOptions options, Frontend& frontend) {
  std::optional<TemporarySession> temporary;
  if (!options.session_folder) {
    auto made = TemporarySession::make(temporary_parent());
    if (!made) return std::unexpected(made.error());
    temporary.emplace(std::move(*made));
  }
  std::unique_ptr<Engine> engine(new Engine(std::move(options), std::move(temporary)));
  if (auto wired = engine->wire(frontend); !wired) return std::unexpected(wired.error());
  return engine;
}

Engine::Engine(EngineOptions options, std::optional<TemporarySession> temporary)
    : options_(std::move(options)),
      temporary_(std::move(temporary)),
      folder_(temporary_ ? temporary_->path() : *options_.session_folder),
      files_(DiskFiles::Survives::killed, journal_folder()),
      results_(folder_),
      changes_(folder_) {
  session_.working_directory = options_.working_directory;
  session_.directories = options_.directories;
  session_.directories.insert(session_.directories.begin(), options_.working_directory);
}

// A temporary session is never opened again: what it leaves half-written is found where all of them look.
std::string Engine::journal_folder() const { return options_.session_folder ? folder_ + "/in-place" : ""; }

Engine::~Engine() {
  runner_.reset();  // waits for workers, which report to the executor to the last
  executor_.reset();
  registry_ = {};  // with the tools their background tasks end, which write into the session's folder
  journal_.reset();
}

Result<void> Engine::wire(Frontend& frontend) {
  auto journal = Journal::open(folder_, clock_);
  if (!journal) return std::unexpected(journal.error());
  journal_.emplace(std::move(*journal));
  for (const std::string& path : files_.recover()) {
    frontend.show(Notice{path + " had been left half-written by a session that was killed; its old content is back."});
  }
  pipeline_.emplace(CallPipeline::Parts{.os = {files_, processes_, clock_},
                                        .hooks = options_.hooks ? *options_.hooks : no_hooks_,
                                        .journal = *journal_,
                                        .results = results_,
                                        .frontend = frontend,
                                        .session_folder = folder_,
                                        .changes = &changes_});
  runner_.emplace();
  permissions_ = std::make_shared<const Permissions>(permission_setup());
  executor_.emplace(Executor::Parts{.pipeline = *pipeline_,
                                    .runner = *runner_,
                                    .frontend = frontend,
                                    .clock = clock_,
                                    .registry = registry_,
                                    .session = session_,
                                    .permissions = permissions_,
                                    .store = options_.store,
                                    .publish =
                                        [this](const std::shared_ptr<const Permissions>& now) {
                                          const std::lock_guard lock(permissions_mutex_);
                                          permissions_ = now;
                                        }},
                    options_.executor);
  return {};
}

std::shared_ptr<const Permissions> Engine::permissions() const {
  const std::lock_guard lock(permissions_mutex_);
  return permissions_;
}

PermissionSetup Engine::permission_setup() {
  PermissionSetup setup =
      options_.permissions
          ? *options_.permissions
          : PermissionSetup{.sources = {{.rules = options_.rules}}, .mode = options_.mode, .home = home_folder()};
  setup.directory = options_.working_directory;
  setup.directories.insert(setup.directories.end(), session_.directories.begin(), session_.directories.end());
  setup.directories.push_back(folder_);  // stored results may be looked into
  setup.resolve = [this](const std::string& path) -> std::optional<std::string> {
    auto canonical = files_.canonical(path);
    if (!canonical) return std::nullopt;
    return std::move(*canonical);
  };
  setup.files = file_view_of_disk();
  return setup;
}

}  // namespace deft
