#include "deft/shell/known/git_config.h"

#include <algorithm>

#include "deft/shell/parser.h"
#include "deft/shell/paths.h"

namespace deft::shell {
namespace {

inline constexpr int kParentFoldersMax = 128;
inline constexpr int kSubmodulesMax = 100;
inline constexpr int kSubmoduleDepthMax = 3;

// Nothing in these sections names a program that a reading command would run.
constexpr std::string_view kHarmlessSections =
    "user author committer init branch color advice gc push pull rebase commit tag i18n gui gitk column rerere fetch "
    "pack "
    "repack index status stash lfs svn-remote gitflow github gitlab hub credential http https url mergetool "
    "difftool blame maintenance versionsort sparse checkout clone notes receive transfer worktree apply mailmap "
    "whatchanged showbranch shortlog reflog";
constexpr std::string_view kHarmlessKeys =
    "core.repositoryformatversion core.filemode core.bare core.logallrefupdates core.ignorecase core.precomposeunicode "
    "core.symlinks core.autocrlf core.eol core.safecrlf core.longpaths core.quotepath core.abbrev core.untrackedcache "
    "core.excludesfile core.attributesfile core.whitespace core.compression core.loosecompression "
    "core.bigfilethreshold "
    "core.preloadindex core.fscache core.protectntfs core.protecthfs core.checkstat core.trustctime core.hidedotfiles "
    "core.sharedrepository core.splitindex core.commitgraph core.multipackindex core.commentchar "
    "core.sparsecheckout core.sparsecheckoutcone core.worktree core.warnambiguousrefs core.notesref "
    "core.deltabasecachelimit core.packedgitlimit core.packedgitwindowsize core.checkroundtripencoding "
    "core.maxtreedepth "
    "diff.algorithm diff.renames diff.renamelimit diff.color diff.colormoved diff.colormovedws diff.context "
    "diff.interhunkcontext diff.noprefix diff.mnemonicprefix diff.relative diff.submodule diff.ignoresubmodules "
    "diff.indentheuristic diff.wserrorhighlight diff.statgraphwidth diff.statnamewidth diff.suppressblankempty "
    "diff.wordregex diff.tool diff.guitool diff.orderfile diff.dirstat diff.autorefreshindex diff.srcprefix "
    "diff.dstprefix "
    "log.date log.decorate log.follow log.abbrevcommit log.showroot log.mailmap log.graphcolors log.diffmerges "
    "log.excludedecoration log.initialdecorationset "
    "grep.linenumber grep.column grep.patterntype grep.extendedregexp grep.threads grep.fullname "
    "grep.fallbacktonoindex "
    "extensions.worktreeconfig extensions.objectformat extensions.refstorage extensions.preciousobjects "
    "extensions.noop "
    "extensions.compatobjectformat extensions.relativeworktrees "
    "merge.tool merge.guitool merge.ff merge.conflictstyle merge.log merge.renames merge.renamelimit merge.stat "
    "merge.verbosity merge.defaulttoupstream merge.autostash merge.directoryrenames "
    "submodule.active submodule.recurse submodule.alternatelocation submodule.alternateerrorstrategy "
    "submodule.fetchjobs submodule.propagatebranches remote.pushdefault gpg.format format.signoff format.numbered "
    "format.thread format.attach";
// Keys with a subsection between: remote.origin.url.
constexpr std::string_view kHarmlessNamedKeys =
    "remote.url remote.pushurl remote.fetch remote.push remote.tagopt remote.prune remote.prunetags remote.mirror "
    "remote.skipdefaultupdate remote.skipfetchall remote.gh-resolved remote.followremotehead "
    "submodule.url submodule.active submodule.branch submodule.ignore submodule.path submodule.fetchrecursesubmodules "
    "submodule.shallow merge.name diff.xfuncname diff.funcname diff.binary diff.wordregex diff.algorithm";

std::string lower(std::string_view text) {
  std::string out(text);
  for (char& c : out) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return out;
}

std::string_view trim(std::string_view text) {
  const std::size_t start = text.find_first_not_of(" \t\r\n");
  if (start == std::string_view::npos) return {};
  return text.substr(start, text.find_last_not_of(" \t\r\n") - start + 1);
}

// One logical line after the other: a backslash before the line end joins two, but not in a comment.
class ConfigReader {
 public:
  explicit ConfigReader(std::string_view text) : text_(text) {}

  Problem read() {
    while (position_ < text_.size()) {
      std::string_view line = trim(next_line());
      while (line.starts_with('[')) {
        if (!read_section(line)) return std::string("a git configuration that is not understood");
        line = trim(line);
      }
      if (line.empty() || line[0] == '#' || line[0] == ';') continue;
      if (Problem problem = read_key(line)) return problem;
    }
    return std::nullopt;
  }

 private:
  std::string_view next_line() {
    const std::size_t start = position_;
    bool is_quoted = false;
    bool is_comment = false;
    while (position_ < text_.size() && text_[position_] != '\n') {
      const char c = text_[position_];
      if (c == '"' && !is_comment) is_quoted = !is_quoted;
      if ((c == '#' || c == ';') && !is_quoted) is_comment = true;
      position_ += c == '\\' && !is_comment ? 2 : 1;
    }
    const std::size_t end = std::min(position_, text_.size());
    ++position_;
    return text_.substr(start, end - start);
  }

