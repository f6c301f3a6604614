#include "deft/tools/glob_tool.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <atomic>

#include "deft/base/glob.h"
#include "deft/base/path.h"
#include "deft/base/text.h"
#include "deft/base/utf8.h"
#include "deft/os/files.h"
#include "deft/os/walker.h"
#include "deft/tools/grep_results.h"
#include "deft/tools/search_stop.h"

namespace deft {
namespace {

constexpr std::string_view kSpecial = "*?[{\\";

struct FoundFile {
  std::int64_t modified_ns = 0;
  std::string path;  // as it is shown
};

bool comes_before(const FoundFile& a, const FoundFile& b) {
  if (a.modified_ns != b.modified_ns) return a.modified_ns > b.modified_ns;
  return PathOrder()(a.path, b.path);
}

// The first kGlobFilesMax in order of everything that is added; of the rest only how many there were.
class NewestFiles {
 public:
  void add(FoundFile file) {
    ++count_;
    if (files_.size() < kGlobFilesMax) {
      files_.push_back(std::move(file));
      std::ranges::push_heap(files_, comes_before);
      return;
    }
    if (!comes_before(file, files_.front())) return;
    std::ranges::pop_heap(files_, comes_before);
    files_.back() = std::move(file);
    std::ranges::push_heap(files_, comes_before);
  }
  void add_all(NewestFiles& other) {
    const std::size_t beyond = other.count_ - other.files_.size();
    for (FoundFile& file : other.files_) add(std::move(file));
    count_ += beyond;
  }
  std::size_t count() const { return count_; }
  std::vector<FoundFile> take_sorted() {
    std::ranges::sort(files_, comes_before);
    return std::move(files_);
  }

 private:
  std::vector<FoundFile> files_;  // a heap, the last in order on top
  std::size_t count_ = 0;
};

bool names_git(std::string_view pattern) {
  for (std::size_t at = pattern.find(".git"); at != std::string_view::npos; at = pattern.find(".git", at + 1)) {
    const bool begins = at == 0 || pattern[at - 1] == '/';
    if (begins && (at + 4 == pattern.size() || pattern[at + 4] == '/')) return true;
  }
  return false;
}

class GlobVisitor final : public WalkVisitor {
 public:
  GlobVisitor(const Glob& glob, bool by_name, const SearchRoot& root, const SearchOptions& options, SearchStop& stop)
      : glob_(glob), by_name_(by_name), root_(root), options_(options), stop_(stop) {}

  WalkWish wish(std::string_view path, bool is_folder) override {
    if (is_folder && stop_.requested()) return WalkWish::skip;
    if (!is_wanted(path, is_folder)) return WalkWish::skip;
    const bool denied = options_.denied && options_.denied(absolute_path(path, root_.path), is_folder);
    return denied ? WalkWish::skip : WalkWish::by_rules;
  }

