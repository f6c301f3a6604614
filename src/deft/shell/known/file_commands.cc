#include "deft/shell/known/command.h"

// Commands that look at files and folders. find is in find.cc.

namespace deft::shell {

Problem judge_find(Words words, const Situation& situation);

namespace {

// tee copies its input; only to where nothing is kept.
Problem check_tee(const Invocation& invocation, const Situation&) {
  for (const Argument* operand : invocation.operands) {
    if (!operand->is_exact() || !is_among_words(operand->text, "/dev/null /dev/stderr")) {
      return "tee writes " + quoted(operand->source);
    }
  }
  return std::nullopt;
}

// @file holds more options, wherever it stands: as an operand or as the value of an option.
Problem check_no_option_files(const Invocation& invocation, const Situation&) {
  const auto may_hold_options = [](const Argument& word) {
    return word.text.starts_with('@') || (word.text.empty() && !word.is_exact());
  };
  std::vector<const Argument*> words = invocation.operands;
  for (const GivenOption& option : invocation.options) {
    if (option.value != nullptr) words.push_back(option.value);
  }
  for (const Argument* word : words) {
    if (may_hold_options(*word)) {
      return std::string(invocation.name) + " may read options from " + quoted(word->source);
    }
  }
  return std::nullopt;
}

constexpr CommandRule kRules[] = {
    {"ls dir vdir", Operands::names, kHarmless,
     "-1AaBbCcDdeFfGgHhiklLmNnoOpQqRrSsTtUuvWXxZ@ -I: -w: --all --almost-all --author --escape --block-size= "
     "--ignore-backups --color? --directory --dired --classify? --file-type --format= --full-time "
     "--group-directories-first "
     "--no-group --human-readable --si --dereference-command-line --dereference-command-line-symlink-to-dir --hide= "
     "--hyperlink? --indicator-style= --inode --ignore= --kibibytes --dereference --numeric-uid-gid --literal "
     "--hide-control-chars --show-control-chars --quote-name --quoting-style= --reverse --recursive --size --sort= "
     "--time= --time-style= --tabsize= --width= --context --zero"},
    {"eza exa lsd", Operands::names, kPlain,
     "-1aAbBdDFfgGhHiIlmnrRSsTtuUxXZ@ -L: --all --almost-all --binary --bytes --classify --color? --color-scale "
     "--colour? "
     "--created --depth= --git --git-ignore --grid --group --group-directories-first --header --icons? --inode "
     "--level= "
     "--list-dirs --long --modified --no-filesize --no-icons --no-permissions --no-time --no-user --only-dirs "
     "--only-files "
     "--oneline --recurse --reverse --tree --time-style="},
    // Not -o, -R (writes 00Tree.html).
    {"tree", Operands::names, kNoGluedValues,
     "-aCcdDfFghilnNpqQrsStuUvxXJ -I: -L: -P: -H: -T: --charset= --dirsfirst --dirs-first --du --filelimit= "
     "--filesfirst "
     "--gitignore --gitfile= --ignore-case --inodes --device --matchdirs --metafirst --noreport --nolinks --prune --si "
     "--sort= --timefmt= --fromfile --infofile= --info"},
    {"stat", Operands::names, kHarmless,
     "-fLtxlnqrs -c: --dereference --file-system --cached= --format= --printf= --terse"},
    {"du", Operands::names, kHarmless,
     "-0aAbcDHhklLmPSsx -B: -d: -t: -X: --null --all --apparent-size --block-size= --bytes --total --dereference-args "
     "--max-depth= --files0-from= --human-readable --inodes --count-links --dereference --no-dereference "
     "--separate-dirs "
     "--si --summarize --threshold= --time? --time-style= --exclude-from= --exclude= --one-file-system"},
    {"df", Operands::names, kHarmless,
     "-aHhiklmPTv -B: -t: -x: --all --block-size= --human-readable --si --inodes --local --no-sync --output? "
     "--portability --total --type= --print-type --exclude-type="},
    // Not -C (compiles), -m and -f (chosen lists), -p (touches times), -z (runs decompressors).
    {"file", Operands::files, kPlain,
     "-0bhikLNnrsvE -e: -F: -P: --brief --mime --mime-type --mime-encoding --extension --apple --dereference "
     "--no-dereference --keep-going --no-pad --no-buffer --raw --print0 --exclude= --separator= --parameter="},
    {"readlink realpath", Operands::names, kHarmless,
     "-efmnqszLPv --canonicalize --canonicalize-existing --canonicalize-missing --no-newline --quiet --silent "
     "--verbose "
     "--zero --logical --physical --relative-to= --relative-base= --strip --no-symlinks"},
    {"basename dirname", Operands::names, kHarmless, "-az -s: --multiple --suffix= --zero"},
    {"namei", Operands::names, kHarmless, "-lmnovxZ --long --modes --nosymlinks --owners --vertical --mountpoints"},
    {"pathchk", Operands::names, kHarmless, "-pP --portability"},
    {"tee", Operands::names, kPlain, "-aip --append --ignore-interrupts", check_tee},
    {"find", Operands::names, kPlain, "", nullptr, judge_find},
    {"lsattr", Operands::names, kPlain, "-adlpRVv"},
    {"getfacl", Operands::names, kPlain, "-aceEnpRst --access --default --omit-header --absolute-names --recursive"},
    {"getfattr", Operands::names, kPlain, "-dhLPR -n: -e: -m: --dump --name= --encoding= --match="},
    {"which", Operands::names, kHarmless, "-as --all --skip-alias --skip-dot --skip-tilde --show-dot --show-tilde"},
    {"whereis", Operands::names, kHarmless, "-bBfglmMsSu"},
    {"whatis apropos", Operands::names, kPlain, "-aelrws --exact --long --regex --wildcard"},
    // Binary files. Not --plugin, nor what looks for debug information, which may come from the network.
    {"nm", Operands::files, kPlain,
     "-AaBCDefghijlnopPruUvW -t: --demangle? --debug-syms --defined-only --dynamic --extern-only --format= "
     "--line-numbers "
     "--no-sort --numeric-sort --print-file-name --print-size --radix= --reverse-sort --size-sort --undefined-only",
     check_no_option_files},
    {"objdump", Operands::files, kPlain,
     "-adDfhHprRstTvVwxz -j: -M: -m: --all-headers --archive-headers --disassemble? --disassemble-all --demangle? "
     "--dynamic-syms --dynamic-reloc --file-headers --full-contents --no-show-raw-insn "
     "--private-headers "
     "--reloc --section= --section-headers --headers --start-address= --stop-address= --syms --wide "
     "--disassembler-options= --no-addresses --visualize-jumps?",
     check_no_option_files},
    {"readelf", Operands::files, kPlain,
     "-aAcdDeghilnrsStuVvW -p: -R: -x: --all --arch-specific --dynamic --file-header --headers --histogram --notes "
     "--program-headers --relocs --section-details --section-groups --section-headers --sections --segments --symbols "
     "--syms --unwind --version-info --wide --string-dump= --hex-dump= --dyn-syms --lto-syms --demangle? --sym-base=",
     check_no_option_files},
    {"addr2line", Operands::names, kPlain,
     "-aCfipsr -e: -j: --addresses --demangle? --functions --inlines --pretty-print --basenames --exe= --section=",
     check_no_option_files},
    {"size", Operands::files, kPlain, "-ABGdotx --format= --radix= --totals --common", check_no_option_files},
    {"c++filt", Operands::names, kPlain, "-n_pit --no-strip-underscore --no-params --types", check_no_option_files},
};

}  // namespace

std::span<const CommandRule> file_commands() { return kRules; }

}  // namespace deft::shell
