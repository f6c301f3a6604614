#include "deft/ui/demo_command.h"

#include <unistd.h>

#include <atomic>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

#include "deft/agent/agent.h"
#include "deft/agent/session_timeline.h"
#include "deft/agent/temporary_session.h"
#include "deft/base/overloaded.h"
#include "deft/base/text.h"
#include "deft/base/utf8.h"
#include "deft/core/timeline_svg.h"
#include "deft/model/scripted_client.h"
#include "deft/ui/builtin_options.h"
#include "deft/ui/demo_script.h"
#include "deft/ui/safe_display.h"
#include "deft/ui/stream_reader.h"
#include "deft/ui/terminal_asker.h"
#include "deft/ui/terminal_width.h"
#include "deft/ui/timeline_display.h"

namespace deft {
namespace {

constexpr const char* kHelp =
    R"(Shows an agent at work: a scripted model in a temporary project reads files side by side, asks before it runs the
tests, repairs a mistake, and gets a result that is too large for a conversation. No network, no key; some seconds.

Usage: deft demo [OPTIONS]

  --ask        you answer the question for permission yourself, at the terminal; else it answers itself
  --svg FILE   also write the timeline as a picture
  --help

Example:
  deft demo --svg timeline.svg

Exit code: 0, 2 if it cannot be shown, 130 interrupted.
)";
constexpr int kExitSignal = 128;  // and the signal's number
constexpr std::size_t kWidthMax = 118;
constexpr std::size_t kMarginCharacters = 11;  // before what a line says: when, and whether it comes or goes
constexpr Duration kAnswerTime = std::chrono::minutes(2);
constexpr Duration kThinkingTime = std::chrono::milliseconds(500);

struct Options {
  bool asks = false;
  std::string svg;
};

int complain(std::string_view message) {
  std::fprintf(stderr, "deft demo: %s\n", safe_display(message).c_str());
  return 2;
}

// Everything as it happens, with the time since the start.
class DemoFrontend final : public Frontend {
 public:
  explicit DemoFrontend(const Clock& clock) : clock_(clock), started_(clock.now()) {}
  std::function<void(PermissionAnswer)> answer = nullptr;  // nothing: a person does
  std::function<void()> when_begun = [] {};

  bool wants_stages() const override { return true; }
  void show(Event event) override {
    const std::lock_guard lock(mutex_);
    std::visit(Overloaded{
                   [&](const TextArrived& arrived) {
                     if (!in_text_) line("  ", "");
                     if (!in_text_) column_ = kMarginCharacters;
                     in_text_ = true;
                     put_words(safe_display(arrived.text));
                   },
                   [&](const CallAdmitted& admitted) { line("->", safe_display(admitted.title)); },
                   [&](const PermissionAsked& asked) {
                     line("? ", "may it run " + safe_display(asked.title) + "?" + (answer ? "  yes, this time" : ""));
                     if (answer) answer({.id = asked.id, .verdict = Verdict::allow});
                   },
                   [&](const CallAnswered& answered) { show_answer(answered); },
                   [&](const TurnBegan&) { when_begun(); },
                   [&](const Notice& notice) { line("! ", safe_display(notice.text)); },
                   [](const auto&) {},
               },
               event);
  }
  void end() {
    const std::lock_guard lock(mutex_);
    if (in_text_) std::fputs("\n", stdout);
  }

 private:
  void line(std::string_view mark, const std::string& text) {
    if (in_text_) std::fputs("\n", stdout);
    in_text_ = false;
    const double seconds = std::chrono::duration<double>(clock_.now() - started_).count();
    std::printf("%6.2f  %.*s %s%s", seconds, static_cast<int>(mark.size()), mark.data(), text.c_str(),
                text.empty() ? "" : "\n");
    std::fflush(stdout);
  }

  void show_answer(const CallAnswered& answered) {
    const ToolResult& result = answered.result;
    const bool is_stored = result.stored && !result.stored->path.empty();
    const std::string what = is_stored ? human_bytes(result.stored->bytes) + ", stored; the model sees a preview"
                                       : one_line(result.text, width_ - kMarginCharacters - answered.tool.size() - 3);
    line(result.is_error() ? "x " : "<-", safe_display(answered.tool) + ": " + safe_display(what));
  }

  // They come one by one; a line that is full ends before the next.
  void put_words(const std::string& words) {
    const std::size_t characters = count_characters(words);
    if (column_ + characters > width_ && column_ > kMarginCharacters) {
      std::printf("\n%*s", static_cast<int>(kMarginCharacters), "");
      column_ = kMarginCharacters;
    }
    std::fputs(words.c_str(), stdout);
    std::fflush(stdout);
    column_ += characters;
  }

