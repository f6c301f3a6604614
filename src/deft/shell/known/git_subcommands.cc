#include <algorithm>
#include <unordered_map>

#include "deft/shell/known/command.h"
#include "deft/shell/parser.h"

// git's reading subcommands. Values are all marked "?": whether git takes the next word for one or not, it is judged as
// a word of its own. In no table: --output, --ext-diff, --textconv, -O, --show-signature, --exec and all that writes.

namespace deft::shell {
namespace {

constexpr std::string_view kDiffOptions =
    "-abcmpRrstuwWzD -0123 -B? -C? -G! -I! -l! -M? -S! -U! -X? --patch --no-patch --unified! --raw --patch-with-raw "
    "--patch-with-stat --indent-heuristic --no-indent-heuristic --minimal --patience --histogram --anchored! "
    "--diff-algorithm! --stat? --stat-width! --stat-name-width! --stat-count! --compact-summary --numstat --shortstat "
    "--dirstat? --cumulative --dirstat-by-file? --summary --name-only --name-status --submodule? --color? --no-color "
    "--color-moved? --no-color-moved --color-moved-ws! --word-diff? --word-diff-regex! --color-words? --no-renames "
    "--rename-empty --no-rename-empty --check --ws-error-highlight! --full-index --binary --abbrev? --break-rewrites? "
    "--find-renames? --find-copies? --find-copies-harder --irreversible-delete --diff-filter! --find-object! "
    "--pickaxe-all "
    "--pickaxe-regex --skip-to! --rotate-to! --relative? --no-relative --text --ignore-cr-at-eol --ignore-space-at-eol "
    "--ignore-space-change --ignore-all-space --ignore-blank-lines --ignore-matching-lines! --inter-hunk-context! "
    "--function-context --exit-code --quiet --no-ext-diff --no-textconv --ignore-submodules? --src-prefix! "
    "--dst-prefix! "
    "--no-prefix --default-prefix --line-prefix! --ita-invisible-in-index --ita-visible-in-index --cc "
    "--combined-all-paths "
    "--diff-merges! --no-diff-merges --dd";
constexpr std::string_view kWalkOptions =
    " -# -cFghiEPqtuv -L! -n! --max-count! --skip! --since! --after! --until! --before! --since-as-filter! --max-age! "
    "--min-age! --author! --committer! --grep-reflog! --grep! --all-match --invert-grep --regexp-ignore-case "
    "--basic-regexp --extended-regexp --fixed-strings --perl-regexp --remove-empty --merges --no-merges --min-parents? "
    "--max-parents? --no-min-parents --no-max-parents --first-parent --exclude-first-parent-only --not --all "
    "--branches? "
    "--tags? --remotes? --glob! --exclude! --exclude-hidden! --reflog --single-worktree "
    "--ignore-missing "
    "--bisect --cherry-mark --cherry-pick --left-only --right-only --cherry --walk-reflogs --merge --boundary "
    "--simplify-by-decoration --show-pulls --full-history --dense --sparse --simplify-merges --ancestry-path? "
    "--date-order --author-date-order --topo-order --reverse --no-walk? --do-walk --pretty? --format? --abbrev-commit "
    "--no-abbrev-commit --no-abbrev --oneline --encoding! --expand-tabs? --no-expand-tabs --notes? --no-notes "
    "--show-notes? --standard-notes --no-standard-notes --relative-date --date! --parents --children --left-right "
    "--graph "
    "--no-graph --show-linear-break? --follow --decorate? --no-decorate --decorate-refs! --decorate-refs-exclude! "
    "--clear-decorations --source --mailmap --no-mailmap --use-mailmap --full-diff --log-size --root --show-trees";
constexpr std::string_view kRefOptions =
    " -i --contains! --no-contains! --merged! --no-merged! --points-at! --sort! --format! --column? --no-column "
    "--color? "
    "--no-color --abbrev? --no-abbrev --ignore-case --omit-empty";

// An option after which operands are patterns must come before the first operand, else they name what is to be made.
Problem check_lists(const Invocation& invocation, std::string_view modes) {
  if (invocation.operands.empty()) return std::nullopt;
  const auto begin = invocation.options.begin();
  const auto end = begin + static_cast<std::ptrdiff_t>(invocation.options_before_operands);
  const bool lists =
      std::any_of(begin, end, [&](const GivenOption& option) { return is_among_words(option.name, modes); });
  if (lists) return std::nullopt;
  return std::string(invocation.name) + " " + quoted(invocation.operands[0]->source) +
         " would make or change something";
}

Problem check_branch(const Invocation& invocation, const Situation&) {
  // -l alone once meant something else, so it is no licence for operands.
  return check_lists(invocation, "--list --contains --no-contains --merged --no-merged --points-at");
}

Problem check_tag(const Invocation& invocation, const Situation&) {
  return check_lists(invocation, "-l --list -n --contains --no-contains --merged --no-merged --points-at");
}

std::string_view first_operand(const Invocation& invocation) {
  return invocation.operands.empty() ? std::string_view() : std::string_view(invocation.operands[0]->text);
}

bool are_exact_operands(const Invocation& invocation) {
  return std::ranges::all_of(invocation.operands, [](const Argument* word) { return word->is_exact(); });
}

Problem check_remote(const Invocation& invocation, const Situation&) {
  if (invocation.operands.empty()) return std::nullopt;
  const std::string_view action = first_operand(invocation);
  const bool is_local =
      action == "get-url" || (action == "show" && (invocation.has("-n") || invocation.operands.size() == 1));
  if (is_local && are_exact_operands(invocation)) return std::nullopt;
  return "git remote " + quoted(action) + " changes something or asks the network";
}

Problem check_reflog(const Invocation& invocation, const Situation&) {
  const std::string_view action = first_operand(invocation);
  if (!are_exact_operands(invocation)) return std::string("git reflog with words that are not known");
  const bool is_reference =
      action == "HEAD" || action.starts_with("HEAD@") || action.find('/') != std::string_view::npos;
  if (action.empty() || is_among_words(action, "show exists list") || is_reference) return std::nullopt;
  return "git reflog " + quoted(action) + " is not known to be read-only";
}

// The action comes first: `git stash -p list` and `git stash -- list` would stash a file of that name.
template <const std::string_view& actions>
Problem check_action(const Invocation& invocation, const Situation&) {
  if (invocation.begins_with_operand && invocation.operands[0]->is_exact() &&
      is_among_words(first_operand(invocation), actions))
    return std::nullopt;
  return std::string(invocation.name) + " " + quoted(first_operand(invocation)) + " is not known to be read-only";
}

constexpr std::string_view kStashActions = "list show";
constexpr std::string_view kListOnly = "list";
constexpr std::string_view kNotesActions = "list show";
constexpr std::string_view kBisectActions = "log";
constexpr std::string_view kBundleActions = "verify list-heads";

Problem check_submodule(const Invocation& invocation, const Situation&) {
  if (invocation.operands.empty() || first_operand(invocation) == "status") return std::nullopt;
  return std::string("git submodule ") + quoted(first_operand(invocation)) + " is not known to be read-only";
}

Problem check_config(const Invocation& invocation, const Situation&) {
  if (!are_exact_operands(invocation)) return std::string("git config with words that are not known");
  for (const std::string_view action :
       {"--get", "--get-all", "--get-regexp", "--get-urlmatch", "--list", "-l", "--get-color", "--get-colorbool"}) {
    if (invocation.has(action)) return std::nullopt;
  }
  const std::string_view action = first_operand(invocation);
  if (action == "list" && invocation.operands.size() == 1) return std::nullopt;
  if (action == "get" && invocation.operands.size() == 2) return std::nullopt;
  // One name asks for its value; a second word sets it.
  if (invocation.operands.size() == 1 && action.find('.') != std::string_view::npos) return std::nullopt;
  return std::string("git config may set something");
}

Problem check_symbolic_ref(const Invocation& invocation, const Situation&) {
  if (invocation.operands.size() == 1 && are_exact_operands(invocation)) return std::nullopt;
  return std::string("git symbolic-ref with two names sets one");
}

Problem check_clean(const Invocation& invocation, const Situation&) {
  if (invocation.has("-n") || invocation.has("--dry-run")) return std::nullopt;
  return std::string("git clean removes files");
}

Problem check_apply(const Invocation& invocation, const Situation&) {
  for (const std::string_view option : {"--check", "--stat", "--numstat", "--summary"}) {
    if (invocation.has(option)) return std::nullopt;
  }
  return std::string("git apply changes files");
}

Problem check_help(const Invocation& invocation, const Situation&) {
  if (invocation.operands.empty()) return std::nullopt;
  return std::string("git help starts a viewer");
}

const std::vector<CommandRule>& rules() {
  static const std::string diff =
      std::string(kDiffOptions) +
      " --cached --staged --merge-base --no-index --base --ours --theirs "
      "--root --no-commit-id --pretty? --format? --oneline --always --stdin --creation-factor!";
  static const std::string log = std::string(kDiffOptions) + std::string(kWalkOptions);
  static const std::string rev_list = log +
                                      " --count --objects --objects-edge --unpacked --timestamp --header --disk-usage? "
                                      "--use-bitmap-index --no-object-names "
                                      "--object-names --missing=allow-any --filter? --no-filter --in-commit-order "
                                      "--unsorted --progress? --commit-header "
                                      "--no-commit-header";
  static const std::string shortlog = log + " -e --numbered --summary --email --group! -w?";
  static const std::string refs(kRefOptions);
  static const std::string branch = refs + " -alrv --all --remotes --list --verbose --show-current -q --quiet";
  static const std::string tag = refs + " -l -n? --list";
  static const std::string for_each_ref = refs + " -pqs --count! --shell --perl --python --tcl --stdin --exclude!";
  static const std::string stash = log + " --include-untracked --only-untracked";
  static const std::vector<CommandRule> table = {
      {"status", Operands::names, kPlain,
       "-bsvz -u? --short --branch --show-stash --porcelain? --long --verbose --untracked-files? --ignore-submodules? "
       "--ignored? --column? --no-column --ahead-behind --no-ahead-behind --renames --no-renames --find-renames?"},
      {"log show whatchanged", Operands::names, kPlain, log},
      {"diff diff-tree diff-index diff-files range-diff", Operands::names, kPlain, diff},
      {"rev-list", Operands::names, kPlain, rev_list},
      {"shortlog", Operands::names, kPlain, shortlog},
      {"blame annotate", Operands::names, kPlain,
       "-bcefhlnpstw -C? -L! -M? -S! --root --no-root --show-stats --reverse --first-parent --porcelain "
       "--line-porcelain "
       "--incremental --encoding! --contents! --date! --score-debug --show-name --show-number --show-email "
       "--ignore-rev! "
       "--ignore-revs-file! --color-lines --color-by-age --abbrev? --progress --no-progress --minimal"},
      {"branch", Operands::names, kPlain, branch, check_branch},
      {"tag", Operands::names, kPlain, tag, check_tag},
      {"remote", Operands::names, kPlain, "-nv --verbose --all --push", check_remote},
      {"rev-parse", Operands::names, kHarmless,
       "-q --abbrev-ref? --short? --show-toplevel --git-dir --git-common-dir --absolute-git-dir --verify --quiet "
       "--is-inside-work-tree --is-inside-git-dir --is-bare-repository --is-shallow-repository --show-prefix "
       "--show-cdup "
       "--show-superproject-working-tree --all --branches? --tags? --remotes? --glob? --exclude? --disambiguate? "
       "--symbolic "
       "--symbolic-full-name --sq --show-object-format? --git-path= --path-format? --not --local-env-vars "
       "--shared-index-path --revs-only --no-revs --flags --no-flags --default= --prefix= --since? --until? --after? "
       "--before? "
       "--verify --show-ref-format"},
      {"ls-files", Operands::names, kHarmless,
       "-cdfikmorstuvz -x: -X: --cached --deleted --modified --others --ignored --stage --directory "
       "--no-empty-directory "
       "--unmerged --killed --exclude= --exclude-from= --exclude-per-directory= --exclude-standard --error-unmatch "
       "--with-tree= --full-name --abbrev? --debug --eol --recurse-submodules --deduplicate --sparse --format= "
       "--resolve-undo"},
      {"ls-tree", Operands::names, kHarmless,
       "-drtlz --long --name-only --name-status --abbrev? --full-name --full-tree --object-only --format="},
      {"cat-file", Operands::names, kPlain, "-epst --batch? --batch-check? --batch-all-objects --buffer --unordered"},
      {"describe", Operands::names, kPlain,
       "--all --tags --contains --abbrev? --candidates! --exact-match --debug --long --match! --exclude! --always "
       "--first-parent --dirty? --broken?"},
      {"merge-base", Operands::names, kHarmless, "-a --all --octopus --independent --is-ancestor --fork-point"},
      {"name-rev", Operands::names, kHarmless, "--tags --refs= --exclude= --all --name-only --no-undefined --always"},
      {"for-each-ref", Operands::names, kPlain, for_each_ref},
      {"show-ref", Operands::names, kHarmless,
       "-dhqs --head --heads --branches --tags --dereference --hash? --verify --abbrev? --quiet --exists"},
      {"show-branch", Operands::names, kPlain,
       "-ar --all --remotes --current --topo-order --date-order --sparse --more? --list --merge-base --independent "
       "--no-name --sha1-name --topics --color? --no-color"},
      {"symbolic-ref", Operands::names, kPlain, "-q --quiet --short --no-recurse", check_symbolic_ref},
      {"count-objects", Operands::none, kPlain, "-vH --verbose --human-readable"},
      {"cherry", Operands::names, kPlain, "-v --abbrev?"},
      {"check-ignore", Operands::names, kPlain, "-nqvz --quiet --verbose --stdin --non-matching --no-index"},
      {"check-attr", Operands::names, kPlain, "-az --all --cached --stdin"},
      {"check-ref-format", Operands::names, kPlain, "--allow-onelevel --normalize --branch --refspec-pattern"},
      {"reflog", Operands::names, kPlain, log, check_reflog},
      {"stash", Operands::names, kPlain, stash, check_action<kStashActions>},
      {"worktree", Operands::names, kPlain, "-vz --porcelain --verbose", check_action<kListOnly>},
      {"sparse-checkout", Operands::names, kPlain, "", check_action<kListOnly>},
      {"notes", Operands::names, kPlain, "--ref!", check_action<kNotesActions>},
      {"bisect", Operands::names, kPlain, "", check_action<kBisectActions>},
      {"bundle", Operands::names, kPlain, "-q --quiet", check_action<kBundleActions>},
      {"submodule", Operands::names, kPlain, "-q --quiet --cached --recursive", check_submodule},
      {"config", Operands::names, kPlain,
       "-lz -f! --file! --get --get-all --get-regexp --get-urlmatch --get-color --get-colorbool --list --local "
       "--global --system "
       "--worktree --show-origin --show-scope --name-only --null --includes --no-includes --type! --bool --int --path "
       "--bool-or-int --expiry-date --default!",
       check_config},
      {"grep", Operands::names, kPlain,
       "-aEFGHIPchilLnopqrvwWz -# -A! -B! -C! -e! -f! -m! --after-context! --all-match --and --basic-regexp "
       "--before-context! "
       "--break --cached --color? --column --context! --count --exclude-standard --extended-regexp "
       "--files-with-matches "
       "--files-without-match --fixed-strings --full-name --function-context --heading --ignore-case --invert-match "
       "--line-number --max-count! --max-depth! --name-only --no-color --no-exclude-standard --no-index --no-recursive "
       "--not "
       "--null --only-matching --or --parent-basename! --perl-regexp --quiet --recurse-submodules --recursive "
       "--show-function --text --threads! --untracked --word-regexp"},
      {"fsck", Operands::names, kPlain,
       "-v --full --no-full --strict --verbose --unreachable --dangling --no-dangling --root --tags --cache "
       "--no-reflogs "
       "--connectivity-only --progress --no-progress --name-objects"},
      {"hash-object", Operands::files, kPlain, "-t! --stdin --stdin-paths --no-filters --path! --literally"},
      {"clean", Operands::names, kPlain, "-dnqxX -e! --dry-run --quiet --exclude!", check_clean},
      {"apply", Operands::names, kPlain,
       "-Rv -C! -p! --check --stat --numstat --summary --reverse --verbose --directory! --include! --exclude! "
       "--recount "
       "--unidiff-zero --ignore-whitespace --ignore-space-change",
       check_apply},
      {"verify-pack", Operands::files, kPlain, "-sv --verbose --stat-only"},
      {"var", Operands::names, kPlain, "-l"},
      {"version", Operands::none, kPlain, "--build-options"},
      {"help", Operands::names, kPlain, "-acg --all --guides --config", check_help},
      {"stripspace patch-id get-tar-commit-id column", Operands::names, kPlain,
       "-sc --strip-comments --comment-lines --stable --unstable --mode! --raw-mode! --width! --indent! --nl! "
       "--padding!"},
  };
  return table;
}

}  // namespace

const CommandRule* find_git_subcommand(std::string_view name) {
  static const auto index = [] {
    std::unordered_map<std::string_view, const CommandRule*> map;
    for (const CommandRule& rule : rules()) {
      for (std::size_t start = 0; start < rule.names.size();) {
        const std::size_t end = std::min(rule.names.find(' ', start), rule.names.size());
        map.emplace(rule.names.substr(start, end - start), &rule);
        start = end + 1;
      }
    }
    return map;
  }();
  const auto found = index.find(name);
  return found == index.end() ? nullptr : found->second;
}

}  // namespace deft::shell
