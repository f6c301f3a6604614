#include "deft/shell/known/command.h"

// Commands that search: grep and its relatives. find is in find.cc, git grep in git.cc.

namespace deft::shell {
namespace {

constexpr std::string_view kGrep =
    "-abcEFGHhIiLlnoPqRrSsTUuVvwxyZz -A: -B: -C: -D: -d: -e: -f: -m: -# --after-context= --before-context= --context= "
    "--basic-regexp --extended-regexp --fixed-strings --perl-regexp --regexp= --file= --ignore-case --no-ignore-case "
    "--invert-match --word-regexp --line-regexp --count --color? --colour? --files-without-match --files-with-matches "
    "--max-count= --only-matching --quiet --silent --no-messages --byte-offset --with-filename --no-filename --label= "
    "--line-number --initial-tab --null --null-data --text --binary --binary-files= --devices= --directories= "
    "--exclude= --exclude-from= --exclude-dir= --include= --include-dir= --recursive --dereference-recursive "
    "--line-buffered --no-group-separator --group-separator= --unix-byte-offsets";

// bat has a subcommand in the place of the first file. Like git it shows files in a pager only on a terminal, but its
// lists of languages and themes always.
Problem check_bat(const Invocation& invocation, const Situation&) {
  for (const Argument* operand : invocation.operands) {
    if (!operand->is_exact() || operand->text == "cache") return "bat with " + quoted(operand->source);
  }
  return std::nullopt;
}

constexpr CommandRule kRules[] = {
    {"grep egrep fgrep rgrep", Operands::files, kHarmless, kGrep},
    // Scripts around grep; not all of them survived every file name.
    {"zgrep zegrep zfgrep bzgrep xzgrep", Operands::files, kPlain, kGrep},
    // Not --pre, --hostname-bin, --search-zip.
    {"rg", Operands::files, kPlain,
     "-.0abcFHIiLlNnoPpqSsUuvwxV -A: -B: -C: -d: -E: -e: -f: -g: -j: -M: -m: -r: -T: -t: --after-context= "
     "--auto-hybrid-regex --before-context= --binary --block-buffered --byte-offset --case-sensitive --color= "
     "--colors= "
     "--column --context= --context-separator= --count --count-matches --crlf --debug --dfa-size-limit= --encoding= "
     "--engine= --field-context-separator= --field-match-separator= --file= --files --files-with-matches "
     "--files-without-match --fixed-strings --follow --glob= --glob-case-insensitive --heading --hidden --iglob= "
     "--ignore-case --ignore-file= --ignore-file-case-insensitive --include-zero --invert-match --json --line-buffered "
     "--line-number --line-regexp --max-columns= --max-columns-preview --max-count= --max-depth= --maxdepth= "
     "--max-filesize= --mmap --multiline --multiline-dotall --no-config --no-filename --no-heading --no-ignore "
     "--no-ignore-dot --no-ignore-exclude --no-ignore-files --no-ignore-global --no-ignore-messages --no-ignore-parent "
     "--no-ignore-vcs --no-line-number --no-messages --no-mmap --no-pcre2-unicode --no-require-git --no-unicode --null "
     "--null-data --one-file-system --only-matching --passthru --passthrough --path-separator= --pcre2 --pcre2-version "
     "--pretty --quiet --regex-size-limit= --regexp= --replace= --smart-case --sort= --sortr= --stats "
     "--stop-on-nonmatch --text --threads= --trace --trim --type= --type-add= --type-clear= --type-list --type-not= "
     "--unrestricted --vimgrep --with-filename --word-regexp --no-hidden --no-follow --no-trim --no-json --no-column "
     "--no-context-separator --no-max-columns-preview --hyperlink-format="},
    // Not --pager.
    {"ag", Operands::files, kPlain,
     "-acDfFHhilLnoQRrsStuUvwz -A? -B? -C? -g: -G: -m: -p: -# --after? --before? --context? --column --count --color "
     "--nocolor --filename --nofilename --files-with-matches --files-without-matches --group --nogroup --heading "
     "--noheading --hidden --ignore= --ignore-case --ignore-dir= --literal --numbers --nonumbers --only-matching "
     "--stats "
     "--smart-case --case-sensitive --unrestricted --vimgrep --word-regexp --silent --depth= --max-count= --all-types "
     "--all-text --cpp --cc --python --js --ts --go --rust --java --ruby --php --html --css --json --xml --yaml --md"},
    // Not -x, -X, --exec.
    {"fd fdfind", Operands::files, kPlain,
     "-0aFgHhIiLlpqsuV1 -c: -d: -E: -e: -j: -S: -t: -o: --absolute-path --and= --base-directory= --case-sensitive "
     "--changed-after= --changed-within= --changed-before= --color= --exclude= --extension= "
     "--fixed-strings --follow --full-path --glob --hidden --ignore --ignore-case --ignore-file= --list-details "
     "--max-depth= --maxdepth= --min-depth= --exact-depth= --max-results= --no-follow --no-hidden --no-ignore "
     "--no-ignore-vcs --no-ignore-parent --one-file-system --owner= --path-separator= --print0 --prune --quiet --regex "
     "--search-path= --show-errors --size= --strip-cwd-prefix? --threads= --type= --unrestricted --newer= --older="},
    {"locate plocate mlocate", Operands::names, kPlain,
     "-Abceihn -l: -r: -qw0 --all --basename --count --existing --ignore-case --limit= --literal --null --regexp= "
     "--regex "
     "--statistics --wholename"},
    {"bat batcat", Operands::files, kPlain,
     "-AnpPSu -H: -l: -m: -r: --color= --decorations= --highlight-line= --language= --line-range= --number "
     "--paging=never --plain --show-all --style= --tabs= --terminal-width= --theme= --wrap=",
     check_bat},
    {"tokei", Operands::names, kPlain,
     "-fC -e: -s: -t: -o: --files --exclude= --sort= --types= --type= --output= --hidden --no-ignore --compact"},
    {"shellcheck", Operands::files, kPlain,
     "-ax -e: -f: -i: -o: -s: -S: -W: --check-sourced --color? --include= --exclude= --format= --shell= --severity= "
     "--external-sources --wiki-link-count= --enable= --list-optional"},
    // Without -w it only prints.
    {"gofmt", Operands::files, kNoClusters, "-desl"},
};

}  // namespace

std::span<const CommandRule> search_commands() { return kRules; }

}  // namespace deft::shell
