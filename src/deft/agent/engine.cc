#include "deft/agent/engine.h"

#include <algorithm>
#include <cstdlib>
#include <utility>

#include "deft/agent/journal_reader.h"
#include "deft/agent/permission_ground.h"
#include "deft/agent/sweep_sessions.h"
#include "deft/base/path.h"
#include "deft/os/uuid.h"
#include "deft/tools/plan_mode.h"

namespace deft {
namespace {

constexpr std::size_t kForksFollowedMax = 100;

std::string home_folder() {
  const char* home = std::getenv("HOME");
  return home && *home == '/' ? home : "";
}

}  // namespace

Result<std::unique_ptr<Engine>> Engine::open(EngineOptions options, Frontend& frontend) {
  std::unique_ptr<Workshop> own;
  if (!options.workshop) {
    auto opened = Workshop::open({.session_folder = options.session_folder,
                                  .hooks = options.hooks,
                                  .store = options.store,
                                  .clock = options.clock,
                                  .quota = options.results.quota,
                                  .slots = options.executor.slots,
                                  .survives = options.survives});
    if (!opened) return std::unexpected(opened.error());
    own = std::move(*opened);
  }
  std::unique_ptr<Engine> engine(new Engine(std::move(options), std::move(own)));
  if (auto wired = engine->wire(frontend); !wired) return std::unexpected(wired.error());
  return engine;
}

Engine::Engine(EngineOptions options, std::unique_ptr<Workshop> own)
    : options_(std::move(options)),
      own_workshop_(std::move(own)),
      workshop_(own_workshop_ ? own_workshop_.get() : options_.workshop) {
  registry_.set_deferral(options_.deferral);
  session_.working_directory = options_.working_directory;
  session_.directories = options_.directories;
  session_.directories.insert(session_.directories.begin(), options_.working_directory);
  const bool is_in_worktree = options_.permissions && !options_.permissions->moved_from.empty();
  if (is_in_worktree)
    session_.worktree = {.path = options_.working_directory, .from = options_.permissions->moved_from};
}

Engine::~Engine() {
  if (executor_) executor_->end_side_hooks();
  runner_.reset();  // waits for workers, which report to the executor to the last
  executor_.reset();
  registry_ = {};  // with the tools their background tasks end, which write into the session's folder
  journal_.reset();
}

Result<void> Engine::wire(Frontend& frontend) {
  auto journal = open_journal();
  if (!journal) return std::unexpected(journal.error());
  journal_.emplace(std::move(*journal));
  if (own_workshop_) tell_of_recovered_files(frontend);
  if (!options_.prompts) own_prompts_.watch(frontend);
  given_.emplace(options_.results, workshop_->results(), *journal_, frontend);
  runner_.emplace();
  pipeline_.emplace(CallPipeline::Parts{.os = workshop_->os(),
                                        .hooks = workshop_->hooks(),
                                        .journal = *journal_,
                                        .results = workshop_->results(),
                                        .limits = options_.results.limits,
                                        .frontend = frontend,
                                        .session_folder = workshop_->folder(),
                                        .changes = &workshop_->changes(),
                                        .classifier = options_.classifier,
                                        .opinion_patience = options_.opinion_patience,
                                        .runner = &*runner_,
                                        .server_modes = &workshop_->server_modes(),
                                        .agent_id = options_.agent_id,
                                        .agent_type = options_.agent_type,
                                        .only_reads = options_.only_reads,
                                        .wants_mcp_content = options_.wants_mcp_content});
  permissions_ = std::make_shared<const Permissions>(permission_setup());
  executor_.emplace(Executor::Parts{.pipeline = *pipeline_,
                                    .runner = *runner_,
                                    .frontend = frontend,
                                    .prompts = prompts(),
                                    .clock = workshop_->clock(),
                                    .registry = registry_,
                                    .session = session_,
                                    .permissions = permissions_,
                                    .given = *given_,
                                    .slots = workshop_->slots(),
                                    .store = options_.workshop && options_.store ? options_.store : workshop_->store(),
                                    .publish =
                                        [this](const std::shared_ptr<const Permissions>& now) {
                                          const std::lock_guard lock(permissions_mutex_);
                                          permissions_ = now;
                                        },
                                    .agent_id = options_.agent_id,
                                    .agent_type = options_.agent_type},
                    options_.executor);
  return {};
}

void Engine::go_to(const std::string& directory) {
  Files& files = workshop_->os().files;
  const auto canonical = directory.empty() ? Result<std::string>("") : files.canonical(directory);
  if (!canonical || *canonical != directory) return;
  const auto status = files.status(directory);
  const bool is_inside =
      std::ranges::any_of(session_.directories, [&](const auto& folder) { return is_at_or_below(directory, folder); });
  if (status && status->kind == FileKind::directory && is_inside) session_.working_directory = directory;
}

void Engine::tell_of_recovered_files(Frontend& frontend) {
  for (const std::string& path : workshop_->recover_files()) {
    frontend.show(Notice{path + " had been left half-written by a session that was killed; its old content is back."});
  }
}

Result<Journal> Engine::open_journal() const {
  const JournalHeader header{.directory = options_.working_directory};
  const bool is_main = options_.agent_id.empty();
  return Journal::open(workshop_->folder() + (is_main ? "" : "/subagents"), workshop_->clock(), header,
                       is_main ? std::string(kJournalFile) : "agent-" + options_.agent_id + ".jsonl",
                       workshop_->survives());
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
  setup.readable.push_back(workshop_->results().folder()->path());  // what was stored away may be looked into
  // The conversation of a fork names what the other session has stored.
  std::string earlier = journal_->forked_from();
  for (std::size_t forks = 0; is_uuid(earlier) && forks < kForksFollowedMax; ++forks) {
    const std::string folder = std::string(parent_path(workshop_->folder())) + "/" + earlier;
    setup.readable.push_back(folder + "/tool-results");
    note_use_by_fork(folder);
    const auto opening = read_journal_opening(folder + "/" + std::string(kJournalFile));
    earlier = opening ? opening->header.forked_from : "";
  }
  put_on_ground(setup, workshop_->os().files);
  setup.plan_file = setup.resolve(plan_file_in(workshop_->folder(), options_.agent_id)).value_or("");
  return setup;
}

}  // namespace deft
