#include "deft/core/inline_programs.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "deft/base/text.h"
#include "deft/shell/named_paths.h"

namespace deft {
namespace {

using Texts = std::vector<std::string>;

constexpr std::size_t kTextsMax = 100;

// Which word is code; an empty list: the first that is no option.
struct Interpreter {
  std::string_view names;
  std::string_view code_options;
};
constexpr std::array<Interpreter, 8> kInterpreters = {{{"python python2 python3 pypy ipython", "-c"},
                                                       {"perl", "-e -E"},
                                                       {"ruby lua luajit osascript Rscript", "-e"},
                                                       {"node nodejs bun deno", "-e -p --eval --print eval"},
                                                       {"php", "-r"},
                                                       {"tclsh expect", "-c"},
                                                       {"emacs", "--eval -eval --execute -execute"},
                                                       {"awk gawk mawk nawk", ""}}};
// Functions that hand their argument to a shell or start a program.
constexpr std::string_view kStarters =
    "system popen Popen exec execSync spawn spawnSync call run check_call check_output getoutput getstatusoutput "
    "shell_exec passthru proc_open qx execFile execFileSync execute execl execle execlp execlpe execv execve execvp "
    "execvpe spawnl spawnlp spawnv spawnvp posix_spawn posix_spawnp startfile shell-command call-process start-process";

// Options of other programs whose value they run.
struct RunningOption {
  std::string_view names;
  std::string_view options;
};
constexpr std::array<RunningOption, 18> kRunningOptions = {
    {{"tar gtar bsdtar", "--to-command --checkpoint-action --use-compress-program -I --rsh-command --info-script -F"},
     {"rsync", "-e --rsh --rsync-path"},
     {"git",
      "--upload-pack --receive-pack --exec --exec-path -x -u -O --open-files-in-pager --extcmd --sendmail-cmd "
      "--tree-filter --index-filter --env-filter --msg-filter --parent-filter --commit-filter --tag-name-filter"},
     {"man", "-P --pager"},
     {"rg sort", "--pre --hostname-bin --compress-program"},
     {"gdb lldb", "-ex -iex -o --eval-command --init-eval-command --one-line"},
     {"sqlite3", "-cmd"},
     {"psql mysql mariadb", "-c -e --command --execute"},
     {"pwsh powershell", "-c -Command -command"},
     {"dpkg", "--pre-invoke --post-invoke"},
     {"make gmake", "-E --eval"},
     {"fzf", "--preview --bind"},
     {"zip", "-TT --unzip-command"},
     {"nodemon watchexec entr", "-x --exec -s"},
     {"split gsplit", "--filter"},
     {"scp sftp", "-S"},
     {"nc ncat netcat", "-e -c --exec --sh-exec"},
     {"bind", "-x"}}};

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }

// The literal that begins at `at`, without its quotes; `at` is moved behind it.
std::string take_literal(std::string_view code, std::size_t& at) {
  const char quote = code[at++];
  std::string text;
  while (at < code.size() && code[at] != quote) {
    if (code[at] == '\\' && at + 1 < code.size()) ++at;
    text += code[at++];
  }
  ++at;
  return text;
}

bool is_quote(char c) { return c == '"' || c == '\'' || c == '`'; }

// All literals up to the end of the call, one by one and together: ["rm", "x"] is `rm x`.
void add_arguments(std::string_view code, std::size_t at, Texts& out) {
  std::string all;
  while (at < code.size() && code[at] != ')' && code[at] != ';' && code[at] != '\n' && out.size() < kTextsMax) {
    if (!is_quote(code[at])) {
      ++at;
      continue;
    }
    std::string text = take_literal(code, at);
    all += (all.empty() ? "" : " ") + text;
    out.push_back(std::move(text));
  }
  if (!all.empty()) out.push_back(std::move(all));
}

void look_into_code(std::string_view code, Texts& out) {
  for (std::string_view rest = kStarters; !rest.empty();) {
    const std::string_view starter = rest.substr(0, rest.find(' '));
    rest.remove_prefix(std::min(starter.size() + 1, rest.size()));
    for (std::size_t at = code.find(starter); at != std::string_view::npos; at = code.find(starter, at + 1)) {
      const std::size_t end = at + starter.size();
      const bool is_word = (at == 0 || !is_letter(code[at - 1])) && (end == code.size() || !is_letter(code[end]));
      if (is_word) add_arguments(code, end, out);
    }
  }
  const bool has_pipes = code.find('|') != std::string_view::npos;  // of awk: print | "…", "…" | getline
  for (std::size_t at = 0; at < code.size() && out.size() < kTextsMax;) {
    if (!is_quote(code[at])) {
      ++at;
      continue;
    }
    const bool runs = code[at] == '`' || has_pipes;
    std::string text = take_literal(code, at);
    if (runs) out.push_back(std::move(text));
  }
}

// !COMMAND in an editor's own language.
void look_into_editor(std::string_view command, Texts& out) {
  const std::size_t bang = command.find('!');
  if (bang != std::string_view::npos) out.emplace_back(command.substr(bang + 1));
}

// sed: the e command, and whatever else follows an "e".
void look_into_sed(std::string_view script, Texts& out) {
  for (std::size_t at = script.find('e'); at != std::string_view::npos && out.size() < kTextsMax;
       at = script.find('e', at + 1)) {
    if (at > 0 && is_letter(script[at - 1])) continue;
    const std::size_t begin = script.find_first_not_of(' ', at + 1);
    if (begin == std::string_view::npos || begin == at + 1) continue;
    out.emplace_back(script.substr(begin, script.find('\n', begin) - begin));
  }
}

// s/…/COMMAND/e runs what it has made. Whatever stands between the marks may be all of it.
void look_into_substitution(std::string_view script, Texts& out) {
  for (std::size_t at = script.find('s'); at != std::string_view::npos && at + 1 < script.size();
       at = script.find('s', at + 1)) {
    if (at > 0 && is_letter(script[at - 1])) continue;
    const char mark = script[at + 1];
    const std::size_t middle = script.find(mark, at + 2);
    const std::size_t end = middle == std::string_view::npos ? middle : script.find(mark, middle + 1);
    if (end == std::string_view::npos || out.size() >= kTextsMax) return;
    const std::string_view flags = script.substr(end + 1, script.find_first_of(";}\n", end + 1) - end - 1);
    if (flags.find('e') != std::string_view::npos) out.emplace_back(script.substr(middle + 1, end - middle - 1));
  }
}

// The values of an option that is among these, glued to it or not.
Texts values_of(const std::vector<shell::Argument>& words, std::string_view options) {
  Texts values;
  for (std::size_t i = 1; i < words.size(); ++i) {
    const std::string& word = words[i].text;
    if (!words[i].is_exact()) continue;
    const std::size_t equals = word.find('=');
    const bool is_short = word.size() > 2 && word[0] == '-' && word[1] != '-';
    if (is_among_words(word, options)) {
      if (i + 1 < words.size() && words[i + 1].is_exact()) values.push_back(words[i + 1].text);
    } else if (equals != std::string::npos && is_among_words(word.substr(0, equals), options)) {
      values.push_back(word.substr(equals + 1));
    } else if (is_short && is_among_words(word.substr(0, 2), options)) {
      values.push_back(word.substr(2));
    } else if (is_short && is_among_words(std::string("-") + word.back(), options) && i + 1 < words.size()) {
      values.push_back(words[i + 1].text);  // -lne CODE
    }
  }
  return values;
}

// spawn rm x, exec rm x: a word of Tcl needs no quotes.
void look_into_tcl(std::string_view code, Texts& out) {
  for (const std::string_view starter : {"spawn ", "exec ", "system "}) {
    for (std::size_t at = code.find(starter); at != std::string_view::npos; at = code.find(starter, at + 1)) {
      const std::size_t begin = at + starter.size();
      out.emplace_back(code.substr(begin, code.find_first_of(";\n]}", begin) - begin));
      if (out.size() >= kTextsMax) return;
    }
  }
}

std::string replaced(std::string text, std::string_view what, std::string_view by) {
  for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + by.size())) {
    text.replace(at, what.size(), by);
  }
  return text;
}

