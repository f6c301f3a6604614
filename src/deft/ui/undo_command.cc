#include "deft/ui/undo_command.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "deft/agent/journal.h"
#include "deft/agent/session_store.h"
#include "deft/agent/undo_plan.h"
#include "deft/base/path.h"
#include "deft/base/secret_mask.h"
#include "deft/core/message_content.h"
#include "deft/os/disk_files.h"
#include "deft/os/secrecy.h"
#include "deft/ui/input_line.h"
#include "deft/ui/safe_display.h"
#include "deft/ui/session_argument.h"

namespace deft {
namespace {

constexpr const char* kHelp =
    R"(Takes back what a session's file tools have changed, exactly, after showing the difference.

Usage: deft undo [call [ID] | message [N] | turn [N] | ID] [OPTIONS]

Without a word: the last turn that changed a file. A file that somebody has changed since is left alone, and what no
file tool did (commands, the network) is named. What subagents did belongs to the call that started them. deft sessions
show lists turns, messages and calls.

  --session S   a session's id, the beginning of it, its title or its folder; else the last one of this directory
  --dry-run     only show what would be done
  --yes, -y     do not ask
  --json        for programs: one object with files, refused, cannot; nothing is done without --yes

Examples:
  deft undo                      the last turn
  deft undo call                 the last call that changed a file
  deft undo message 7 --dry-run
  deft undo turn 3 --yes --json

Exit code: 0 all of it is undone, 1 something was left as it is, 2 unusable arguments or nothing to undo.
)";

struct Options {
  std::vector<std::string> words;
  std::string session;
  bool dry_run = false;
  bool yes = false;
  bool json = false;
};

int complain(std::string_view message) {
  std::fprintf(stderr, "deft undo: %s\n", safe_display(message).c_str());
  return 2;
}

Result<Options> parse(int argc, const char* const* argv) {
  Options options;
  for (int i = 1; i < argc; ++i) {
    const std::string_view word = argv[i];
    if (word == "--dry-run") {
      options.dry_run = true;
    } else if (word == "--yes" || word == "-y") {
      options.yes = true;
    } else if (word == "--json") {
      options.json = true;
    } else if ((word == "--session" && i + 1 < argc) || word.starts_with("--session=")) {
      options.session = word == "--session" ? argv[++i] : word.substr(10);
      if (options.session.empty()) return fail(Errc::invalid_input, "--session needs a session");
    } else if (word.starts_with('-')) {
      return fail(Errc::invalid_input, "unknown option " + std::string(word) + "; see deft undo --help");
    } else {
      options.words.emplace_back(word);
    }
  }
  return options;
}

// People show these to others. What is done is done with the plan as it was.
void mask_secrets(UndoPlan& plan) {
  const SecretMask mask(secrets_of_environment());
  plan.title = mask.masked_values(plan.title);
  for (UndoOfFile& file : plan.files) file.patch = mask.masked_values(file.patch);
  for (NotUndone& one : plan.cannot) one.what = mask.masked_values(one.what);
}

JsonArray not_undone_json(const std::vector<NotUndone>& all) {
  JsonArray json;
  for (const NotUndone& one : all) json.push_back(JsonObject{{"what", one.what}, {"why", one.why}});
  return json;
}

void print_json(const UndoPlan& plan, const std::vector<std::string>& undone, bool is_done) {
  JsonArray files;
  for (const UndoOfFile& file : plan.files) {
    const bool was = std::find(undone.begin(), undone.end(), file.path) != undone.end();
    files.push_back(
        JsonObject{{"path", file.path}, {"removed", !file.before}, {"patch", file.patch}, {"undone", is_done && was}});
  }
  const JsonObject json{{"what", plan.title},
                        {"files", std::move(files)},
                        {"refused", not_undone_json(plan.refused)},
                        {"cannot", not_undone_json(plan.cannot)}};
  std::puts(to_json(json).c_str());
}

void print_plan(const UndoPlan& plan) {
  for (const UndoOfFile& file : plan.files) std::fputs(safe_display(file.patch, LineEnds::kept).c_str(), stdout);
  std::printf("%sUndoing %s:\n", plan.files.empty() ? "" : "\n", safe_display(plan.title).c_str());
  for (const UndoOfFile& file : plan.files) {
    std::printf("  %s  %s\n", file.before ? "restore" : "remove ", safe_display(file.path).c_str());
  }
  for (const NotUndone& one : plan.refused) {
    std::printf("  keep     %s: %s\n", safe_display(one.what).c_str(), safe_display(one.why).c_str());
  }
  for (const NotUndone& one : plan.cannot) {
    std::printf("  cannot   %s: %s\n", safe_display(one.what).c_str(), safe_display(one.why).c_str());
  }
}

// What no file tool did is named beside what is undone; where there is nothing else, nothing is undone.
int exit_code(const UndoPlan& plan) { return plan.refused.empty() && !plan.files.empty() ? 0 : 1; }

bool is_in_own_store(const SessionPlace& place) { return parent_path(place.folder) == SessionStore::default_folder(); }

// What lies there is believed: which files to change, and to what. A folder that came with somebody's repository or
// archive is not.
Result<void> check_private(const SessionPlace& place) {
  for (const char* name : {"", "/changes.jsonl", "/before"}) {
    struct stat found{};
    const std::string path = place.folder + name;
    if (::lstat(path.c_str(), &found) != 0) continue;  // nothing was changed then
    if (S_ISLNK(found.st_mode) || found.st_uid != ::geteuid() || (found.st_mode & 077) != 0) {
      return fail(Errc::denied, path + " is not private to you (chmod go= would make it so): its word is not taken");
    }
  }
  return {};
}

// Sessions elsewhere could be anybody's: they change nothing outside of this directory.
std::optional<std::string> reach_of(const SessionPlace& place) {
  return is_in_own_store(place) ? std::nullopt : std::optional(current_directory());
}

// So that the model knows it when the session goes on.
Result<void> tell_session(Journal& journal, const std::vector<std::string>& undone) {
  if (undone.empty()) return {};
  std::string text =
      "<system-reminder>The user has undone changes of this session. These files have the content again "
      "that they had before:";
  for (const std::string& path : undone) text += "\n" + path_on_one_line(path);
  const std::string content = content_of({text_block(text + "</system-reminder>")});
  return journal.append(JournalEntry("prompt").text("content", content).text("source", "undo"));
}

}  // namespace