  void visit(const WalkedFile& file, std::size_t worker) override {
    if (stop_.requested()) return;
    // A link counts as the file that it leads to; one that leads elsewhere is not a file.
    struct stat status{};
    if (::fstatat(file.folder, file.name, &status, file.is_link ? 0 : AT_SYMLINK_NOFOLLOW) != 0) return;
    if (!S_ISREG(status.st_mode)) return;
    std::string path = root_.shown_prefix;
    path.append(file.folder_path).append(file.name);
    newest_[worker].add(
        {.modified_ns = status.st_mtim.tv_sec * 1'000'000'000 + status.st_mtim.tv_nsec, .path = std::move(path)});
  }

  NewestFiles take_newest() {
    NewestFiles all;
    for (NewestFiles& some : newest_) all.add_all(some);
    return all;
  }

 private:
  bool is_wanted(std::string_view path, bool is_folder) const {
    if (is_folder) return by_name_ || glob_.may_match_below(path);
    return glob_.matches(by_name_ ? file_name(path) : path);
  }

  const Glob& glob_;
  const bool by_name_;
  const SearchRoot& root_;
  const SearchOptions& options_;
  SearchStop& stop_;
  std::array<NewestFiles, kWalkWorkersMax> newest_;
};

class GlobTool final : public Tool {
 public:
  explicit GlobTool(SearchOptions options) : options_(std::move(options)) {}

  const ToolSpec& spec() const override { return spec_; }
  bool is_read_only(const Json&, const SessionView&) const override { return true; }
  bool leaves_out_denied_files() const override { return options_.denied != nullptr; }
  std::optional<Footprint> footprint(const Json& input, const SessionView&) const override {
    const auto path = find_string(input, "path");
    const std::string_view pattern = pattern_of(input);
    const bool known = path || pattern.starts_with('/');  // else it depends on the working directory
    const std::string folder = known ? glob_target(pattern, path.value_or("/")).folder : "/";
    Footprint reads = options_.respect_ignore ? reads_tree_and_rules(folder) : Footprint::reads_tree(folder);
    return std::move(reads).and_session(Footprint::Use::read);
  }
  std::optional<std::vector<std::string>> permission_paths(const Json& input,
                                                           const SessionView& session) const override {
    return std::vector{target_of(input, session.working_directory()).folder};
  }

  Result<ToolResult> run(const Json& input, ToolIo& io) override {
    const TimePoint began = io.os.clock.now();
    const GlobTarget target = target_of(input, io.session.working_directory());
    const auto root = open_search_root(target.folder, io);
    if (!root) return std::unexpected(root.error());
    if (!root->is_folder) {
      return fail(Errc::invalid_input, root->path + " is a file: give the folder that it is in as path.");
    }
    // Without a slash it is for the name, at any depth.
    const bool by_name = target.pattern.find('/') == std::string::npos;
    const auto glob = Glob::compile(target.pattern.starts_with("./") ? target.pattern.substr(2) : target.pattern);
    if (!glob) return std::unexpected(glob.error());

    SearchStop stop(io.stop, io.os.clock, kGlobTimeMax);
    GlobVisitor visitor(*glob, by_name, *root, options_, stop);
    const WalkOptions options{.root = root->path,
                              .respect_ignore_files = options_.respect_ignore,
                              .enter_git = names_git(target.pattern) || names_git(root->path),
                              .links_too = true,
                              .home = environment_value("HOME"),
                              .xdg_config_home = environment_value("XDG_CONFIG_HOME"),
                              .workers_max = walk_workers(),
                              .stop = stop.token()};
    const auto walked = walk(options, visitor);
    if (!walked) return std::unexpected(walked.error());
    if (io.stop.stop_requested()) return fail(Errc::cancelled, "The search was cancelled.");
    NewestFiles newest = visitor.take_newest();
    const auto took = std::chrono::duration_cast<std::chrono::milliseconds>(io.os.clock.now() - began);
    ToolResult result = answer(newest, *walked, stop.timed_out(), took.count());
    if (newest.count() == 0) add_line(result.text, folder_hint(target, io));
    return result;
  }

  std::string render_use(const Json& input) const override { return "Glob(" + one_line(pattern_of(input), 60) + ")"; }

 private:
  static std::string_view pattern_of(const Json& input) { return find_string(input, "pattern").value_or(""); }

  static GlobTarget target_of(const Json& input, std::string_view working_directory) {
    const auto path = find_string(input, "path");
    return glob_target(pattern_of(input), absolute_path(path.value_or(""), working_directory));
  }

  // The name of a folder as the pattern: a common slip.
  static std::string folder_hint(const GlobTarget& target, ToolIo& io) {
    if (target.pattern.find_first_of(kSpecial) != std::string::npos) return {};
    const auto status = io.os.files.status(absolute_path(target.pattern, target.folder));
    if (!status || status->kind != FileKind::directory) return {};
    return "[" + target.pattern + " is a folder: use " + target.pattern + "/** for what is in it.]";
  }

  static ToolResult answer(NewestFiles& newest, const WalkReport& walked, bool timed_out, std::int64_t milliseconds) {
    ToolResult result;
    JsonArray names;
    const std::size_t count = newest.count();
    for (const FoundFile& file : newest.take_sorted()) {
      const std::string name = to_valid_utf8(shown_path(file.path));
      add_line(result.text, name);
      names.emplace_back(name);
    }
    const bool truncated = count > names.size();
    if (count == 0) result.text = "No files found";
    if (truncated) {
      add_line(result.text, "[The newest " + std::to_string(names.size()) + " of " + std::to_string(count) +
                                " files are shown: use a narrower pattern or path to see others.]");
    }
    add_line(result.text, unreadable_notice(walked.unreadable, walked.first_unreadable, 0));
    if (timed_out) {
      const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(kGlobTimeMax).count();
      add_line(result.text, "[Stopped after " + std::to_string(seconds) +
                                " s, so files may be missing: use a narrower pattern or path.]");
    }
    JsonObject details{{"durationMs", milliseconds}, {"numFiles", names.size()}, {"filenames", std::move(names)},
                       {"truncated", truncated},     {"totalMatches", count},    {"countIsComplete", !timed_out}};
    if (timed_out) details["timedOut"] = true;
    result.details = std::move(details);
    return result;
  }

  const SearchOptions options_;
  const ToolSpec spec_{
      .name = "Glob",
      .description =
          "Finds files by their names, the newest first, at most 100. Use it instead of find or ls in a shell.\n"
          "- * stands for anything within a name, ** for any number of folders, ? for one character, [a-z] for one of "
          "several, {a,b} for alternatives: \"src/**/*.{cc,h}\".\n"
          "- A pattern without a slash is looked for at any depth; \"./*.md\" stays at the top.\n"
          "- Hidden and ignored files are found too, .git is not entered. Symbolic links to folders are not followed.\n"
          "- To search for what files contain, use Grep.",
      .input_schema =
          JsonObject{
              {"type", "object"},
              {"properties",
               {{"pattern", {{"type", "string"}, {"minLength", 1}, {"description", "The glob pattern."}}},
                {"path",
                 {{"type", "string"}, {"description", "The folder to search; the working directory if left out."}}}}},
              {"required", JsonArray{"pattern"}},
              {"additionalProperties", false}},
      .search_hint = "find files by name wildcard list directory newest",
      .path_fields = {"path"},
      .on_interrupt = OnInterrupt::cancel};
};

}  // namespace

GlobTarget glob_target(std::string_view pattern, std::string_view folder) {
  std::string root(pattern.starts_with('/') ? "/" : folder);
  const bool moves = pattern.starts_with('/') || pattern.starts_with("../") || pattern.starts_with("./../");
  std::string_view rest = pattern;
  while (moves) {
    const std::size_t slash = rest.find('/');
    if (slash == std::string_view::npos) break;
    const std::string_view part = rest.substr(0, slash);
    if (part.find_first_of(kSpecial) != std::string_view::npos) break;
    root = absolute_path(part, root);
    rest.remove_prefix(slash + 1);
  }
  std::string out(rest);
  // What was anchored by what stood before it stays so.
  if (moves && out.find('/') == std::string::npos) out.insert(0, "./");
  if (out.ends_with('/') || out == "./") out += "**";
  return {std::move(root), std::move(out)};
}

std::shared_ptr<Tool> make_glob_tool(SearchOptions options) { return std::make_shared<GlobTool>(std::move(options)); }

}  // namespace deft
