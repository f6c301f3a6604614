#include "layers.h"

#include "defined_types.h"

#include <algorithm>
#include <array>
#include <fstream>
#include <iterator>
#include <optional>
#include <ostream>
#include <set>
#include <sstream>

namespace deft {
namespace {

namespace fs = std::filesystem;

struct Layer {
  std::string_view name;
  std::vector<std::string_view> may_include;  // beside itself
};

// Who may include whom. A layer never includes one that stands below it in this table.
const std::vector<Layer>& layers() {
  static const std::vector<Layer> table = {
      {"base", {}},
      {"shell", {"base"}},
      {"os", {"base", "warden"}},
      {"core", {"base", "shell"}},
      {"tools", {"base", "core", "os", "shell"}},
      {"config", {"base", "core"}},
      {"mcp", {"base", "core", "os", "shell", "tools", "config"}},
      {"lsp", {"base", "core", "os", "shell", "tools", "config"}},
      {"model", {"base", "core", "os", "config"}},
      {"agent", {"base", "core", "os", "shell", "tools", "model", "config"}},
      {"ui", {"base", "core", "os", "shell", "tools", "mcp", "lsp", "model", "config", "agent"}},
      {"main", {"base", "core", "os", "shell", "tools", "mcp", "lsp", "model", "config", "agent", "ui"}},
      {"testing", {"base", "core", "os", "shell", "tools", "mcp", "lsp", "model", "config", "agent", "ui"}},
      // A program of its own, which knows nothing of the library; os/ speaks to it and knows its protocol.
      {"warden", {}},
  };
  return table;
}

constexpr std::array<std::string_view, 2> kPureLayers = {"core", "shell"};

// What a pure layer cannot have: threads, clocks, files, the system.
constexpr std::array<std::string_view, 15> kImpureHeaders = {
    "thread",  "mutex",   "shared_mutex", "condition_variable", "future",   "semaphore",
    "latch",   "barrier", "fstream",      "iostream",           "unistd.h", "fcntl.h",
    "spawn.h", "poll.h",  "pthread.h"};
constexpr std::array<std::string_view, 3> kClockReadings = {"steady_clock::now", "system_clock::now",
                                                            "high_resolution_clock::now"};

constexpr std::string_view kLibraryFolder = "src/deft/";
constexpr std::string_view kLibraryRoot = "deft/";
constexpr std::string_view kWardenRoot = "warden/";
// All that others may know of the warden.
constexpr std::array<std::string_view, 2> kWardenHeaders = {"warden/protocol.h", "warden/own_cgroup.h"};

bool contains(const auto& range, std::string_view value) {
  return std::find(std::begin(range), std::end(range), value) != std::end(range);
}

std::string_view trim(std::string_view text) {
  const auto first = text.find_first_not_of(" \t\r");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t\r") - first + 1);
}

std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const auto end = std::min(text.find('\n'), text.size());
    lines.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

// What follows "#include", if the line is one: "<vector>", "\"deft/base/json.h\"".
std::optional<std::string_view> included(std::string_view line) {
  line = trim(line);
  if (!line.starts_with('#')) return std::nullopt;
  line = trim(line.substr(1));
  if (!line.starts_with("include")) return std::nullopt;
  return trim(line.substr(std::string_view("include").size()));
}

// "core" of "core/scheduler.h".
std::string_view first_folder(std::string_view path) { return path.substr(0, std::min(path.find('/'), path.size())); }

// The layer of a file of ours; nothing for files that stand under no layer rule (tests, benchmarks, examples).
std::optional<std::string_view> layer_of(std::string_view file) {
  if (file == "src/main.cc") return "main";
  if (file.starts_with("src/warden/")) return "warden";
  if (!file.starts_with(kLibraryFolder)) return std::nullopt;
  return first_folder(file.substr(kLibraryFolder.size()));
}

class SourceCheck {
 public:
  SourceCheck(std::string_view file, std::vector<Violation>& violations) : file_(file), violations_(violations) {}

  void check(std::string_view text) {
    const auto lines = lines_of(text);
    if (lines.size() > kSourceLinesMax) {
      report(kSourceLinesMax + 1, "the file has " + std::to_string(lines.size()) + " lines; split it by subject");
    }
    const auto name = layer_of(file_);
    if (!name) return;
    const auto layer = std::ranges::find(layers(), *name, &Layer::name);
    if (layer == layers().end()) return report(1, std::string(*name) + " is not a layer in tests/layers/layers.cc");

    for (std::size_t i = 0; i < lines.size(); ++i) {
      if (const auto target = included(lines[i])) {
        check_include(*layer, i + 1, *target);
      } else {
        check_clock(*layer, i + 1, lines[i]);
      }
    }
  }