int run_undo(int argc, const char* const* argv) {
  const auto asks_for_help = [](std::string_view word) { return word == "--help" || word == "-h"; };
  if (std::any_of(argv + std::min(argc, 1), argv + argc, asks_for_help)) {
    return std::fputs(kHelp, stdout), 0;
  }
  const auto options = parse(argc, argv);
  if (!options) return complain(options.error().message);
  const auto target = parse_undo_target(options->words);
  if (!target) return complain(target.error().message);
  const auto place = session_argument(options->session);
  if (!place) return complain(place.error().message);
  if (::access(place->journal().c_str(), F_OK) != 0) {
    return complain("there is no session in " + place->folder);
  }
  const SystemClock clock;
  if (auto own = check_private(*place); !own) return complain(own.error().message);
  const bool only_shows = options->dry_run || (options->json && !options->yes);
  // Nobody else goes on with it meanwhile. A person waits for what is done here once: it may as well stay done.
  std::optional<Journal> journal;
  if (!only_shows) {
    auto opened = Journal::open(place->folder, clock, {}, kJournalFile, Survives::power_cut);
    if (!opened) return complain(opened.error().message);
    journal.emplace(std::move(*opened));
  }

  DiskFiles files(Survives::power_cut, place->folder + "/in-place");
  // What somebody who was killed has left half-written has its old content again.
  if (!only_shows && is_in_own_store(*place)) files.recover();
  FileChanges changes(place->folder, kBeforeImagesBytesMax, Survives::power_cut);
  auto plan = plan_undo(place->journal(), *target, changes, files, reach_of(*place));
  if (!plan) return complain(SecretMask(secrets_of_environment()).masked_values(plan.error().message));
  mask_secrets(*plan);
  if (plan->is_for_nobody()) {
    if (!only_shows) static_cast<void>(carry_out(*plan, changes, files));
    return complain("Nothing of " + plan->title + " is left to be undone.");
  }
  if (!options->json) print_plan(*plan);
  if (only_shows) {
    if (options->json) print_json(*plan, {}, false);
    return exit_code(*plan);
  }
  if (!plan->files.empty() && !options->yes && !confirms("undo", "Do it?")) return 1;
  const std::size_t refused_before = plan->refused.size();
  const auto undone = carry_out(*plan, changes, files);
  if (!undone) return complain(undone.error().message);
  if (auto told = tell_session(*journal, *undone); !told) return complain(told.error().message);
  if (options->json) {
    print_json(*plan, *undone, true);
  } else {
    for (std::size_t i = refused_before; i < plan->refused.size(); ++i) {
      std::printf("  kept     %s: %s\n", safe_display(plan->refused[i].what).c_str(),
                  safe_display(plan->refused[i].why).c_str());
    }
    std::printf("%zu of %zu files undone\n", undone->size(), undone->size() + plan->refused.size());
  }
  return exit_code(*plan);
}

}  // namespace deft
