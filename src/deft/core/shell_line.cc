#include "deft/core/shell_line.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "deft/base/text.h"
#include "deft/base/utf8.h"
#include "deft/core/inline_programs.h"
#include "deft/shell/classify.h"
#include "deft/shell/hidden_characters.h"
#include "deft/shell/parse.h"

namespace deft {
namespace {

using shell::Argument;
using shell::CommandUse;

// eval and trap are looked into; for the others the text stays unknown.
bool is_looked_into(std::string_view note) { return note.starts_with("eval ") || note.starts_with("trap "); }

constexpr int kFedDepth = 2;  // of text that another command is fed with

// Variables whose value programs run as a command.
bool names_program(std::string_view variable) {
  return is_among_words(variable,
                        "PAGER EDITOR VISUAL BROWSER GIT_PAGER GIT_EDITOR GIT_SEQUENCE_EDITOR GIT_SSH GIT_SSH_COMMAND "
                        "GIT_EXTERNAL_DIFF GIT_ASKPASS GIT_PROXY_COMMAND MANPAGER LESSOPEN PROMPT_COMMAND SSH_ASKPASS");
}

// Texts in which a shell looks for substitutions when it shows them.
bool is_prompt(std::string_view variable) { return is_among_words(variable, "PS0 PS1 PS2 PS4"); }

// LESSOPEN='|lesspipe %s': how what it prints is used stands before the command.
std::string_view without_pipe(std::string_view value) {
  return value.substr(std::min(value.find_first_not_of("|-"), value.size()));
}

// What a shell runs before anything else, if it is a file of its own: inside programs nothing is judged.
bool is_plain_file(const Argument& value) {
  return value.is_exact() && !value.text.starts_with("/dev/") && !value.text.starts_with("/proc/");
}

// As echo -e and printf write it.
std::string decoded(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char next = i + 1 < text.size() ? text[i + 1] : '\0';
    if (text[i] != '\\' || (next != 'n' && next != 't')) {
      out += text[i];
      continue;
    }
    out += next == 'n' ? '\n' : ' ';
    ++i;
  }
  return out;
}

// Texts that a command hands on to whoever reads them.
std::vector<std::string> texts_shown_by(const CommandUse& use) {
  std::vector<std::string> texts;
  for (const auto& redirection : use.redirections) {
    if (redirection.access == shell::Access::here && redirection.target.is_exact()) {
      texts.push_back(redirection.target.text);
    }
  }
  if (use.words.empty() || !is_among_words(shell::command_name(use.words[0].text), "echo printf")) return texts;
  std::string all;
  for (std::size_t i = 1; i < use.words.size(); ++i) {
    const std::string& word = use.words[i].text;
    if (!use.words[i].is_exact() || word.starts_with('-')) continue;
    texts.push_back(decoded(word));
    all += (all.empty() ? "" : " ") + texts.back();
  }
  texts.push_back(std::move(all));
  return texts;
}

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
    reads_input_ = reads_input_ || runs_what_it_writes();
    feed();
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

  // cat > x.sh <<E …; bash x.sh: the script stands in the line.
  bool runs_what_it_writes() const {
    std::vector<std::string> written;
    for (const CommandUse& use : out_.commands) add_written(use, written);
    if (written.empty()) return false;
    const auto is_written = [&](const Argument& word) {
      return word.is_exact() && std::ranges::find(written, shell::command_name(word.text)) != written.end();
    };
    for (const auto* uses : {&out_.commands, &out_.inner}) {
      for (const CommandUse& use : *uses) {
        if (use.words.empty() || !use.words[0].is_exact()) continue;
        const std::string& name = use.words[0].text;
        if (name.find('/') != std::string::npos && is_written(use.words[0])) return true;
        const bool runs_files =
            is_among_words(shell::command_name(name), "sh bash dash zsh ksh mksh ash fish source .");
        if (runs_files && std::any_of(use.words.begin() + 1, use.words.end(), is_written)) return true;
      }
    }
    return false;
  }