 private:
  void check_include(const Layer& layer, std::size_t line, std::string_view target) {
    const bool quoted = target.starts_with('"');
    const auto end = target.find(quoted ? '"' : '>', 1);
    if ((!quoted && !target.starts_with('<')) || end == std::string_view::npos) {
      return report(line, "an include that cannot be read: " + std::string(target));
    }
    const std::string_view path = target.substr(1, end - 1);
    if (path.starts_with(kLibraryRoot)) {
      return check_layer(layer, line, path, first_folder(path.substr(kLibraryRoot.size())));
    }
    if (path.starts_with(kWardenRoot)) return check_layer(layer, line, path, "warden");
    // A path relative to the file would pass by the table of layers.
    if (quoted) return report(line, "include \"" + std::string(path) + "\" by its full path, deft/…");
    if (is_pure(layer) && (contains(kImpureHeaders, path) || path.starts_with("sys/"))) {
      report(line, std::string(layer.name) + " is pure and must not include <" + std::string(path) + ">");
    }
  }

  void check_layer(const Layer& layer, std::size_t line, std::string_view path, std::string_view other) {
    if (other == layer.name) return;
    const bool is_known_to_others = other != "warden" || contains(kWardenHeaders, path) || is_test();
    if (is_known_to_others && contains(layer.may_include, other)) return;
    if (other == "testing" && is_test()) return;
    report(line, std::string(layer.name) + " must not include \"" + std::string(path) + "\"");
  }

  void check_clock(const Layer& layer, std::size_t line, std::string_view text) {
    if (!is_pure(layer)) return;
    const auto code = text.substr(0, text.find("//"));
    for (const auto reading : kClockReadings) {
      if (code.find(reading) == std::string_view::npos) continue;
      report(line, std::string(layer.name) + " is pure and must not read a clock: " + std::string(reading));
    }
  }

  bool is_test() const { return file_.ends_with("_test.cc"); }
  // The unit tests of a pure layer may read fixtures; what they test may not.
  bool is_pure(const Layer& layer) const { return contains(kPureLayers, layer.name) && !is_test(); }

  void report(std::size_t line, std::string message) {
    violations_.push_back({std::string(file_), line, std::move(message)});
  }

  std::string_view file_;
  std::vector<Violation>& violations_;
};

std::string read_text(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return std::move(text).str();
}

}  // namespace

std::ostream& operator<<(std::ostream& out, const Violation& violation) {
  return out << '\n' << violation.file << ':' << violation.line << ": " << violation.message;
}

std::vector<Violation> TypeNames::check(const std::string& file, std::string_view text) {
  std::vector<Violation> violations;
  for (const DefinedType& type : types_defined_in(text)) {
    const auto [first, is_new] = first_.try_emplace(type.name, file);
    if (is_new || first->second == file) continue;
    violations.push_back({file, type.line, type.name + " is the name of another type, in " + first->second});
  }
  return violations;
}

std::vector<Violation> check_source(std::string_view file, std::string_view text) {
  std::vector<Violation> violations;
  SourceCheck(file, violations).check(text);
  return violations;
}

SourceTree check_tree(const fs::path& root) {
  std::set<fs::path> files;  // in order, so that two runs report the same
  for (const char* folder : {"src", "tests", "bench", "examples"}) {
    if (!fs::exists(root / folder)) continue;
    for (const auto& entry : fs::recursive_directory_iterator(root / folder)) {
      const auto extension = entry.path().extension();
      if (extension == ".cc" || extension == ".h" || extension == ".S") files.insert(entry.path());
    }
  }
  SourceTree tree{.files = files.size(), .violations = {}};
  TypeNames names;
  for (const auto& path : files) {
    const std::string file = path.lexically_relative(root).generic_string();
    const std::string text = read_text(path);
    auto found = check_source(file, text);
    std::ranges::move(found, std::back_inserter(tree.violations));
    found = names.check(file, text);
    std::ranges::move(found, std::back_inserter(tree.violations));
  }
  return tree;
}

}  // namespace deft
