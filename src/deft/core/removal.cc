#include "deft/core/removal.h"

#include <algorithm>
#include <string_view>

#include "deft/base/path.h"

namespace deft {
namespace {

using shell::Argument;
using shell::CommandUse;

bool is_critical(const std::string& path, const CriticalPlaces& places) {
  if (path == "/" || parent_path(path) == "/" || parent_path(path) == "/usr") return true;
  if (is_at_or_below(path, "/proc")) return true;  // /proc/self/cwd is the working directory by another name
  if (!places.home.empty() && is_at_or_below(places.home, path)) return true;
  return std::ranges::any_of(places.directories,
                             [&](const std::string& directory) { return is_at_or_below(directory, path); });
}

}  // namespace

bool is_critical_place(const std::string& path, const CriticalPlaces& places) {
  if (is_critical(normal_path(path), places)) return true;
  if (!places.resolve) return false;
  const auto resolved = places.resolve(path);
  return resolved && is_critical(*resolved, places);
}

namespace {

bool is_pattern(const Argument& word) {
  return word.extent == shell::Extent::many && (word.unknown == "*" || word.unknown == "?" || word.unknown == "[");
}

// "*", ".*", "?*": all there is in the folder, or nearly.
bool takes_everything(std::string_view segment) {
  return segment.find_first_not_of("*?.[]!^{},'\"") == std::string_view::npos;
}

std::optional<std::string> judge_operand(const Argument& word, const CommandUse& use, const CriticalPlaces& places) {
  const std::string shown = word.source.empty() ? word.text : word.source;
  std::string path = word.text;
  if (!word.is_exact()) {
    const bool is_tame = is_pattern(word) && word.source.find("..") == std::string::npos &&
                         (word.rootless || word.text.starts_with('/'));
    if (!is_tame) return "it removes what cannot be told: " + shown;
    const std::string_view source = word.source;
    const std::size_t slash = source.rfind('/');
    const std::string_view last = slash == std::string_view::npos ? source : source.substr(slash + 1);
    path = word.text.substr(0, word.text.rfind('/') + 1);
    const bool wild_folder =
        word.text.rfind('/') != std::string::npos
            ? slash != std::string_view::npos && source.substr(0, slash).find_first_of("*?[") != std::string_view::npos
            : slash != std::string_view::npos;
    // In the root every name is critical; elsewhere only a pattern that takes the folder as a whole.
    if (!takes_everything(last) && !wild_folder) path += "?";
  }
  if (path.starts_with('/')) {
    if (is_critical_place(path, places)) return "it removes " + shown;
    return std::nullopt;
  }
  if (!use.directory_known) return "it removes " + shown + " in a folder that is not known";
  for (const std::string& directory : use.directories) {
    if (is_critical_place(directory + "/" + path, places)) return "it removes " + shown;
  }
  return std::nullopt;
}

std::optional<std::string> judge_rm(const CommandUse& use, const CriticalPlaces& places) {
  bool only_operands = false;
  for (std::size_t i = 1; i < use.words.size(); ++i) {
    const Argument& word = use.words[i];
    if (!only_operands && word.is_exact() && word.text == "--") {
      only_operands = true;
      continue;
    }
    if (!only_operands && word.is_exact() && word.text.starts_with('-') && word.text.size() > 1) continue;
    if (word.is_exact() && word.text.empty()) continue;
    if (auto why = judge_operand(word, use, places)) return why;
  }
  return std::nullopt;
}

bool is_filter(std::string_view test) {
  for (const std::string_view filter : {"-name", "-iname", "-path", "-ipath", "-regex", "-iregex", "-wholename",
                                        "-empty", "-mtime", "-mmin", "-size"}) {
    if (test == filter) return true;
  }
  return false;
}

// What find removes is below the places where it begins; a filter makes it less than all.
std::optional<std::string> judge_find(const CommandUse& use, const CriticalPlaces& places) {
  bool removes = false;
  bool filters = false;
  for (std::size_t i = 1; i < use.words.size(); ++i) {
    const std::string& word = use.words[i].text;
    removes = removes || word == "-delete";
    filters = filters || is_filter(word);
    const bool runs = word == "-exec" || word == "-execdir" || word == "-ok" || word == "-okdir";
    if (runs && i + 1 < use.words.size()) {
      const std::string_view name = shell::command_name(use.words[i + 1].text);
      removes = removes || name == "rm" || name == "rmdir";
    }
  }
  if (!removes) return std::nullopt;
  CommandUse starts = use;
  starts.words = {use.words[0]};
  for (std::size_t i = 1; i < use.words.size(); ++i) {
    const Argument& word = use.words[i];
    if (word.is_exact() && (word.text == "-H" || word.text == "-L" || word.text == "-P")) continue;
    if (word.is_exact() && (word.text.starts_with('-') || word.text == "(" || word.text == "!")) break;
    starts.words.push_back(word);
  }
  if (starts.words.size() == 1) starts.words.push_back(Argument::exactly("."));
  if (!filters) return judge_rm(starts, places);
  CriticalPlaces roots =
      places;  // a filtered search of the project is everyday work; of the root or the home it is not
  roots.directories.clear();
  return judge_rm(starts, roots);
}

// A command that is not known, with a critical place behind it: it may be rm.
std::optional<std::string> judge_unknown(const CommandUse& use, const CriticalPlaces& places) {
  CommandUse known = use;
  std::erase_if(known.words, [](const Argument& word) { return !word.is_exact(); });
  known.words.insert(known.words.begin(), Argument::exactly("rm"));
  return judge_rm(known, places);
}

std::optional<std::string> judge(const CommandUse& use, const CriticalPlaces& places, bool by_find) {
  if (use.words.empty()) return std::nullopt;
  if (!use.words[0].is_exact()) return judge_unknown(use, places);
  const std::string_view name = shell::command_name(use.words[0].text);
  if (name == "find" || name == "gfind") return judge_find(use, places);
  if (name != "rm" && name != "rmdir" && name != "grm") return std::nullopt;
  if (by_find) return std::nullopt;  // judge_find has looked at where it begins
  return judge_rm(use, places);
}

bool is_run_by_find(const CommandUse& use) {
  return std::ranges::any_of(use.words, [](const Argument& word) { return word.unknown == "{}"; });
}

}  // namespace

std::optional<std::string> removes_critical(const ShellLine& line, const CriticalPlaces& places) {
  // Nobody could read it, so that only the letters are left to go by.
  if (line.not_understood && line.text.find("rm") != std::string::npos) {
    return "it may remove something, and is not understood: " + *line.not_understood;
  }
  for (const CommandUse& use : line.commands) {
    if (auto why = judge(use, places, false)) return why;
  }
  for (const CommandUse& use : line.inner) {
    if (auto why = judge(use, places, is_run_by_find(use))) return why;
  }
  return std::nullopt;
}

}  // namespace deft