// An option's value that is a command, or holds one.
void add_value(std::string_view name, std::string value, Texts& out) {
  constexpr std::string_view kAction = "exec=";                                     // --checkpoint-action=exec=…
  const std::size_t key = name == "bind" ? value.rfind("\":") : std::string::npos;  // "\C-x": COMMAND
  if (is_among_words(name, "make gmake")) value = replaced(std::move(value), "$(shell ", "$(");
  if (is_among_words(name, "gdb lldb sqlite3 psql mysql mariadb")) {
    for (std::string& text : shell_escapes(value)) out.push_back(std::move(text));
  }
  if (value.starts_with(kAction)) value.erase(0, kAction.size());
  out.push_back(key != std::string::npos ? value.substr(key + 2) : std::move(value));
}

void look_into_operands(std::string_view name, const std::vector<shell::Argument>& words, Texts& out) {
  for (std::size_t i = 1; i < words.size(); ++i) {
    const std::string& word = words[i].text;
    if (!words[i].is_exact()) continue;
    if (is_among_words(name, "vim vi nvim view ex ed less")) {
      if (word.starts_with('+')) look_into_editor(word, out);
    } else if (is_among_words(name, "make gmake")) {
      if (word.starts_with("SHELL=")) out.push_back(word.substr(6));
    } else if (is_among_words(name, "ssh scp sftp")) {
      const std::size_t command = word.find("Command=");
      if (command != std::string::npos) out.push_back(word.substr(command + 8));
    } else if (is_among_words(name, "sed gsed")) {
      look_into_sed(word, out);
      look_into_substitution(word, out);
    } else if (name == "socat") {
      for (const std::string_view address : {"EXEC:", "SYSTEM:", "exec:", "system:"}) {
        if (word.starts_with(address)) out.push_back(word.substr(address.size()));
      }
    } else if (name == "git") {
      if (word.starts_with('!')) out.push_back(word.substr(1));  // git config alias.x '!COMMAND'
      if (word.starts_with("ext::")) out.push_back(replaced(word.substr(5), "% ", " "));
    } else if (name == "sqlite3") {
      for (std::string& text : shell_escapes(word)) out.push_back(std::move(text));
    } else if (is_among_words(name, "apt apt-get aptitude")) {
      const std::size_t hook = word.find("Invoke");  // -o DPkg::Pre-Invoke::=COMMAND
      const std::size_t equals = hook == std::string::npos ? hook : word.find('=', hook);
      if (equals != std::string::npos) out.push_back(word.substr(equals + 1));
    }
  }
}

}  // namespace