  // [section], [section "sub"], [section.sub]; `line` is left with what follows.
  bool read_section(std::string_view& line) {
    std::size_t i = 1;
    while (i < line.size() && (is_name_char(line[i]) || line[i] == '-' || line[i] == '.')) ++i;
    section_ = lower(line.substr(1, i - 1));
    has_name_ = false;
    if (const std::size_t dot = section_.find('.'); dot != std::string::npos) {
      section_.resize(dot);
      has_name_ = true;
    }
    while (i < line.size() && is_blank(line[i])) ++i;
    if (i < line.size() && line[i] == '"') {
      has_name_ = true;
      for (++i; i < line.size() && line[i] != '"'; ++i) {
        if (line[i] == '\\') ++i;
      }
      ++i;
    }
    if (i >= line.size() || line[i] != ']' || section_.empty()) return false;
    line.remove_prefix(i + 1);
    return true;
  }

  Problem read_key(std::string_view line) {
    std::size_t end = 0;
    while (end < line.size() && (is_name_char(line[end]) || line[end] == '-')) ++end;
    const std::string key = lower(line.substr(0, end));
    const std::string_view rest = trim(line.substr(end));
    if (key.empty() || section_.empty() || (!rest.empty() && rest[0] != '=')) {
      return std::string("a git configuration that is not understood");
    }
    const std::string_view value = rest.empty() ? rest : trim(rest.substr(1));
    if (is_among_words(section_, kHarmlessSections)) return std::nullopt;
    const std::string name = section_ + "." + key;
    if (is_among_words(name, has_name_ ? kHarmlessNamedKeys : kHarmlessKeys)) return std::nullopt;
    if (name == "core.fsmonitor" && is_among_words(lower(value), "false no off 0")) return std::nullopt;
    return "the repository's configuration sets " + name + ", which may run a program";
  }

  std::string_view text_;
  std::size_t position_ = 0;
  std::string section_;
  bool has_name_ = false;
};

class RepositoryFinder {
 public:
  explicit RepositoryFinder(const FileView& files) : files_(files) {}

  Problem judge(const std::string& directory, bool must_exist, int depth = 0) {
    std::string path = directory;
    found_ = false;
    if (files_.real_path) {
      const auto real = files_.real_path(directory);
      if (!real) return must_exist ? Problem("no such folder: " + directory) : std::nullopt;
      path = *real;
    }
    for (int i = 0;; ++i) {
      if (i == kParentFoldersMax) return "too many folders around " + directory;
      if (Problem problem = look_at(path)) return problem;
      if (found_) return judge_submodules(path, depth);
      if (path == "/" || path.empty()) break;
      path = join_paths(path, "..");
    }
    if (must_exist) return "no repository is known in " + directory;
    return std::nullopt;
  }

 private:
  Problem look_at(const std::string& path) {
    const std::string dot_git = join_paths(path, ".git");
    if (const auto link = files_.read(dot_git)) {
      constexpr std::string_view kMark = "gitdir:";
      if (!link->starts_with(kMark)) return "an unusual " + dot_git;
      found_ = true;
      return judge_folder(join_paths(path, trim(std::string_view(*link).substr(kMark.size()))));
    }
    if (files_.read(join_paths(dot_git, "HEAD")) || files_.read(join_paths(dot_git, "config"))) {
      found_ = true;
      return judge_folder(dot_git);
    }
    // A bare repository. Whether git takes it for one depends on folders that cannot be seen here, so the search goes
    // on.
    if (files_.read(join_paths(path, "HEAD")) && files_.read(join_paths(path, "config"))) return judge_folder(path);
    return std::nullopt;
  }

  Problem judge_folder(const std::string& folder) {
    std::string common = folder;
    if (const auto link = files_.read(join_paths(folder, "commondir"))) common = join_paths(folder, trim(*link));
    // Every repository has this file: one that cannot be read, for instance because it is too long, may say anything.
    const auto config = files_.read(join_paths(common, "config"));
    if (!config) return "the configuration in " + common + " cannot be read";
    if (Problem problem = judge_git_config(*config)) return problem;
    const auto own_config = files_.read(join_paths(folder, "config.worktree"));
    if (own_config) {
      if (Problem problem = judge_git_config(*own_config)) return problem;
    }
    if (files_.read(join_paths(common, "hooks/post-index-change"))) {
      return std::string("the repository has a hook that reading commands may run");
    }
    return std::nullopt;
  }

  // Status and diff look into submodules, each with a configuration of its own.
  Problem judge_submodules(const std::string& root, int depth) {
    const auto text = files_.read(join_paths(root, ".gitmodules"));
    if (!text) return std::nullopt;
    if (depth == kSubmoduleDepthMax) return std::string("submodules in submodules");
    int count = 0;
    for (std::size_t start = 0; start < text->size();) {
      const std::size_t end = std::min(text->find('\n', start), text->size());
      const std::string_view line = trim(std::string_view(*text).substr(start, end - start));
      start = end + 1;
      const std::size_t equals = line.find('=');
      if (equals == std::string_view::npos || lower(trim(line.substr(0, equals))) != "path") continue;
      if (++count > kSubmodulesMax) return std::string("too many submodules to look at");
      std::string_view path = trim(line.substr(equals + 1));
      if (path.starts_with('"') && path.ends_with('"') && path.size() > 1) path = path.substr(1, path.size() - 2);
      const std::string folder = join_paths(root, path);
      const bool is_there = files_.read(join_paths(folder, ".git")) || files_.read(join_paths(folder, ".git/HEAD"));
      if (!is_there) continue;
      if (Problem problem = judge(folder, /*must_exist=*/false, depth + 1)) return problem;
    }
    return std::nullopt;
  }

  const FileView& files_;
  bool found_ = false;
};

}  // namespace

Problem judge_git_config(std::string_view text) {
  if (text.size() > kViewedBytesMax) return std::string("a git configuration that is too long to look at");
  return ConfigReader(text).read();
}

Problem judge_git_repository(const std::string& directory, const FileView& files, bool must_exist) {
  return RepositoryFinder(files).judge(directory, must_exist);
}

}  // namespace deft::shell
