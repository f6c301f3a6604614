#include "deft/shell/known/command.h"

// Commands that read text and print text.

namespace deft::shell {
namespace {

constexpr std::string_view kHash =
    "-bctUwz -a: -l: --algorithm= --base64 --binary --check --debug --length= --raw --tag --text --zero "
    "--ignore-missing "
    "--quiet --status --strict --warn --untagged";

// jq has no way to write a file or to run anything, and text that is not known cannot give it one. A program that
// stands in a file is refused all the same: it cannot be shown with the command.
Problem judge_jq(Words words, const Situation&) {
  constexpr std::string_view kLong =
      "--seq --stream --stream-errors --slurp --raw-input --null-input --compact-output --tab --indent --color-output "
      "--monochrome-output --ascii-output --unbuffered --sort-keys --raw-output --raw-output0 --join-output "
      "--exit-status "
      "--arg --argjson --slurpfile --rawfile --argfile --args --jsonargs --help --version --build-configuration --";
  for (const Argument& word : words) {
    if (!word.is_exact() || word.text.size() < 2 || word.text[0] != '-') continue;
    const bool is_long = word.text[1] == '-';
    const bool is_number_like = word.text[1] >= '0' && word.text[1] <= '9';
    const bool is_known = is_long
                              ? is_among_words(word.text, kLong)
                              : is_number_like || word.text.find_first_not_of("nrjasScCMeRhV0", 1) == std::string::npos;
    if (!is_known) return "jq " + quoted(word.text) + " is not known to be harmless";
  }
  return std::nullopt;
}

Problem check_xmllint(const Invocation& invocation, const Situation&) {
  for (const Argument* operand : invocation.operands) {
    if (!operand->is_exact() || operand->text.find("://") != std::string::npos) {
      return "xmllint may fetch " + quoted(operand->source);
    }
  }
  return std::nullopt;
}

// Its two implementations do not agree which options take a value.
Problem check_yq(const Invocation& invocation, const Situation&) {
  for (const GivenOption& option : invocation.options) {
    if (option.value_text.starts_with('-') || !option.value_exact)
      return "yq " + option.name + " with an unusual value";
  }
  return std::nullopt;
}

// Without a second file, or with another one than "-", it writes one.
Problem judge_pdftotext(Words words, const Situation&) {
  constexpr std::string_view kFlags = "-layout -raw -nopgbrk -q -fixed";
  constexpr std::string_view kWithNumber = "-f -l -r";
  if (!are_exact(words)) return std::string("pdftotext with words that are not known");
  while (!words.empty() && words[0].text.starts_with('-') && words[0].text.size() > 1) {
    const bool takes_number = is_among_words(words[0].text, kWithNumber) && words.size() > 1 && words[1].is_integer;
    if (!takes_number && !is_among_words(words[0].text, kFlags)) return "pdftotext " + quoted(words[0].text);
    words = words.subspan(takes_number ? 2 : 1);
  }
  if (words.size() == 2 && words[1].text == "-") return std::nullopt;
  return std::string("pdftotext writes a file");
}

constexpr CommandRule kRules[] = {
    {"cat", Operands::files, kHarmless,
     "-AbeEnstTuv --show-all --number-nonblank --show-ends --number --squeeze-blank --show-tabs --show-nonprinting"},
    {"tac", Operands::files, kHarmless, "-br -s: --before --regex --separator="},
    {"rev", Operands::files, kHarmless, "-0 --zero"},
    {"head", Operands::files, kHarmless,
     "-c: -n: -qvz -# --bytes= --lines= --quiet --silent --verbose --zero-terminated"},
    {"tail", Operands::files, kHarmless,
     "-b: -c: -n: -s: -fFqrvz -# --bytes= --follow? --lines= --max-unchanged-stats= --pid= --quiet --silent --retry "
     "--sleep-interval= --verbose --zero-terminated"},
    {"wc", Operands::files, kHarmless,
     "-clLmw --bytes --chars --lines --max-line-length --words --total= --files0-from="},
    {"nl", Operands::files, kHarmless,
     "-b: -d: -f: -h: -i: -l: -n: -s: -v: -w: -p --body-numbering= --section-delimiter= --footer-numbering= "
     "--header-numbering= --line-increment= --join-blank-lines= --number-format= --no-renumber --number-separator= "
     "--starting-line-number= --number-width="},
    {"cut", Operands::files, kHarmless,
     "-b: -c: -d: -f: -nswz --bytes= --characters= --delimiter= --fields= --complement --only-delimited "
     "--output-delimiter= --zero-terminated"},
    {"paste", Operands::files, kHarmless, "-d: -sz --delimiters= --serial --zero-terminated"},
    {"tr", Operands::names, kHarmless, "-cCdsut --complement --delete --squeeze-repeats --truncate-set1"},
    // Not -o, --compress-program, -T.
    {"sort", Operands::files, kPlain,
     "-bcCdfghiMmnRrsuVz -k: -t: -S: --ignore-leading-blanks --dictionary-order --ignore-case --general-numeric-sort "
     "--ignore-nonprinting --month-sort --human-numeric-sort --numeric-sort --random-sort --random-source= --reverse "
     "--sort= --version-sort --batch-size= --check? --debug --files0-from= --key= --merge --stable --buffer-size= "
     "--field-separator= --parallel= --unique --zero-terminated"},
    // A second operand is the file to write, also if it looks like an option and the program does not look for options
    // behind operands.
    {"uniq", Operands::one, kOptionsFirst,
     "-cdDiuz -f: -s: -w: --count --repeated --all-repeated? --group? --skip-fields= --ignore-case --skip-chars= "
     "--unique --zero-terminated --check-chars="},
    {"comm", Operands::files, kHarmless,
     "-123iz --check-order --nocheck-order --output-delimiter= --total --zero-terminated"},
    {"join", Operands::files, kHarmless,
     "-a: -e: -j: -o: -t: -v: -1: -2: -iz --check-order --nocheck-order --header --ignore-case --zero-terminated"},
    {"column", Operands::files, kHarmless,
     "-c: -C: -d -e -E: -H: -i: -J -l: -L -m -n: -N: -o: -O: -p: -r: -R: -s: -t -T: -W: -x --table --separator= "
     "--output-separator= --output-width= --json --table-name= --table-columns= --table-right= --table-hide= "
     "--table-truncate= --table-wrap= --table-noheadings --table-columns-limit= --keep-empty-lines --fillrows"},
    {"fold", Operands::files, kHarmless, "-bcs -w: -# --bytes --characters --spaces --width="},
    {"fmt", Operands::files, kHarmless,
     "-cnstu -g: -p: -w: -# --crown-margin --prefix= --split-only --tagged-paragraph --uniform-spacing --width= "
     "--goal="},
    {"expand unexpand", Operands::files, kHarmless, "-aif -t: -# --all --initial --first-only --tabs="},
    {"pr", Operands::files, kHarmless, "-acdFfJmrtTv -D: -e? -h: -i? -l: -n? -N: -o: -s? -S? -w: -W: -#"},
    {"tsort ptx", Operands::one, kPlain, ""},
    {"look", Operands::names, kPlain, "-abdf -t:"},
    {"od", Operands::files, kHarmless,
     "-abcdDefFhHiIlLoOsvxX -A: -j: -N: -S? -t: -w? --address-radix= --endian= --skip-bytes= --read-bytes= --strings? "
     "--format= --output-duplicates --width? --traditional"},
    {"hexdump hd", Operands::files, kHarmless,
     "-bcCdovxX -e: -f: -L? -n: -s: --one-byte-octal --one-byte-hex --one-byte-char --canonical --two-bytes-decimal "
     "--two-bytes-octal --two-bytes-hex --color? --format= --format-file= --length= --skip= --no-squeezing"},
    // A second operand is the file to write, whatever it looks like; -r writes too. -ps is not -p -s.
    {"xxd", Operands::one, kNoClusters | kOptionsFirst,
     "-abCdeEipu -c: -g: -l: -n: -o: -s: @-ps @-plain @-bits @-postscript @-include"},
    {"strings", Operands::files, kHarmless,
     "-adfow -e: -n: -s: -t: -T: -U: -# --all --data --print-file-name --bytes= --radix= --encoding= --target= "
     "--include-all-whitespace --output-separator="},
    // -o on some systems names a file to write.
    {"base64 base32", Operands::one, kPlain, "-dDi -w: --decode --ignore-garbage --wrap="},
    {"md5sum sha1sum sha224sum sha256sum sha384sum sha512sum b2sum cksum sum shasum b3sum", Operands::files, kHarmless,
     kHash},
    {"diff", Operands::files, kHarmless,
     "-abBcdeEfhHiNnpqrstTuvwyZ -C: -D: -F: -I: -L: -S: -U: -W: -x: -X: -# --brief --recursive --unified? --context? "
     "--side-by-side --ignore-all-space --ignore-space-change --ignore-blank-lines --ignore-case --new-file --text "
     "--report-identical-files --expand-tabs --initial-tab --exclude= --exclude-from= --ignore-matching-lines= "
     "--width= "
     "--left-column --suppress-common-lines --suppress-blank-empty --minimal --speed-large-files --strip-trailing-cr "
     "--color? --palette= --no-dereference --label= --show-c-function --show-function-line= --ignore-tab-expansion "
     "--ignore-trailing-space --tabsize= --normal --ed --rcs --ifdef= --from-file= --to-file= --line-format= "
     "--changed-group-format= --unchanged-group-format= --new-group-format= --old-group-format= --old-line-format= "
     "--new-line-format= --unchanged-line-format= --no-ignore-file-name-case --ignore-file-name-case --horizon-lines= "
     "--starting-file= --unidirectional-new-file"},
    {"cmp", Operands::files, kHarmless,
     "-blsxz -i: -n: --print-bytes --ignore-initial= --verbose --bytes= --quiet --silent"},
    {"seq", Operands::names, kHarmless, "-f: -s: -t: -w -# --format= --separator= --equal-width"},
    {"factor numfmt", Operands::names, kHarmless,
     "-d: -z --debug --delimiter= --field= --format= --from= --from-unit= --grouping --header? --invalid= --padding= "
     "--round= --suffix= --to= --to-unit= --zero-terminated --exponents"},
    {"shuf", Operands::files, kPlain,
     "-erz -i: -n: --echo --input-range= --head-count= --repeat --random-source= --zero-terminated"},
    {"iconv", Operands::files, kPlain, "-cls -f: -t: --from-code= --to-code= --list --silent"},
    {"expr echo true false : yes", Operands::names, kPlain, "", nullptr, harmless},
    {"jq", Operands::files, kPlain, "", nullptr, judge_jq},
    {"envsubst", Operands::names, kPlain, "-v --variables"},
    // Not --output, nor what loads parts of a document from elsewhere: --valid, --noent, --c14n, --xinclude.
    {"xmllint", Operands::files, kPlain,
     "--noout --format --xpath= --nonet --recover --huge --html --pretty=", check_xmllint},
    // -i writes in place; -s splits into files. Its other implementation is jq with another reader.
    {"yq", Operands::files, kPlain,
     "-CceMNnPrjyRS -o: -p: -I: --colors --no-colors --no-doc --null-input --prettyPrint --raw-output --unwrapScalar? "
     "--output-format= --input-format= --indent= --exit-status --tojson --compact-output --yaml-output --sort-keys",
     check_yq},
    {"pdfinfo", Operands::one, kPlain, ""},
    {"pdftotext", Operands::files, kPlain, "", nullptr, judge_pdftotext},
};

}  // namespace

std::span<const CommandRule> text_commands() { return kRules; }

}  // namespace deft::shell
