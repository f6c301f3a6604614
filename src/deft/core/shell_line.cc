#include "deft/core/shell_line.h"

#include <algorithm>
#include <utility>

#include "deft/base/utf8.h"
#include "deft/shell/classify.h"
#include "deft/shell/hidden_characters.h"
#include "deft/shell/parse.h"

namespace deft {
namespace {

using shell::Argument;
using shell::CommandUse;

// eval and trap are looked into; for the others the text stays unknown.
bool is_looked_into(std::string_view note) { return note.starts_with("eval ") || note.starts_with("trap "); }

class LineReader {
 public:
  LineReader(const shell::Surroundings& surroundings, ShellLine& out) : surroundings_(surroundings), out_(out) {}

  void read() {
    const auto parsed = shell::parse(out_.text);
    if (!parsed) {
      out_.not_understood =
          "not understood at byte " + std::to_string(parsed.error().offset) + ": " + parsed.error().reason;
      return;
    }
    auto commands = shell::commands_of(*parsed, surroundings_);
    take_notes(commands);
    out_.commands = std::move(commands.commands);
    for (const CommandUse& use : out_.commands) follow(use, 0);
  }

 private:
  void take_notes(const shell::Commands& commands) {
    for (const shell::Note& note : commands.notes) {
      switch (note.kind) {
        case shell::NoteKind::background: break;
        case shell::NoteKind::function: out_.may_redefine = true; break;
        case shell::NoteKind::given_up: out_.not_understood = note.text; break;
        case shell::NoteKind::runs_text:
        case shell::NoteKind::evaluates:
          out_.may_redefine = true;
          if (!is_looked_into(note.text)) not_followed(note.text);
          break;
      }
    }
  }

  void not_followed(const std::string& why) {
    if (!out_.not_followed) out_.not_followed = why;
  }

  void follow(const CommandUse& use, int depth) {
    RunByCommand run = run_by(use.words);
    if (run.not_followed) not_followed(*run.not_followed);
    if (run.commands.empty() && run.texts.empty()) return;
    if (depth == kLineDepthMax || out_.inner.size() > kLineCommandsMax) {
      return not_followed("too many commands inside commands");
    }
    for (auto& words : run.commands) {
      CommandUse inner;
      inner.words = std::move(words);
      inner.directories = use.directories;
      inner.directory_known = use.directory_known;
      inner.directory_changed = use.directory_changed;
      add(std::move(inner), depth);
    }
    for (const std::string& text : run.texts) follow_text(text, use, depth);
  }

  void follow_text(const std::string& text, const CommandUse& use, int depth) {
    const auto parsed = shell::parse(text);
    if (!parsed) return not_followed("runs text that is not understood: " + parsed.error().reason);
    const std::string cwd =
        use.directory_known && use.directories.size() == 1 ? use.directories.front() : std::string();
    const shell::Surroundings surroundings{cwd, surroundings_.home};
    auto commands = shell::commands_of(*parsed, surroundings);
    take_notes(commands);
    for (CommandUse& inner : commands.commands) {
      if (cwd.empty() && use.directory_known && !inner.directory_changed) {
        inner.directories = use.directories;
        inner.directory_known = true;
      }
      add(std::move(inner), depth);
    }
  }

  void add(CommandUse inner, int depth) {
    out_.inner.push_back(inner);
    follow(inner, depth + 1);
  }

  const shell::Surroundings& surroundings_;
  ShellLine& out_;
};

}  // namespace

ShellLine read_shell_line(std::string_view text, const shell::Surroundings& surroundings) {
  ShellLine line;
  line.text = text;
  if (count_characters(text) > shell::kClassifiedCharactersMax) {
    line.not_understood = "longer than 10,000 characters";
  } else if (!is_utf8(text)) {
    line.not_understood = "not valid UTF-8";
  } else if (const auto hidden = shell::find_hidden_character(text)) {
    line.not_understood = "holds a hidden character: " + *hidden;
  } else {
    LineReader(surroundings, line).read();
  }
  return line;
}

}  // namespace deft