  static void add_written(const CommandUse& use, std::vector<std::string>& names) {
    const auto add = [&](const Argument& file) {
      if (file.is_exact()) names.emplace_back(shell::command_name(file.text));
    };
    for (const auto& redirection : use.redirections) {
      if (redirection.access == shell::Access::write || redirection.access == shell::Access::append) {
        add(redirection.target);
      }
    }
    if (use.words.empty() || shell::command_name(use.words[0].text) != "tee") return;
    for (auto word = use.words.begin() + 1; word != use.words.end(); ++word) add(*word);
  }

  // What a shell reads from its input may be any text that the line itself shows: here-documents, and what echo and
  // printf print. Who feeds whom is not looked at: text that is denied has no business in a line with such a shell.
  void feed() {
    std::size_t fed = 0;
    const bool is_fed = reads_input_ || reads_escapes_ || reads_code_;
    for (std::size_t i = 0; is_fed && i < out_.commands.size() + out_.inner.size(); ++i) {
      if (++fed > kLineCommandsMax) return not_followed("too many commands inside commands");
      const CommandUse use = i < out_.commands.size() ? out_.commands[i] : out_.inner[i - out_.commands.size()];
      for (const std::string& text : texts_shown_by(use)) {
        if (reads_input_) follow_text(text, use, kFedDepth, /*must_parse=*/false);
        std::vector<std::string> inside = reads_escapes_ ? shell_escapes(text) : std::vector<std::string>();
        if (reads_code_) std::ranges::move(texts_in_code(text), std::back_inserter(inside));
        for (const std::string& one : inside) follow_text(one, use, kFedDepth, /*must_parse=*/false);
      }
    }
  }

  void follow(const CommandUse& use, int depth) {
    RunByCommand run = run_by(use.words);
    if (run.not_followed) not_followed(*run.not_followed);
    reads_input_ = reads_input_ || run.reads_input;
    reads_escapes_ = reads_escapes_ || run.reads_escapes;
    reads_code_ = reads_code_ || run.reads_code;
    for (const auto& assignment : use.assignments) look_at(assignment.name, assignment.value, run);
    for (const Argument& word : run.assignments) {
      Argument value = word;
      const std::size_t equals = word.text.find('=');
      value.text = word.text.substr(equals + 1);
      look_at(word.text.substr(0, equals), value, run);
    }
    if (run.commands.empty() && run.texts.empty() && run.maybe_texts.empty()) return;
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
    for (const std::string& text : run.texts) follow_text(text, use, depth, /*must_parse=*/true);
    for (const std::string& text : run.maybe_texts) follow_text(text, use, depth, /*must_parse=*/false);
  }

  // A variable that a command is given.
  void look_at(const std::string& variable, const Argument& value, RunByCommand& run) {
    if (is_among_words(variable, "BASH_ENV ENV") && !is_plain_file(value)) {
      reads_input_ = true;
      not_followed("a shell would first run what is not known: " + value.source);
    }
    if (variable.starts_with("BASH_FUNC_")) not_followed("a shell would know another function: " + variable);
    if (!value.is_exact()) return;
    if (names_program(variable)) run.maybe_texts.emplace_back(without_pipe(value.text));
    if (is_prompt(variable)) run.maybe_texts.push_back(": \"" + value.text + "\"");
  }

  void follow_text(const std::string& text, const CommandUse& use, int depth, bool must_parse) {
    const auto parsed = shell::parse(text);
    if (!parsed && !must_parse) return;
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
  bool reads_input_ = false;
  bool reads_escapes_ = false;
  bool reads_code_ = false;
};

}  // namespace

namespace {

ShellLine read_strictly(std::string_view text, const shell::Surroundings& surroundings) {
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

// A file from another system, and words that go on in the next line: `r\\` and then `m x`.
std::string without_line_tricks(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '\r') continue;
    if (c == '\n' && out.ends_with('\\')) {
      out.pop_back();
    } else {
      out += c;
    }
  }
  return out;
}

}  // namespace

ShellLine read_shell_line(std::string_view text, const shell::Surroundings& surroundings) {
  ShellLine line = read_strictly(text, surroundings);
  if (!line.not_understood) return line;
  const std::string plain = without_line_tricks(text);
  if (plain == text) return line;
  ShellLine guess = read_strictly(plain, surroundings);
  line.guessed = std::move(guess.commands);
  line.guessed.insert(line.guessed.end(), guess.inner.begin(), guess.inner.end());
  return line;
}

}  // namespace deft
