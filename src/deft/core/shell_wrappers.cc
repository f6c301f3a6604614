#include <algorithm>
#include <array>
#include <ranges>

#include "deft/core/inline_programs.h"
#include "deft/core/shell_line.h"

// Commands that run commands. To deny, everything that can be recognised is looked through; an option that is not in
// the table counts as one without a value. To allow, only a few, and only with options that are known.

#include "deft/base/text.h"

namespace deft {
namespace {

using shell::Argument;
using Words = std::vector<Argument>;

struct Wrapper {
  std::string_view names;              // separated by blanks
  std::string_view value_options;      // that take the next word
  std::size_t operands = 0;            // before the command
  bool assignments = false;            // NAME=VALUE may stand before the command
  std::string_view text_options = {};  // whose value is shell text
  bool joins_words = false;            // its words are joined and given to a shell
};
constexpr std::array<Wrapper, 30> kWrappers = {{
    {"timeout gtimeout", "-k -s --kill-after --signal", 1},
    {"nice gnice", "-n --adjustment"},
    {"ionice", "-c -n -p -P -u --class --classdata"},
    {"time gtime", "-f -o --format --output"},
    {"stdbuf gstdbuf", "-i -o -e --input --output --error"},
    {"nohup setsid noglob nocorrect command builtin exec unbuffer fakeroot eatmydata catchsegv dbus-run-session doas "
     "busybox toybox pkexec gosu su-exec torsocks proxychains proxychains4 rlwrap winpty linux32 linux64",
     "-a -u -C -U -L"},
    {"sudo", "-u -g -p -C -T -h -R -D -r -t -U --user --group --prompt --chdir --host --role --type --chroot", 0, true},
    {"env genv", "-u -C --unset --chdir", 0, true, "-S --split-string"},
    {"watch", "-n --interval", 0, false, {}, true},
    {"flock", "-w -E --timeout --wait --conflict-exit-code", 1, false, "-c --command"},
    {"chroot", "--groups --userspec", 1},
    {"taskset", "", 1},
    {"chrt", "-T -P -D", 1},
    {"numactl", "-i -m -N -C -p"},
    {"strace ltrace", "-e -o -p -s -u -E -a -O -S -b -P"},
    {"unshare nsenter setpriv", "-t -S -G -R -w --map-user --map-group --reuid --regid --groups"},
    {"xargs gxargs", "-I -n -P -L -d -a -E -s --max-args --max-procs --max-lines --delimiter --arg-file --max-chars"},
    {"parallel", "-j -n -N -I -S --jobs --colsep --delay --timeout --workdir --joblog"},
    {"su runuser", "-g -G -s -w -u --group --shell --user", 0, false, "-c --command"},
    {"script", "-E -I -O -B -T -o -m", 0, false, "-c --command"},
    {"ssh mosh", "-p -i -l -o -F -J -L -R -D -b -c -e -E -I -m -O -Q -S -W -w -B", 1, false, {}, true},
    {"systemd-run", "-u -p -E -M -H -t --unit --property --setenv --uid --gid --slice --description"},
    {"sg", "", 1, false, "-c", true},
    {"capsh", "", 0, false, "-c"},
    {"nix-shell nix", "-p -I", 0, false, "--run --command -c"},
    {"trap", "", 0, false, {}, false},
    {"coproc", ""},
    {"cgexec", "-g"},
    {"caffeinate chronic ifne dumb-init tini cpulimit prlimit", "-t -w -l -p"},
}};
// Only to deny: the command stands somewhere behind them, or behind a word of theirs that announces it.
constexpr std::string_view kRunners =
    "npx bunx pnpx uvx entr watchexec nodemon cargo-watch dotenv torify tsocks "
    "gdb lldb rr valgrind perf heaptrack uftrace xvfb-run faketime "
    "firejail bwrap proot setarch chpst softlimit setuidgid s6-setuidgid envdir runcon trickle nocache schedtool "
    "systemd-inhibit systemd-cat systemd-nspawn run0 start-stop-daemon daemonize ssh-agent gpg-agent dbus-launch "
    "xterm uxterm rxvt urxvt konsole gnome-terminal xfce4-terminal x-terminal-emulator alacritty kitty foot ld.so";
constexpr std::string_view kLoaders = "ld-linux ld-musl ld64";  // so begins the name of what can start any program
constexpr std::string_view kRunnersWithWord =
    "docker podman kubectl nerdctl lxc direnv devbox mise asdf poetry pipenv uv rye hatch bundle rbenv pyenv nodenv "
    "conda mamba vagrant flatpak snap ip machinectl dotenvx op doppler aws-vault chamber infisical wezterm";
constexpr std::string_view kRunWords = "exec run x dlx shell do -- ssh";
// What they `run` is a script by its name; commands stand behind these.
constexpr std::string_view kScriptRunners = "yarn pnpm npm bun";
constexpr std::string_view kScriptRunWords = "exec x dlx";
// Their operands are commands, each as one word.
constexpr std::string_view kTextRunners = "hyperfine concurrently tmux screen mprocs";
constexpr std::string_view kShells = "sh bash dash zsh ksh ksh93 mksh ash fish rbash yash csh tcsh";
// What they read may hold commands for a shell; what else they read is theirs.
constexpr std::string_view kEscapers = "ed ex vi vim nvim view sqlite3 psql mysql mariadb gdb bc ftp";
// Without a command they start a shell, which reads one. Of sudo only if it is told to.
constexpr std::string_view kShellStarters = "ssh mosh su runuser chroot unshare nsenter";
constexpr std::string_view kAllowWrappers = "timeout time nice nohup stdbuf command builtin noglob xargs";

Argument unknown_word(std::string_view what, shell::Extent extent) {
  Argument word;
  word.extent = extent;
  word.source = word.unknown = what;
  return word;
}

// The last letter of "-xvc" decides whether a value follows: -c alone and behind flags.
bool takes_value(std::string_view option, std::string_view value_options) {
  if (option.starts_with("--"))
    return option.find('=') == std::string_view::npos && is_among_words(option, value_options);
  const char last[] = {'-', option.back()};
  if (!is_among_words({last, 2}, value_options)) return false;
  // -n5 has its value glued to it, and so has the first letter that takes one.
  for (std::size_t i = 1; i + 1 < option.size(); ++i) {
    const char letter[] = {'-', option[i]};
    if (is_among_words({letter, 2}, value_options)) return false;
  }
  return true;
}

// The value of an option that holds shell text, glued or not; nothing if this is none.
std::optional<Argument> text_value(const Words& words, std::size_t i, std::string_view text_options) {
  const std::string& option = words[i].text;
  const auto value_of = [](const Argument& from, std::string text) {
    Argument value = from;
    value.text = std::move(text);
    return value;
  };
  if (option.starts_with("--")) {
    const std::size_t equals = option.find('=');
    if (!is_among_words(std::string_view(option).substr(0, equals), text_options)) return std::nullopt;
    if (equals != std::string::npos) return value_of(words[i], option.substr(equals + 1));
    return i + 1 < words.size() ? words[i + 1] : Argument::exactly("");
  }
  for (std::size_t k = 1; k < option.size(); ++k) {
    const char letter[] = {'-', option[k]};
    if (!is_among_words({letter, 2}, text_options)) continue;
    if (k + 1 < option.size()) return value_of(words[i], option.substr(k + 1));
    return i + 1 < words.size() ? words[i + 1] : Argument::exactly("");
  }
  return std::nullopt;
}

void add_text(const Argument& word, RunByCommand& out) {
  if (word.is_exact()) {
    out.texts.push_back(word.text);
  } else {
    out.not_followed = "runs text that is not known: " + word.source;
  }
}

void add_joined(const Words& words, std::size_t first, RunByCommand& out) {
  std::string text;
  for (std::size_t i = first; i < words.size(); ++i) {
    if (!words[i].is_exact()) {
      out.not_followed = "runs text that is not known: " + words[i].source;
      return;
    }
    text += (text.empty() ? "" : " ") + words[i].text;
  }
  if (!text.empty()) out.texts.push_back(text);
}

void read_input(RunByCommand& out) {
  out.reads_input = true;
  out.not_followed = "runs what it reads from its input";
}

// What xargs replaces by its input: -I MARK, -IMARK, -i[MARK], --replace[=MARK]. Empty: nothing.
std::string replaced_mark(const Words& words) {
  constexpr std::string_view kLong = "--replace";
  constexpr std::string_view kUsual = "{}";
  for (std::size_t i = 1; i < words.size() && words[i].text.starts_with('-'); ++i) {
    const std::string& word = words[i].text;
    if (word == "-I" && i + 1 < words.size()) return words[i + 1].text;
    if (word.starts_with("-I") || word.starts_with("-i")) return word.size() > 2 ? word.substr(2) : std::string(kUsual);
    if (word.starts_with(kLong)) {
      return word.size() > kLong.size() + 1 ? word.substr(kLong.size() + 1) : std::string(kUsual);
    }
    if (takes_value(word, "-n -P -L -d -a -E -s")) ++i;
  }
  return {};
}

// GNU parallel joins its words to a line for a shell, and puts its arguments into it: behind :::, or from its input.
void look_into_parallel(const Words& words, std::size_t first, RunByCommand& out) {
  std::size_t end = first;
  while (end < words.size() && !words[end].text.starts_with(":::")) ++end;
  if (first < end) {
    if (words[first].text.find('{') != std::string::npos) out.not_followed = "runs what is put in place of {}";
    add_joined(Words(words.begin(), words.begin() + static_cast<std::ptrdiff_t>(end)), first, out);
    return;
  }
  for (std::size_t i = end; i < words.size(); ++i) add_text(words[i], out);
  if (end == words.size()) read_input(out);
}

// at -l: shows what there is.
bool is_question(const Argument& word) { return word.is_exact() && is_among_words(word.text, "-l -r -d -c -V"); }

bool asks_what_it_is(const Argument& word) {
  return word.is_exact() && is_among_words(word.text, "-V --version --help -Version -v");
}

// sudo -s, sudo -i
bool is_wish_for_shell(const Argument& word) {
  return word.is_exact() && is_among_words(word.text, "-s -i -si -is --shell --login");
}

void look_behind(const Wrapper& wrapper, const Words& words, RunByCommand& out) {
  const std::string_view name = shell::command_name(words[0].text);
  std::size_t i = 1;
  for (; i < words.size() && words[i].is_exact() && words[i].text.starts_with('-'); ++i) {
    if (words[i].text == "-") continue;  // env - COMMAND, su - USER
    if (words[i].text == "--") {
      ++i;
      break;
    }
    if (const auto text = text_value(words, i, wrapper.text_options)) add_text(*text, out);
    if ((name == "command") && words[i].text.find_first_of("vV") != std::string::npos) return;  // only looks it up
    if (takes_value(words[i].text, wrapper.value_options)) ++i;
  }
  for (; wrapper.assignments && i < words.size() && words[i].text.find('=') != std::string::npos; ++i) {
    out.assignments.push_back(words[i]);
  }
  for (std::size_t k = i; k < words.size(); ++k) {  // flock FILE -c TEXT, su - USER -c TEXT
    if (!words[k].is_exact() || !words[k].text.starts_with('-')) continue;
    if (const auto text = text_value(words, k, wrapper.text_options)) add_text(*text, out);
  }
  i += wrapper.operands;
  if (name == "parallel") return look_into_parallel(words, i, out);
  const bool starts_shell = is_among_words(name, kShellStarters) ||
                            (name == "sudo" && std::any_of(words.begin() + 1, words.end(), is_wish_for_shell));
  const bool is_over = i >= words.size();
  const bool reads = name == "su" || name == "script" || (is_over && starts_shell);
  if (reads && out.texts.empty() && !std::ranges::any_of(words, asks_what_it_is)) read_input(out);
  if (is_over) return;
  if (wrapper.joins_words) return add_joined(words, i, out);
  Words inner(words.begin() + static_cast<std::ptrdiff_t>(i), words.end());
  if (is_among_words(name, "xargs gxargs")) {
    const std::string mark = replaced_mark(words);
    for (Argument& word : inner) {
      if (!mark.empty() && word.text.find(mark) != std::string::npos) word = unknown_word(mark, shell::Extent::one);
    }
    inner.push_back(unknown_word("its input", shell::Extent::spread));
  }
  out.commands.push_back(std::move(inner));
}

void look_into_find(const Words& words, RunByCommand& out) {
  for (std::size_t i = 1; i < words.size(); ++i) {
    if (!is_among_words(words[i].text, "-exec -execdir -ok -okdir") || !words[i].is_exact()) continue;
    Words inner;
    for (++i; i < words.size() && words[i].text != ";" && words[i].text != "+"; ++i) {
      const bool holds_file = words[i].text.find("{}") != std::string::npos;
      inner.push_back(holds_file ? unknown_word("{}", shell::Extent::one) : words[i]);
    }
    if (!inner.empty()) out.commands.push_back(std::move(inner));
  }
}

// fd … -x COMMAND
void look_into_fd(const Words& words, RunByCommand& out) {
  for (std::size_t i = 1; i + 1 < words.size(); ++i) {
    if (!words[i].is_exact() || !is_among_words(words[i].text, "-x -X --exec --exec-batch")) continue;
    Words inner(words.begin() + static_cast<std::ptrdiff_t>(i) + 1, words.end());
    for (Argument& word : inner) {  // {} {/} {//} {.} {/.}
      if (word.text.find('{') != std::string::npos) word = unknown_word("{}", shell::Extent::one);
    }
    inner.push_back(unknown_word("{}", shell::Extent::one));
    out.commands.push_back(std::move(inner));
    return;
  }
}

// A file whose content is a program of its own, not something that the line itself shows.
bool names_plain_file(const Argument& word) {
  return word.is_exact() && word.text != "-" && !word.text.starts_with("/dev/") && !word.text.starts_with("/proc/");
}

void look_into_shell(const Words& words, RunByCommand& out) {
  bool wants_text = false;
  bool wants_input = false;  // -s: the words are arguments of what it reads
  for (std::size_t i = 1; i < words.size(); ++i) {
    const std::string& word = words[i].text;
    const bool is_option = words[i].is_exact() && word.size() > 1 && (word[0] == '-' || word[0] == '+');
    if (!is_option) {
      if (wants_text) return add_text(words[i], out);
      if (wants_input) return read_input(out);
      // A script: what is inside a program is not judged. But what comes through a descriptor stands in the line.
      if (!names_plain_file(words[i])) {
        out.reads_input = true;
        out.not_followed = "runs what is not known: " + words[i].source;
      }
      return;
    }
    if (word == "--") continue;
    if (word.starts_with("--")) {
      if (word == "--rcfile" || word == "--init-file") {
        ++i;
        if (i < words.size() && !names_plain_file(words[i])) read_input(out);
      }
      if (word == "--command") wants_text = true;
      continue;
    }
    if (word[0] == '-' && word.find('c') != std::string::npos) wants_text = true;
    if (word.find('s') != std::string::npos) wants_input = true;
    if (word.back() == 'o' || word.back() == 'O') ++i;
  }
  if (wants_text) {
    out.not_followed = "runs text that is missing";
  } else {
    read_input(out);
  }
}

// git -c alias.x='!rm y' x, and other settings that name a command.
void add_git_setting(const Argument& setting, RunByCommand& out) {
  const std::size_t equals = setting.text.find('=');
  if (!setting.is_exact()) {
    out.not_followed = "sets what is not known: " + setting.source;
  } else if (equals != std::string::npos) {
    std::string value = setting.text.substr(equals + 1);
    if (value.starts_with('!')) {
      out.texts.push_back(value.substr(1));
    } else if (setting.text.starts_with("alias.")) {
      out.texts.push_back("git " + value);
    } else if (value.find(' ') != std::string::npos) {
      out.texts.push_back(value);
    }
  }
}

// What a subcommand starts: git bisect run COMMAND, git submodule foreach TEXT, git config core.pager TEXT.
void look_into_git_subcommand(const Words& words, std::size_t at, RunByCommand& out) {
  const std::string& subcommand = words[at].text;
  const auto is_word = [&](std::size_t i, std::string_view text) {
    return i < words.size() && words[i].is_exact() && words[i].text == text;
  };
  if (subcommand == "bisect" && is_word(at + 1, "run")) {
    out.commands.emplace_back(words.begin() + static_cast<std::ptrdiff_t>(at) + 2, words.end());
  } else if (subcommand == "submodule") {
    for (std::size_t i = at + 1; i < words.size(); ++i) {
      if (!is_word(i, "foreach")) continue;
      while (is_word(i + 1, "--recursive") || is_word(i + 1, "-q") || is_word(i + 1, "--quiet")) ++i;
      return add_joined(words, i + 1, out);
    }
  } else if (subcommand == "config") {
    for (std::size_t i = at + 1; i < words.size(); ++i) {
      if (words[i].is_exact() && words[i].text.find(' ') != std::string::npos) out.maybe_texts.push_back(words[i].text);
      const bool is_alias = words[i].is_exact() && words[i].text.starts_with("alias.") && i + 1 < words.size();
      if (is_alias && words[i + 1].is_exact()) out.maybe_texts.push_back("git " + words[i + 1].text);
    }
  }
}

void look_into_git(const Words& words, RunByCommand& out) {
  for (std::size_t i = 1; i < words.size(); ++i) {
    if (!words[i].is_exact()) return;
    const std::string& word = words[i].text;
    if (!word.starts_with('-')) return look_into_git_subcommand(words, i, out);
    if (word == "-c" && i + 1 < words.size()) {
      add_git_setting(words[++i], out);
    } else if (word.starts_with("--config-env")) {
      out.not_followed = "sets what is not known: " + word;
    } else if (is_among_words(word, "-C --git-dir --work-tree --namespace --exec-path")) {
      ++i;
    }
  }
}

bool is_runner(std::string_view name) {
  if (is_among_words(name, kRunners)) return true;
  for (std::string_view loaders = kLoaders; !loaders.empty();) {
    const std::size_t end = std::min(loaders.find(' '), loaders.size());
    if (name.starts_with(loaders.substr(0, end))) return true;
    loaders.remove_prefix(std::min(end + 1, loaders.size()));
  }
  return false;
}

// make -f -
bool reads_makefile(const Words& words) {
  if (!is_among_words(shell::command_name(words[0].text), "make gmake")) return false;
  return std::ranges::any_of(words, [](const Argument& word) {
    return word.text == "-" || word.text == "-f-" || word.text == "--file=-" || word.text == "--makefile=-" ||
           word.text.starts_with("/dev/");
  });
}

bool is_known_option(std::string_view name, std::string_view option) {
  if (name == "timeout") {
    return is_among_words(option, "-v --verbose --foreground --preserve-status -k -s --kill-after --signal") ||
           option.starts_with("--kill-after=") || option.starts_with("--signal=") || option.starts_with("-k") ||
           option.starts_with("-s");
  }
  if (name == "nice") {
    return option.starts_with("-n") || option.starts_with("--adjustment") ||
           option.find_first_not_of("0123456789", 1) == std::string_view::npos;
  }
  if (name == "stdbuf") {
    return option.starts_with("-i") || option.starts_with("-o") || option.starts_with("-e") ||
           option.starts_with("--input") || option.starts_with("--output") || option.starts_with("--error");
  }
  return name == "time" && option == "-p";
}

}  // namespace

RunByCommand run_by(const std::vector<Argument>& words) {
  RunByCommand out;
  if (words.empty() || !words[0].is_exact()) return out;
  const std::string_view name = shell::command_name(words[0].text);
  if (is_among_words(name, kShells)) {
    look_into_shell(words, out);
  } else if (name == "find" || name == "gfind") {
    look_into_find(words, out);
  } else if (name == "fd" || name == "fdfind") {
    look_into_fd(words, out);
  } else if (is_among_words(name, "at batch crontab") && !std::ranges::any_of(words, is_question)) {
    read_input(out);
  } else if (is_among_words(name, kTextRunners)) {
    for (const Argument& word : words | std::views::drop(1)) {
      if (word.is_exact()) out.maybe_texts.push_back(word.text);
    }
  } else if (is_among_words(name, "newgrp pwsh powershell") && !std::ranges::any_of(words, asks_what_it_is)) {
    read_input(out);
  } else if (name == "git") {
    look_into_git(words, out);
  } else if (name == "eval") {
    const bool has_end = words.size() > 1 && words[1].text == "--";
    add_joined(words, has_end ? 2 : 1, out);
  } else if (name == "trap") {
    const std::size_t first = words.size() > 1 && words[1].text == "--" ? 2 : 1;
    if (words.size() > first && !words[first].text.starts_with('-')) add_text(words[first], out);
  } else if (is_runner(name) || is_among_words(name, kRunnersWithWord) || is_among_words(name, kScriptRunners)) {
    const std::string_view announcing = is_among_words(name, kScriptRunners) ? kScriptRunWords : kRunWords;
    bool is_announced = is_runner(name);
    for (std::size_t i = 1; i < words.size(); ++i) {
      if (is_announced) out.commands.emplace_back(words.begin() + static_cast<std::ptrdiff_t>(i), words.end());
      is_announced = is_announced || is_among_words(words[i].text, announcing);
    }
  } else if (const auto* wrapper = std::ranges::find_if(
                 kWrappers, [&](const Wrapper& entry) { return is_among_words(name, entry.names); });
             wrapper != kWrappers.end()) {
    look_behind(*wrapper, words, out);
  }
  if (is_among_words(name, "export declare typeset readonly")) {
    for (const Argument& word : words | std::views::drop(1)) {
      if (word.text.find('=') != std::string::npos) out.assignments.push_back(word);
    }
  }
  if (is_among_words(name, kEscapers)) out.reads_escapes = true;
  if (reads_makefile(words)) out.reads_input = true;
  out.reads_code = is_interpreter(name);
  for (std::string& text : texts_in_programs(words)) out.maybe_texts.push_back(std::move(text));
  return out;
}

std::vector<Argument> without_wrappers(const std::vector<Argument>& words) {
  Words rest = words;
  while (rest.size() > 1 && rest[0].is_exact() && is_among_words(rest[0].text, kAllowWrappers)) {
    const std::string name = rest[0].text;
    const auto* wrapper =
        std::ranges::find_if(kWrappers, [&](const Wrapper& entry) { return is_among_words(name, entry.names); });
    std::size_t i = 1;
    for (; i < rest.size() && rest[i].is_exact() && rest[i].text.starts_with('-'); ++i) {
      if (!is_known_option(name, rest[i].text)) return rest;
      if (takes_value(rest[i].text, wrapper->value_options)) ++i;
    }
    i += wrapper->operands;
    if (i >= rest.size() || !rest[i].is_exact() || !rest[i].dashless) return rest;
    if (name == "timeout" && !rest[i - 1].is_exact()) return rest;
    rest.erase(rest.begin(), rest.begin() + static_cast<std::ptrdiff_t>(i));
  }
  return rest;
}

}  // namespace deft