std::vector<std::string> shell_escapes(std::string_view text) {
  Texts out;
  while (!text.empty() && out.size() < kTextsMax) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    for (const std::string_view mark : {"!", ".shell ", ".system ", "shell "}) {
      const std::size_t at = line.find(mark);
      if (at != std::string_view::npos) out.emplace_back(line.substr(at + mark.size()));
    }
  }
  return out;
}

std::vector<std::string> texts_in_code(std::string_view code) {
  Texts out;
  look_into_code(code, out);
  look_into_tcl(code, out);
  return out;
}

bool is_interpreter(std::string_view name) {
  return std::ranges::any_of(kInterpreters, [&](const Interpreter& one) { return is_among_words(name, one.names); });
}

std::vector<std::string> texts_in_programs(const std::vector<shell::Argument>& words) {
  Texts out;
  if (words.empty() || !words[0].is_exact()) return out;
  const std::string_view name = shell::command_name(words[0].text);
  for (const Interpreter& interpreter : kInterpreters) {
    if (!is_among_words(name, interpreter.names)) continue;
    if (interpreter.code_options.empty()) {
      for (const shell::Argument& word : words) look_into_code(word.text, out);
    } else {
      for (const std::string& code : values_of(words, interpreter.code_options)) {
        look_into_code(code, out);
        if (is_among_words(name, "tclsh expect")) look_into_tcl(code, out);
      }
    }
  }
  for (const RunningOption& running : kRunningOptions) {
    if (!is_among_words(name, running.names)) continue;
    for (std::string& value : values_of(words, running.options)) {
      add_value(name, std::move(value), out);
    }
  }
  if (is_among_words(name, "vim vi nvim view ex ed")) {
    for (const std::string& command : values_of(words, "-c --cmd")) look_into_editor(command, out);
  }
  look_into_operands(name, words, out);
  return out;
}

}  // namespace deft
