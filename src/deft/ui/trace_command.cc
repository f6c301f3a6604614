#include "deft/ui/trace_command.h"

#include <cstdio>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

#include "deft/agent/session_timeline.h"
#include "deft/core/timeline_svg.h"
#include "deft/core/timeline_trace.h"
#include "deft/ui/safe_display.h"
#include "deft/ui/session_argument.h"
#include "deft/ui/terminal_width.h"
#include "deft/ui/timeline_display.h"

namespace deft {
namespace {

constexpr std::size_t kTerminalWidthDefault = 120;

constexpr const char* kHelp =
    R"(Shows when everything in a session happened: each call's stages, what waited for what, what ran side by side.

Usage: deft trace [SESSION] [-o FILE]…

SESSION is a session's id, the beginning of it, its title or its folder (with a slash in it); without one, the last
session of this directory. Without -o the timeline is drawn in characters.

  -o FILE   write FILE; its ending says what: .svg and .html a picture, .json a trace that chrome://tracing and
            ui.perfetto.dev open, .txt characters. May be given several times; - is standard output, as characters
  --help

Examples:
  deft trace
  deft trace 7f3a -o timeline.html -o trace.json
  deft exec --session ./run < calls.jsonl; deft trace ./run -o run.svg

Exit code: 0, 2 unusable arguments, or there is no such session.
)";

struct Options {
  std::string session;
  std::vector<std::string> outputs;
};

int complain(std::string_view message) {
  std::fprintf(stderr, "deft trace: %s\n", safe_display(message).c_str());
  return 2;
}

Result<Options> parse(int argc, const char* const* argv) {
  Options options;
  for (int i = 1; i < argc; ++i) {
    const std::string_view word = argv[i];
    if (word == "-o" || word == "--output") {
      if (i + 1 >= argc) return fail(Errc::invalid_input, "-o wants a file");
      options.outputs.emplace_back(argv[++i]);
    } else if (word.starts_with('-') && word.size() > 1) {
      return fail(Errc::invalid_input, "unknown option " + std::string(word) + "; see deft trace --help");
    } else if (!options.session.empty()) {
      return fail(Errc::invalid_input, "one session at a time");
    } else {
      options.session = word;
    }
  }
  if (options.outputs.empty()) options.outputs.emplace_back("-");
  return options;
}

Result<std::string> drawn(const Timeline& timeline, const std::string& output) {
  if (output == "-") return timeline_display(timeline, terminal_width(kTerminalWidthDefault));
  if (output.ends_with(".svg")) return timeline_svg(timeline);
  if (output.ends_with(".html")) return timeline_html(timeline);
  if (output.ends_with(".json")) return trace_json(timeline);
  if (output.ends_with(".txt")) return timeline_display(timeline, kTerminalWidthDefault);
  return fail(Errc::invalid_input, output + " must end in .svg, .html, .json or .txt");
}

}  // namespace

int run_trace(int argc, const char* const* argv) {
  for (int i = 1; i < argc; ++i) {
    const std::string_view word = argv[i];
    if (word == "--help" || word == "-h") return std::fputs(kHelp, stdout), 0;
  }
  const auto options = parse(argc, argv);
  if (!options) return complain(options.error().message);
  const auto place = session_argument(options->session);
  if (!place) return complain(place.error().message);
  const auto timeline = session_timeline(place->folder);
  if (!timeline) return complain(timeline.error().message);
  if (timeline->is_empty()) return complain("nothing has happened in this session yet");
  for (const std::string& output : options->outputs) {
    const auto picture = drawn(*timeline, output);
    if (!picture) return complain(picture.error().message);
    if (output == "-") {
      std::fputs(picture->c_str(), stdout);
    } else {
      std::ofstream file(output, std::ios::binary | std::ios::trunc);
      file << *picture << std::flush;
      if (!file) return complain(output + " cannot be written");
    }
  }
  return 0;
}

}  // namespace deft
