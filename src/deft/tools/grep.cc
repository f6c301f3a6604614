#include "deft/tools/grep.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <array>
#include <cerrno>
#include <mutex>

#include "deft/base/path.h"
#include "deft/base/text.h"
#include "deft/os/files.h"
#include "deft/os/open_without_links.h"
#include "deft/os/unique_fd.h"
#include "deft/os/walker.h"
#include "deft/tools/file_types.h"
#include "deft/tools/grep_answer.h"
#include "deft/tools/grep_file.h"
#include "deft/tools/grep_query.h"
#include "deft/tools/grep_results.h"
#include "deft/tools/path_filter.h"
#include "deft/tools/search_stop.h"

// From the input to the answer: the pattern is compiled, a walk (os/walker.h) visits the files, each is searched
// (grep_file.h) by the thread that visits it, what it gives is gathered and sorted (grep_results.h), and what fits is
// put into words (grep_answer.h). Why there is an engine of our own: docs/decisions/0002-search-engine.md.

namespace deft {
namespace {

constexpr std::size_t kFileTextBytesMax = std::size_t{8} << 20;  // of the lines that are kept of one file
constexpr int kOpenFlags = O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC | O_NOCTTY;

// Everything that stays the same for all files of a call.
struct Search {
  const GrepQuery& query;
  const GrepPattern& pattern;
  const SearchRoot& root;
  const SearchOptions& options;
  PathFilter filter;
  std::optional<IgnoreFile> type;
  SearchStop& stop;
  GrepResults& results;
  std::mutex large_file = {};  // see GrepFile

  GrepFormat format(std::string_view shown) const {
    return {.path = shown,
            .numbers = query.numbers,
            .lines_before = query.lines_before,
            .lines_after = query.lines_after,
            .lines_max = query.mode == GrepMode::content ? results.lines_wanted(shown) : 0,
            .bytes_max = kFileTextBytesMax};
  }
};

// Only a regular file is read: whatever took its place meanwhile is none of ours.
void search_file(const Search& search, GrepFile& worker, const UniqueFd& fd, std::string_view shown,
                 GrepFile::Origin origin) {
  struct stat status{};
  if (::fstat(fd.get(), &status) != 0 || !S_ISREG(status.st_mode)) return;
  GrepFinding finding =
      worker.search(fd.get(), static_cast<std::uint64_t>(status.st_size), search.format(shown), origin);
  if (finding.matches > 0 || finding.unreadable || finding.too_large) search.results.add(shown, std::move(finding));
}

class GrepVisitor final : public WalkVisitor {
 public:
  explicit GrepVisitor(Search& search) : search_(search) {}

  WalkWish wish(std::string_view path, bool is_folder) override {
    if (is_folder && search_.stop.requested()) return WalkWish::skip;
    if (search_.options.denied && search_.options.denied(absolute_path(path, search_.root.path), is_folder)) {
      return WalkWish::skip;
    }
    const bool wrong_type =
        !is_folder && search_.type && search_.type->match(file_name(path), false) != IgnoreVerdict::ignored;
    return wrong_type ? WalkWish::skip : search_.filter.wish(path, is_folder);
  }

  void visit(const WalkedFile& file, std::size_t number) override {
    if (search_.stop.requested()) return;
    auto& worker = workers_[number];
    if (!worker) worker = std::make_unique<GrepFile>(search_.query, search_.pattern, search_.stop, search_.large_file);
    const UniqueFd fd(::openat(file.folder, file.name, kOpenFlags));
    const int error_number = errno;
    std::string& path = paths_[number];
    path.assign(search_.root.shown_prefix).append(file.folder_path).append(file.name);
    if (fd) return search_file(search_, *worker, fd, shown_path(path), GrepFile::Origin::found);
    const bool is_gone = error_number == ENOENT || error_number == ELOOP;
    if (!is_gone) search_.results.add(path, {.unreadable = true});
  }

 private:
  Search& search_;
  std::array<std::unique_ptr<GrepFile>, kWalkWorkersMax> workers_;
  std::array<std::string, kWalkWorkersMax> paths_;
};

Json string_property(std::string_view description) {
  return JsonObject{{"type", "string"}, {"description", description}};
}
Json number_property(std::string_view description) {
  return JsonObject{{"type", "integer"}, {"minimum", 0}, {"description", description}};
}
Json flag_property(std::string_view description) {
  return JsonObject{{"type", "boolean"}, {"description", description}};
}

Json input_schema() {
  JsonObject properties;
  properties["pattern"] = string_property("The regular expression, in ripgrep's dialect.");
  properties["path"] = string_property("The folder or file to search; the working directory if left out.");
  properties["glob"] = string_property(
      "Which files to search: \"*.ts\", \"src/**/*.{cc,h}\", \"!*.min.js\". Several are separated by spaces or "
      "commas.");
  properties["type"] = string_property("Which kind of files to search: py, js, ts, rust, go, java, cpp, md and so on.");
  properties["output_mode"] =
      JsonObject{{"type", "string"},
                 {"enum", JsonArray{"content", "files_with_matches", "count"}},
                 {"description",
                  "content: the matching lines; files_with_matches: only the paths of files (if left out); count: how "
                  "many lines match in each file."}};
  properties["-A"] = number_property("Lines to show after each match (content).");
  properties["-B"] = number_property("Lines to show before each match (content).");
  properties["-C"] = number_property("Lines to show before and after each match (content).");
  properties["context"] = number_property("The same as -C.");
  properties["-n"] = flag_property("Show line numbers (content); true if left out.");
  properties["-i"] = flag_property("Upper and lower case are the same.");
  properties["-o"] = flag_property("Show only what matches, not the whole line (content).");
  properties["head_limit"] = number_property("Show at most so many lines or files; 250 if left out, 0: no limit.");
  properties["offset"] = number_property("Leave out so many lines or files first; to go on where a result ended.");
  properties["multiline"] =
      flag_property("A match may go over several lines, and the dot matches a newline too; false if left out.");
  return JsonObject{{"type", "object"},
                    {"properties", std::move(properties)},
                    {"required", JsonArray{"pattern"}},
                    {"additionalProperties", false}};
}

class GrepTool final : public Tool {
 public:
  explicit GrepTool(SearchOptions options) : options_(std::move(options)) {}

