#include "deft/core/local_work.h"

#include <algorithm>
#include <array>
#include <ranges>
#include <string_view>

#include "deft/base/text.h"

namespace deft {
namespace {

using shell::Argument;

// With any arguments.
constexpr std::string_view kWorkers =
    "make gmake ninja cmake ctest meson pytest jest vitest mocha tsc eslint prettier ruff mypy pyright black flake8 "
    "pylint isort gofmt clang-format clang-tidy rustfmt gcc g++ cc c++ clang clang++ javac shellcheck shfmt";
// By subcommand.
struct Family {
  std::string_view names;
  std::string_view subcommands;
};
constexpr std::array<Family, 6> kFamilies = {{{"cargo", "build check test clippy fmt doc bench run b c t r"},
                                              {"go", "build test vet fmt"},
                                              {"npm pnpm yarn bun", "test t run"},
                                              {"git", "add commit stash switch checkout branch tag mv restore init"},
                                              {"dotnet", "build test format"},
                                              {"python python3", "-m"}}};
constexpr std::string_view kPythonModules = "pytest unittest mypy ruff black compileall py_compile flake8 pylint isort";
// Scripts and targets by these names reach beyond the project.
constexpr std::array<std::string_view, 12> kFarReaching = {"install", "deploy", "publish", "release",
                                                           "upload",  "push",   "destroy", "clean-all",
                                                           "migrate", "prod",   "remote",  "sudo"};
// What takes something away, or goes around a check.
constexpr std::string_view kGitLosing =
    "-f --force -D -d --delete -M --amend -n --no-verify --hard drop clear pop apply -B -C --orphan --discard-changes "
    "--worktree -W --no-gpg-sign --ours --theirs -p --patch";

bool reaches_far(const Argument& word) {
  return std::ranges::any_of(kFarReaching,
                             [&](std::string_view far) { return word.text.find(far) != std::string::npos; });
}

// checkout and restore lose changes unless they only make a branch or unstage.
bool is_harmless_git(std::string_view subcommand, const std::vector<Argument>& words) {
  const auto loses = [](const Argument& word) { return is_among_words(word.text, kGitLosing); };
  if (std::ranges::any_of(words | std::views::drop(2), loses)) return false;
  const auto has = [&](std::string_view option) {
    return std::ranges::any_of(words, [&](const Argument& word) { return word.text == option; });
  };
  if (subcommand == "checkout") return words.size() == 4 && words[2].text == "-b";
  if (subcommand == "restore") return has("--staged");
  return true;
}

}  // namespace

bool is_local_work(const std::vector<Argument>& words) {
  if (words.empty() || !std::ranges::all_of(words, [](const Argument& word) { return word.is_exact(); })) return false;
  const std::string_view name = words[0].text;
  const auto sets_variable = [](const Argument& word) { return word.text.find('=') != std::string::npos; };
  if (is_among_words(name, kWorkers)) {
    const bool may_run_anything = name.ends_with("make") && std::ranges::any_of(words, sets_variable);
    return !may_run_anything && std::ranges::none_of(words | std::views::drop(1), reaches_far);
  }
  const auto is_named = [&](const Family& family) { return is_among_words(name, family.names); };
  const auto* family = std::ranges::find_if(kFamilies, is_named);
  if (family == kFamilies.end() || words.size() < 2) return false;
  const std::string_view subcommand = words[1].text;
  if (!is_among_words(subcommand, family->subcommands)) return false;
  if (name == "git") return is_harmless_git(subcommand, words);
  if (name.starts_with("python")) return words.size() > 2 && is_among_words(words[2].text, kPythonModules);
  return std::ranges::none_of(words | std::views::drop(2), reaches_far);
}

}  // namespace deft
