#include "deft/agent/engine.h"

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <utility>

namespace deft {
namespace {

constexpr std::size_t kConfigurationBytesMax = std::size_t{1} << 20;  // of git, where a command depends on it

std::string home_folder() {
  const char* home = std::getenv("HOME");
  return home && *home == '/' ? home : "";
}

Result<std::string> make_temporary_folder() {
  std::error_code ec;
  std::string path = (std::filesystem::temp_directory_path(ec) / "deft-XXXXXX").string();
  if (ec || !::mkdtemp(path.data())) {
    return std::unexpected(system_error(Errc::io, "cannot create a temporary folder " + path, errno));
  }
  return path;
}

}  // namespace

Result<std::unique_ptr<Engine>> Engine::open(EngineOptions options, Frontend& frontend) {
  auto folder = options.session_folder ? Result<std::string>(*options.session_folder) : make_temporary_folder();
  if (!folder) return std::unexpected(folder.error());
  std::unique_ptr<Engine> engine(new Engine(std::move(options), std::move(*folder)));
  if (auto wired = engine->wire(frontend); !wired) return std::unexpected(wired.error());
  return engine;
}

Engine::Engine(EngineOptions options, std::string folder)
    : options_(std::move(options)), folder_(std::move(folder)), results_(folder_) {
  session_.working_directory = options_.working_directory;
  session_.directories = options_.directories;
  session_.directories.insert(session_.directories.begin(), options_.working_directory);
}

Engine::~Engine() {
  runner_.reset();  // waits for workers, which report to the executor to the last
  executor_.reset();
  journal_.reset();
  std::error_code ignored;
  if (!options_.session_folder) std::filesystem::remove_all(folder_, ignored);
}

Result<void> Engine::wire(Frontend& frontend) {
  auto journal = Journal::open(folder_, clock_);
  if (!journal) return std::unexpected(journal.error());
  journal_.emplace(std::move(*journal));
  pipeline_.emplace(CallPipeline::Parts{.os = {files_, processes_, clock_},
                                        .hooks = options_.hooks ? *options_.hooks : no_hooks_,
                                        .journal = *journal_,
                                        .results = results_,
                                        .frontend = frontend,
                                        .session_folder = folder_});
  runner_.emplace();
  permissions_ = std::make_shared<const Permissions>(permission_setup());
  executor_.emplace(Executor::Parts{.pipeline = *pipeline_,
                                    .runner = *runner_,
                                    .frontend = frontend,
                                    .clock = clock_,
                                    .registry = registry_,
                                    .session = session_,
                                    .permissions = permissions_},
                    options_.executor);
  return {};
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
  setup.files = {.read = [this](const std::string& path) -> std::optional<std::string> {
                   auto content = files_.read(path, kConfigurationBytesMax);
                   if (!content) return std::nullopt;
                   return std::move(content->bytes);
                 },
                 .real_path = setup.resolve};
  return setup;
}

}  // namespace deft