  const ToolSpec& spec() const override { return spec_; }
  bool is_read_only(const Json&, const SessionView&) const override { return true; }
  bool leaves_out_denied_files() const override { return options_.denied != nullptr; }
  std::optional<Footprint> footprint(const Json& input, const SessionView&) const override {
    const auto path = find_string(input, "path");
    return reads_tree_and_rules(path ? std::string(*path) : "/").and_session(Footprint::Use::read);
  }
  std::optional<std::vector<std::string>> permission_paths(const Json& input,
                                                           const SessionView& session) const override {
    const auto path = find_string(input, "path");
    return std::vector{absolute_path(path.value_or(""), session.working_directory())};
  }

  Result<ToolResult> run(const Json& input, ToolIo& io) override {
    const GrepQuery query = parse_grep_query(input);
    const auto pattern = compile_grep_pattern(query);
    if (!pattern) return std::unexpected(pattern.error());
    const auto root = open_search_root(query.path, io);
    if (!root) return std::unexpected(root.error());
    auto filter = PathFilter::parse(query.glob.value_or(""), root->below);
    if (!filter) return std::unexpected(filter.error());
    auto type = query.type ? file_type(*query.type) : std::nullopt;
    if (query.type && !type) {
      return fail(Errc::invalid_input, "There is no file type \"" + std::string(*query.type) +
                                           "\". Use glob instead, or one of: " + file_type_names() + ".");
    }

    SearchStop stop(io.stop, io.os.clock, kGrepTimeMax);
    const bool separated = query.mode == GrepMode::content && query.lines_before + query.lines_after > 0;
    GrepResults results(query.mode, separated, query.offset, query.head_limit);
    Search search{.query = query,
                  .pattern = *pattern,
                  .root = *root,
                  .options = options_,
                  .filter = std::move(*filter),
                  .type = std::move(type),
                  .stop = stop,
                  .results = results};
    const auto walked = root->is_folder ? search_folder(search) : search_one_file(search);
    if (!walked) return std::unexpected(walked.error());
    if (io.stop.stop_requested()) return fail(Errc::cancelled, "The search was cancelled.");
    return grep_answer(query, results, *walked, stop.timed_out());
  }

  std::string render_use(const Json& input) const override {
    return "Grep(" + one_line(find_string(input, "pattern").value_or(""), 60) + ")";
  }

 private:
  static Result<WalkReport> search_folder(Search& search) {
    GrepVisitor visitor(search);
    const WalkOptions options{.root = search.root.path,
                              .home = environment_value("HOME"),
                              .xdg_config_home = environment_value("XDG_CONFIG_HOME"),
                              .workers_max = walk_workers(),
                              .stop = search.stop.token()};
    return walk(options, visitor);
  }

  static Result<WalkReport> search_one_file(Search& search) {
    if (search.options.denied && search.options.denied(search.root.path, false)) {
      return fail(Errc::denied, search.root.path + " must not be read.");
    }
    const UniqueFd fd = open_without_links(search.root.path, O_RDONLY | O_NONBLOCK);
    if (!fd) return std::unexpected(system_error(Errc::io, "cannot read " + search.root.path, errno));
    GrepFile worker(search.query, search.pattern, search.stop, search.large_file);
    search_file(search, worker, fd, shown_path(search.root.shown_prefix), GrepFile::Origin::named);
    return WalkReport{};
  }

  const SearchOptions options_;
  const ToolSpec spec_{
      .name = "Grep",
      .description =
          "Searches the contents of files with a regular expression. Faster than grep or rg in a shell, and the "
          "result is sorted by path and bounded: use it for every search.\n"
          "- Syntax as in ripgrep: \\w, \\b and (?i) know Unicode; no look-around, no back-references. Put a "
          "backslash before ( ) [ ] { } . * + ? ^ $ | to search for the character itself.\n"
          "- Files that .gitignore or .ignore name are left out, and so are .git and binary files; hidden files are "
          "searched. To search an ignored folder, give it as path.\n"
          "- Begin with files_with_matches or a narrow glob; then look at the lines with output_mode content and -C.\n"
          "- A match lies within one line unless multiline is set.",
      .input_schema = input_schema(),
      .search_hint = "find text in files ripgrep rg regular expression contents",
      .path_fields = {"path"},
      .on_interrupt = OnInterrupt::cancel,
      .result_characters_max = kGrepResultCharactersMax};
};

}  // namespace

std::shared_ptr<Tool> make_grep_tool(SearchOptions options) { return std::make_shared<GrepTool>(std::move(options)); }

}  // namespace deft
