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
constexpr std::array<Interpreter, 7> kInterpreters = {{{"python python2 python3 pypy ipython", "-c"},
                                                       {"perl", "-e -E"},
                                                       {"ruby lua luajit osascript Rscript", "-e"},
                                                       {"node nodejs bun deno", "-e -p --eval --print eval"},
                                                       {"php", "-r"},
                                                       {"tclsh expect", "-c"},
                                                       {"awk gawk mawk nawk", ""}}};
// Functions that hand their argument to a shell or start a program.
constexpr std::array<std::string_view, 17> kStarters = {
    "system",     "popen",        "Popen",     "exec",       "execSync", "spawn",     "spawnSync", "call",        "run",
    "check_call", "check_output", "getoutput", "shell_exec", "passthru", "proc_open", "qx",        "execFileSync"};

// Options of other programs whose value they run.
struct RunningOption {
  std::string_view names;
  std::string_view options;
};
constexpr std::array<RunningOption, 12> kRunningOptions = {
    {{"tar gtar bsdtar", "--to-command --checkpoint-action --use-compress-program -I --rsh-command --info-script -F"},
     {"rsync", "-e --rsh --rsync-path"},
     {"git", "--upload-pack --receive-pack --exec --exec-path"},
     {"man", "-P --pager"},
     {"rg sort", "--pre --compress-program"},
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
  for (const std::string_view starter : kStarters) {
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
    }
  }
}

}  // namespace

std::vector<std::string> texts_in_programs(const std::vector<shell::Argument>& words) {
  Texts out;
  if (words.empty() || !words[0].is_exact()) return out;
  const std::string_view name = shell::command_name(words[0].text);
  for (const Interpreter& interpreter : kInterpreters) {
    if (!is_among_words(name, interpreter.names)) continue;
    if (interpreter.code_options.empty()) {
      for (const shell::Argument& word : words) look_into_code(word.text, out);
    } else {
      for (const std::string& code : values_of(words, interpreter.code_options)) look_into_code(code, out);
    }
  }
  for (const RunningOption& running : kRunningOptions) {
    if (!is_among_words(name, running.names)) continue;
    for (std::string& value : values_of(words, running.options)) {
      const std::size_t exec = value.find("exec=");                                     // --checkpoint-action=exec=…
      const std::size_t key = name == "bind" ? value.rfind("\":") : std::string::npos;  // "\C-x": COMMAND
      out.push_back(exec == 0 ? value.substr(5) : key != std::string::npos ? value.substr(key + 2) : std::move(value));
    }
  }
  if (is_among_words(name, "vim vi nvim view ex ed")) {
    for (const std::string& command : values_of(words, "-c --cmd")) look_into_editor(command, out);
  }
  look_into_operands(name, words, out);
  return out;
}

}  // namespace deft
