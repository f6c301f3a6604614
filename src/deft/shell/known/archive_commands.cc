#include <algorithm>

#include "deft/shell/known/command.h"

// Archives and compressed files: listing them and decompressing to standard output.

namespace deft::shell {
namespace {

// tar takes "host:file" for an archive on another machine.
bool is_local_archive(std::string_view name, bool exact) {
  const std::size_t colon = name.find(':');
  const std::size_t slash = name.find('/');
  if (slash != std::string_view::npos && slash < colon) return true;
  return exact && colon == std::string_view::npos;
}

constexpr std::string_view kTarOptions =
    "-ajJtvzZ -f: -C: -T: -X: --list --file= --verbose --gzip --bzip2 --xz --zstd --auto-compress --directory= "
    "--exclude= "
    "--exclude-from= --wildcards --no-wildcards --full-time --numeric-owner --strip-components= "
    "--show-transformed-names "
    "--occurrence? --force-local --utc --anchored --ignore-case --block-number";

Problem judge_tar(Words words, const Situation&) {
  // The old style: letters without a dash, their values in the next words.
  std::vector<Argument> modern(words.begin(), words.end());
  if (!modern.empty() && modern[0].is_exact() && !modern[0].text.starts_with('-')) {
    const std::string letters = modern[0].text;
    if (letters.find_first_not_of("tvfzjJaZ") != std::string::npos)
      return "tar " + quoted(letters) + " may write files";
    if (letters.find('f') != std::string::npos && !letters.ends_with('f')) {
      // "tfv x.tar" takes its value from the next word all the same.
      std::string reordered = letters;
      std::erase(reordered, 'f');
      modern[0].text = "-" + reordered + "f";
    } else {
      modern[0].text = "-" + letters;
    }
    modern[0].dashless = false;
  }
  Invocation invocation;
  const CommandRule rule = {.names = "tar", .options = kTarOptions};
  if (Problem problem = read_options("tar", rule, modern, invocation)) return problem;
  if (!invocation.has("-t") && !invocation.has("--list")) return "tar that does not list may write files";
  if (invocation.has("-T")) return "tar -T may hold options";
  for (const GivenOption& option : invocation.options) {
    const bool is_archive = option.name == "-f" || option.name == "--file";
    if (is_archive && !is_local_archive(option.value_text, option.value_exact)) {
      return "tar may fetch " + quoted(option.value_text) + " from another machine";
    }
  }
  return std::nullopt;
}

// Without one of these modes unzip extracts.
Problem judge_unzip(Words words, const Situation&) {
  if (words.empty()) return std::nullopt;
  if (!are_exact(words.first(1))) return unknown_word("unzip", words[0]);
  const std::string& mode = words[0].text;
  const bool shows = mode.starts_with('-') && mode.find_first_of("lvZtpc") != std::string::npos &&
                     mode.find_first_not_of("lvZ1tpcqh", 1) == std::string::npos;
  if (!shows) return "unzip " + quoted(mode) + " may write files";
  for (const Argument& word : words.subspan(1)) {
    if (!word.dashless || word.extent == Extent::spread) return unknown_word("unzip", word);
  }
  return std::nullopt;
}

Problem check_prints(const Invocation& invocation, const Situation&) {
  const auto has_any = [&](std::initializer_list<std::string_view> names) {
    return std::ranges::any_of(names, [&](std::string_view name) { return invocation.has(name); });
  };
  if (has_any({"-c", "--stdout", "--to-stdout"})) return std::nullopt;
  // Of -t and -d together some let the last one win.
  const bool looks = has_any({"-l", "-t", "--list", "--test"});
  if (looks && !has_any({"-d", "--decompress", "--uncompress"})) return std::nullopt;
  return std::string(invocation.name) + " without -c, -l or -t writes files";
}

// ar t, ar p: its letters need no dash.
Problem judge_ar(Words words, const Situation&) {
  if (words.empty() || !are_exact(words.first(1))) return std::string("ar without a known operation");
  std::string_view letters = words[0].text;
  if (letters.starts_with('-')) letters.remove_prefix(1);
  const bool lists = (letters.starts_with('t') || letters.starts_with('p')) &&
                     letters.find_first_not_of("tpvOV") == std::string_view::npos;
  if (!lists) return "ar " + quoted(letters) + " may write files";
  for (const Argument& word : words.subspan(1)) {
    const bool is_plain = word.is_exact() && word.dashless && !word.text.starts_with('@');
    if (!is_plain) return unknown_word("ar", word);
  }
  return std::nullopt;
}

constexpr CommandRule kRules[] = {
    {"tar bsdtar", Operands::files, kPlain, "", nullptr, judge_tar},
    {"unzip", Operands::files, kPlain, "", nullptr, judge_unzip},
    {"zipinfo", Operands::files, kPlain, "-12hlmMstvzT"},
    {"zcat gzcat bzcat xzcat lzcat", Operands::files, kPlain, "-dfkqv --force --quiet"},
    {"zstdcat lz4cat", Operands::files, kPlain, "-fqv"},
    {"gzip gunzip bzip2 bunzip2", Operands::files, kPlain,
     "-cdfklNnqtv -# --stdout --to-stdout --decompress --uncompress --force --keep --list --quiet --test --verbose",
     check_prints},
    {"xz unxz", Operands::files, kPlain,
     "-cdfklqtv -# --stdout --to-stdout --decompress --uncompress --force --keep --list --quiet --robot --test "
     "--verbose",
     check_prints},
    {"zstd unzstd", Operands::files, kPlain, "-cdflqtv --stdout --decompress --force --list --quiet --test --verbose",
     check_prints},
    {"ar", Operands::files, kPlain, "", nullptr, judge_ar},
};

}  // namespace

std::span<const CommandRule> archive_commands() { return kRules; }

}  // namespace deft::shell
