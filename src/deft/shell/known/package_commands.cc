#include <algorithm>

#include "deft/shell/known/command.h"

// Questions to package managers that are answered from this machine alone.

namespace deft::shell {
namespace {

struct Subcommand {
  std::string_view names;
  Operands operands;
  std::string_view options;
};

// The first word is the subcommand; each has its own options.
Problem judge_subcommand(std::string_view command, std::span<const Subcommand> table, Words words,
                         const Situation& situation) {
  if (words.empty()) return std::nullopt;
  if (!words[0].is_exact()) return unknown_word(command, words[0]);
  const std::string& name = words[0].text;
  for (const Subcommand& entry : table) {
    if (!is_among_words(name, entry.names)) continue;
    const CommandRule rule = {.names = command, .operands = entry.operands, .options = entry.options};
    return judge_by_rule(std::string(command) + " " + name, rule, words.subspan(1), situation);
  }
  return std::string(command) + " " + quoted(name) + " is not known to be read-only";
}

// npm config get x, pip config list: two words that only ask, and names.
bool asks_settings(Words words, std::string_view group, std::string_view questions) {
  if (words.size() < 2 || !are_exact(words) || words[0].text != group) return false;
  return is_among_words(words[1].text, questions) &&
         std::ranges::all_of(words.subspan(2), [](const Argument& word) { return word.dashless; });
}

Problem judge_npm(Words words, const Situation& situation) {
  constexpr std::string_view kList =
      "-alg --all --json --long --global --parseable --depth= --prod --production --dev --omit= --include= --link "
      "--workspaces --no-unicode";
  static constexpr Subcommand kTable[] = {
      {"-v --version version", Operands::none, ""},
      {"ls list ll la", Operands::names, kList},
      {"root prefix", Operands::none, "-g --global"},
      {"explain why", Operands::names, "--json"},
  };
  if (asks_settings(words, "config", "get list ls") || asks_settings(words, "pkg", "get")) return std::nullopt;
  return judge_subcommand("npm", kTable, words, situation);
}

Problem judge_pip(Words words, const Situation& situation) {
  static constexpr Subcommand kTable[] = {
      {"-V --version", Operands::none, ""},
      {"list", Operands::none, "-lv --local --user --not-required --format= --exclude= --disable-pip-version-check"},
      {"show", Operands::names, "-fv --files --verbose --disable-pip-version-check"},
      {"freeze", Operands::none, "-l --all --local --user --exclude= --disable-pip-version-check"},
      {"check", Operands::none, "--disable-pip-version-check"},
  };
  if (asks_settings(words, "config", "list get")) return std::nullopt;
  return judge_subcommand("pip", kTable, words, situation);
}

Problem judge_gem(Words words, const Situation& situation) {
  static constexpr Subcommand kTable[] = {
      {"-v --version", Operands::none, ""},
      {"list", Operands::names, "-ladi --local --all --details --installed"},
      {"env environment", Operands::names, ""},
  };
  return judge_subcommand("gem", kTable, words, situation);
}

Problem judge_go(Words words, const Situation& situation) {
  static constexpr Subcommand kTable[] = {
      {"version", Operands::none, ""},
      {"env", Operands::names, "@-json @-changed"},
      {"help", Operands::names, ""},
  };
  return judge_subcommand("go", kTable, words, situation);
}

Problem judge_apt(Words words, const Situation& situation) {
  static constexpr Subcommand kTable[] = {
      {"--version -v", Operands::none, ""},
      {"list", Operands::names, "-a --installed --upgradable --upgradeable --all-versions --manual-installed"},
      {"show policy depends rdepends", Operands::names, "-a --all-versions --installed"},
      {"search", Operands::names, "-n --names-only"},
  };
  return judge_subcommand("apt", kTable, words, situation);
}

Problem judge_apt_cache(Words words, const Situation& situation) {
  static constexpr Subcommand kTable[] = {
      {"policy show showpkg search madison depends rdepends pkgnames stats", Operands::names,
       "-anfi --names-only --full --all-versions --installed --recurse --no-all-versions"},
  };
  return judge_subcommand("apt-cache", kTable, words, situation);
}

Problem judge_apt_mark(Words words, const Situation& situation) {
  static constexpr Subcommand kTable[] = {{"showmanual showauto showhold", Operands::names, ""}};
  return judge_subcommand("apt-mark", kTable, words, situation);
}

Problem judge_docker(Words words, const Situation& situation) {
  static constexpr Subcommand kTable[] = {{"-v --version", Operands::none, ""}};
  const bool asks_compose = words.size() == 2 && are_exact(words) && words[0].text == "compose" &&
                            is_among_words(words[1].text, "version --version");
  if (asks_compose) return std::nullopt;
  return judge_subcommand("docker", kTable, words, situation);
}

Problem check_rpm(const Invocation& invocation, const Situation&) {
  if (!invocation.has("-q") && !invocation.has("--query")) return std::string("rpm without -q");
  return std::nullopt;
}

Problem check_pacman(const Invocation& invocation, const Situation&) {
  if (!invocation.has("-Q")) return std::string("pacman without -Q");
  return std::nullopt;
}

constexpr CommandRule kRules[] = {
    {"npm", Operands::names, kPlain, "", nullptr, judge_npm},
    {"pip pip3", Operands::names, kPlain, "", nullptr, judge_pip},
    {"gem", Operands::names, kPlain, "", nullptr, judge_gem},
    {"go", Operands::names, kPlain, "", nullptr, judge_go},
    {"apt", Operands::names, kPlain, "", nullptr, judge_apt},
    {"apt-cache", Operands::names, kPlain, "", nullptr, judge_apt_cache},
    {"apt-mark", Operands::names, kPlain, "", nullptr, judge_apt_mark},
    {"docker", Operands::names, kPlain, "", nullptr, judge_docker},
    {"dpkg", Operands::names, kNoClusters | kNeedsOption,
     "-lLsSpCcI --list --listfiles --status --search --print-avail --get-selections --print-architecture "
     "--print-foreign-architectures --audit --contents --info"},
    {"dpkg-query", Operands::names, kNeedsOption,
     "-lLpsSW -f: --list --listfiles --status --search --show --print-avail --showformat="},
    {"rpm", Operands::names, kPlain,
     "-qailfcdRv --query --all --info --list --file --configfiles --docfiles --requires --provides", check_rpm},
    {"pacman", Operands::names, kPlain, "-Qadegiklmnoqst", check_pacman},
    {"update-alternatives", Operands::names, kNeedsOption, "--list --display --query --get-selections"},
    {"pkg-config pkgconf", Operands::names, kPlain,
     "--libs --cflags --modversion --exists --list-all --list-package-names --libs-only-l --libs-only-L "
     "--libs-only-other "
     "--cflags-only-I --cflags-only-other --static --variable= --print-requires --print-variables --atleast-version= "
     "--exact-version= --max-version= --print-errors --short-errors --silence-errors"},
};

}  // namespace

std::span<const CommandRule> package_commands() { return kRules; }

}  // namespace deft::shell
