#include <algorithm>
#include <span>
#include <string_view>

#include "deft/shell/known/command.h"
#include "deft/shell/named_files.h"
#include "deft/shell/paths.h"

// A word that may be a path counts as one: `grep -A 3 /x f` may be said to name /x. What must not happen is that a path
// is left out.

namespace deft::shell {
namespace {

// Their words are text, never the name of a file.
constexpr std::string_view kWithoutPaths =
    "echo printf true false : seq sleep pwd uname id whoami basename dirname tr expr exit break continue type which";
// Their first operand is a pattern or a program, unless an option gave it.
constexpr std::string_view kTextFirst = "grep egrep fgrep rgrep rg ag sed gsed awk gawk mawk nawk jq yq fd fdfind";
constexpr std::string_view kTextOptions = "--regexp --file --files --expression --from-file --type-list";
// The word behind these is a pattern or a format.
constexpr std::string_view kFindPatterns =
    "-name -iname -path -ipath -wholename -iwholename -regex -iregex -lname -ilname -printf -type -xtype -perm -size";
constexpr std::string_view kDelimiterOptions = "-d -t -F -s";
constexpr std::string_view kNoFiles = "/dev/null /dev/stdin /dev/stdout /dev/stderr";

bool is_option(const Argument& word) { return word.text.size() > 1 && word.text[0] == '-'; }

bool contains(std::string_view text, std::string_view piece) { return text.find(piece) != std::string_view::npos; }

bool may_be_prefix_of_any(std::string_view name, std::string_view list) {
  return contains(std::string(" ") + std::string(list), std::string(" ") + std::string(name));
}

class PathCollector {
 public:
  explicit PathCollector(const CommandUse& use) : use_(use) {}

  // False: something cannot be resolved.
  bool collect(std::vector<std::string>& out) {
    out_ = &out;
    for (const RedirectionUse& redirection : use_.redirections) {
      const bool names_file = redirection.access != Access::duplicate && redirection.access != Access::here;
      if (names_file && !add(redirection.target)) return false;
    }
    if (use_.words.empty()) return true;
    if (!use_.words[0].is_exact()) return false;
    const std::string& name = use_.words[0].text;
    if (is_among_words(name, kWithoutPaths)) return true;
    if (name == "xargs" || name == "parallel") return false;  // their input names files
    const auto words = std::span(use_.words).subspan(1);
    bool is_text_next = is_among_words(name, kTextFirst) && !has_text_option(words);
    for (std::size_t i = 0; i < words.size(); ++i) {
      const Argument& word = words[i];
      const std::string_view before = i > 0 ? std::string_view(words[i - 1].text) : std::string_view();
      if (is_option(word)) {
        if (!add_from_option(name, word)) return false;
        continue;
      }
      if (name == "find" && is_among_words(before, kFindPatterns)) continue;
      if (word.is_exact() && word.text == "/" && is_among_words(before, kDelimiterOptions)) continue;
      if (is_text_next) {
        is_text_next = false;
        if (!is_text_without_files(name, word)) return false;
        continue;
      }
      if (is_script_of_option(name, before) && !is_text_without_files(name, word)) return false;
      if (!add(word)) return false;
    }
    return true;
  }

 private:
  static bool has_text_option(std::span<const Argument> words) {
    return std::ranges::any_of(words, [](const Argument& word) {
      if (!is_option(word)) return false;
      if (!word.text.starts_with("--")) return word.text.find_first_of("ef") != std::string::npos;
      return may_be_prefix_of_any(word.text.substr(0, word.text.find('=')), kTextOptions);
    });
  }

  static bool is_script_of_option(std::string_view name, std::string_view option) {
    return is_among_words(name, "sed gsed awk gawk mawk nawk") && option.starts_with('-') && option.ends_with('e');
  }

  // Programs of sed, awk, jq and yq may open files themselves.
  static bool is_text_without_files(std::string_view name, const Argument& word) {
    if (is_among_words(name, "grep egrep fgrep rgrep rg ag fd fdfind")) return true;
    if (!word.is_exact()) return false;
    if (is_among_words(name, "sed gsed")) return !sed_script_names_files(word.text);
    if (is_among_words(name, "jq yq")) {
      return !contains(word.text, "import") && !contains(word.text, "include") && !contains(word.text, "load");
    }
    return word.text.find_first_of("@|") == std::string::npos && !contains(word.text, "getline") &&
           !contains(word.text, "\"/") && !contains(word.text, "system") && !contains(word.text, "print >");
  }

  // --file=/x, -f/x. Other values are text, or files below the working directory.
  bool add_from_option(std::string_view name, const Argument& word) {
    const bool lists_files = contains(word.text, "files0-from") || contains(word.text, "files-from") ||
                             (name.ends_with("sum") && (word.text.starts_with("-c") || word.text == "--check"));
    if (lists_files) return false;
    const std::size_t equals = word.text.find('=');
    const bool is_long = word.text.starts_with("--");
    if (is_long && equals == std::string::npos) return word.is_exact();
    const bool is_script = is_long ? may_be_prefix_of_any(word.text.substr(0, equals), "--expression")
                                   : word.text.size() > 2 && word.text.find('e') != std::string::npos;
    if (is_script && is_among_words(name, "sed gsed")) return false;
    std::string value = is_long ? word.text.substr(equals + 1) : word.text.substr(1);
    if (!word.is_exact()) return false;
    if (!is_long) {
      const std::size_t slash = value.find('/');
      if (slash == std::string::npos || value.substr(slash) == "/") return true;
      value = contains(value, "..") ? value.substr(value.find("..")) : value.substr(slash);
    }
    const bool leads_out = value.starts_with('/') || value.starts_with('~') || contains(value, "..");
    return !leads_out || add(Argument::exactly(value));
  }

  bool add(const Argument& word) {
    if (word.text.starts_with("/dev/fd/") && word.is_one_word()) return true;
    if (word.is_integer) return true;
    std::string path = word.text;
    if (!word.is_exact()) {
      const bool is_pattern = word.unknown == "*" || word.unknown == "?" || word.unknown == "[";
      if (!is_pattern || contains(word.source, "..") || contains(word.source, "$") || contains(word.source, "`")) {
        return false;
      }
      path = path.substr(0, path.rfind('/') + 1);
      if (path.empty()) path = ".";
    }
    if (is_among_words(path, kNoFiles)) return true;
    if (path.starts_with('/')) return keep(join_paths("/", path));
    if (!use_.directory_known) return false;
    return std::ranges::all_of(use_.directories,
                               [&](const std::string& directory) { return keep(join_paths(directory, path)); });
  }

  bool keep(std::string path) {
    if (std::ranges::find(*out_, path) == out_->end()) out_->push_back(std::move(path));
    return true;
  }

  const CommandUse& use_;
  std::vector<std::string>* out_ = nullptr;
};

}  // namespace

std::optional<std::vector<std::string>> touched_paths(const Commands& commands) {
  for (const Note& note : commands.notes) {
    if (note.kind != NoteKind::background) return std::nullopt;
  }
  std::vector<std::string> paths;
  for (const CommandUse& use : commands.commands) {
    if (!PathCollector(use).collect(paths)) return std::nullopt;
  }
  return paths;
}

}  // namespace deft::shell