  const Clock& clock_;
  const TimePoint started_;
  const std::size_t width_ = std::min(kWidthMax, terminal_width(kWidthMax));
  std::mutex mutex_;
  // Under mutex_:
  bool in_text_ = false;
  std::size_t column_ = 0;  // of the text
};

Result<Options> parse(int argc, const char* const* argv) {
  Options options;
  for (int i = 1; i < argc; ++i) {
    const std::string_view word = argv[i];
    if (word == "--ask") {
      options.asks = true;
    } else if (word == "--svg" && i + 1 < argc) {
      options.svg = argv[++i];
    } else if (word == "--svg") {
      return fail(Errc::invalid_input, "--svg needs a file, such as timeline.svg");
    } else {
      return fail(Errc::invalid_input, "unknown option " + std::string(word) + "; see deft demo --help");
    }
  }
  return options;
}

Result<std::string> make_project(const std::string& folder) {
  const std::string project = folder + "/project";
  for (const DemoFile& file : demo_files()) {
    const std::filesystem::path path = std::filesystem::path(project) / file.path;
    std::error_code ec;
    std::filesystem::create_directories(path.parent_path(), ec);
    std::ofstream out(path, std::ios::binary);
    out << file.text << std::flush;
    if (ec || !out) return fail(Errc::io, path.string() + " cannot be written");
  }
  return project;
}

AgentOptions agent_options(const std::string& project, const std::string& folder, PromptQueue& prompts) {
  return {.engine = {.working_directory = project,
                     .session_folder = folder + "/session",
                     .mode = Mode::accept_edits,
                     .executor = {.asking = Asking::person, .permission_time = kAnswerTime},
                     .results = result_options({}),
                     .prompts = &prompts},
          .model = "scripted",
          .system = "You work on a small project."};
}

// Whoever wants us to end: the number of the signal, SIGPIPE where nobody reads any more.
class Ending {
 public:
  explicit Ending(Agent& agent)
      : agent_(agent), reader_(-1, STDOUT_FILENO, [this](const StreamReader::Item& item) { take(item); }) {}

  int signal() const { return signal_; }
  void say_again() {  // what came before the turn did not end it
    if (signal_ != 0) agent_.abort();
  }

 private:
  void take(const StreamReader::Item& item) {
    const auto* came = std::get_if<SignalCame>(&item);
    if (!came && !std::holds_alternative<OutputGone>(item)) return;
    const int number = came ? came->number : SIGPIPE;
    if (signal_.exchange(number) != 0 && came) std::_Exit(kExitSignal + number);
    agent_.abort();
  }

  Agent& agent_;
  std::atomic<int> signal_ = 0;
  const StreamReader reader_;
};

// The signal that ended it; 0: it was played to its end.
Result<int> play(const Options& options, const std::string& folder) {
  const auto project = make_project(folder);
  if (!project) return std::unexpected(project.error());
  auto script = Script::parse(demo_script());
  if (!script) return std::unexpected(script.error());
  ScriptedClient model(std::move(*script));
  const SystemClock clock;
  DemoFrontend frontend(clock);
  PromptQueue prompts;
  prompts.watch(frontend);
  auto agent = Agent::open(agent_options(*project, folder, prompts), model, frontend);
  if (!agent) return std::unexpected(agent.error());
  for (auto& tool : make_builtin_tools(builtin_options({}))) {
    if (auto added = (*agent)->add_tool(std::move(tool)); !added) return std::unexpected(added.error());
  }
  std::optional<TerminalAsker> terminal;
  if (options.asks) {
    auto opened = TerminalAsker::open_terminal();
    if (!opened) return std::unexpected(opened.error());
    terminal.emplace(std::move(*opened), *project, prompts, [&] { (*agent)->abort(); });
  } else {
    // Asked on the turn's thread. A person would take a moment, too.
    frontend.answer = [&](PermissionAnswer answer) {
      (*agent)->engine().executor().post_at(clock.now() + kThinkingTime, [&, given = std::move(answer)]() mutable {
        (*agent)->feed(Feed(std::move(given)));
      });
    };
  }
  Ending ending(**agent);
  frontend.when_begun = [&] { ending.say_again(); };
  std::printf("you: %s\n\n", std::string(demo_prompt()).c_str());
  const TurnEnd end = (*agent)->run_turn(Prompt::of(demo_prompt()));
  frontend.end();
  if (ending.signal() != 0) return ending.signal();
  if (end.reason != TurnReason::completed) return fail(Errc::failed, "the turn did not complete: " + end.explanation);

  const auto timeline = session_timeline(folder + "/session");
  if (!timeline) return std::unexpected(timeline.error());
  std::printf("\nWhen it happened:\n\n%s\n",
              timeline_display(*timeline, std::min(kWidthMax, terminal_width(kWidthMax))).c_str());
  std::printf("As a picture: deft trace SESSION -o timeline.svg; every session keeps its own.\n");
  if (options.svg.empty()) return 0;
  std::ofstream file(options.svg, std::ios::binary | std::ios::trunc);
  file << timeline_svg(*timeline) << std::flush;
  if (!file) return fail(Errc::io, options.svg + " cannot be written");
  return 0;
}

}  // namespace

int run_demo(int argc, const char* const* argv) {
  for (int i = 1; i < argc; ++i) {
    const std::string_view word = argv[i];
    if (word == "--help" || word == "-h") return std::fputs(kHelp, stdout), 0;
  }
  const auto options = parse(argc, argv);
  if (!options) return complain(options.error().message);
  std::error_code ec;
  const std::filesystem::path parent = std::filesystem::canonical(std::filesystem::temp_directory_path(ec), ec);
  if (ec) return complain("there is no folder for temporary files: set TMPDIR to one that is there");
  StreamReader::take_over_signals();  // so that the folder is removed whoever ends us
  const auto folder = TemporarySession::make(parent.string());
  if (!folder) return complain(folder.error().message + "; set TMPDIR to a folder that is writable");
  const auto played = play(*options, folder->path());
  if (!played) return complain(played.error().message);
  return *played == 0 ? 0 : kExitSignal + *played;
}

}  // namespace deft
