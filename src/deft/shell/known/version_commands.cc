#include <algorithm>

#include "deft/shell/known/command.h"

// Programs that may be asked for their version and for nothing else. Left out on purpose, because what they run is
// chosen by files in the working directory, even for this question: yarn, pnpm, bazel, gradle, mvn, sbt, bundle, rails,
// jest, pytest, tox, flake8, pylint, poetry, pdm, ansible, flutter, valgrind, terraform (asks the network).

namespace deft::shell {
namespace {

// zig version, helm version …: the question is a word.
Problem judge_version_word(Words words, const Situation&) {
  const bool asks = words.size() == 1 && words[0].is_exact() && is_among_words(words[0].text, "version --version");
  if (asks) return std::nullopt;
  return std::string("only asking for the version is known to be harmless here");
}

Problem judge_kubectl(Words words, const Situation&) {
  const bool asks = words.size() >= 2 && are_exact(words) && words[0].text == "version" &&
                    is_among_words(words[1].text, "--client --client=true");
  for (const Argument& word : words.subspan(std::min<std::size_t>(words.size(), 2))) {
    if (!is_among_words(word.text, "--output=yaml --output=json -oyaml -ojson --short"))
      return std::string("kubectl asks a server");
  }
  if (asks) return std::nullopt;
  return std::string("kubectl asks a server");
}

// One letter is the version for one program and "be verbose, and go on" for the next: each has its own.
constexpr CommandRule kRules[] = {
    {"node deno bun npx corepack tsc eslint prettier", Operands::none, kNeedsOption, "-v"},
    {"python python2 python3 python3.8 python3.9 python3.10 python3.11 python3.12 python3.13 python3.14 pypy3",
     Operands::none, kNeedsOption, "-V"},
    {"ruff black mypy isort uv conda mamba virtualenv", Operands::none, kNeedsOption, "-V"},
    {"ruby", Operands::none, kNeedsOption, "@-v"},
    {"perl", Operands::none, kNeedsOption, "@-v @-V"},
    {"php", Operands::none, kNeedsOption, "@-v @-m @-i"},
    {"lua lua5.1 lua5.2 lua5.3 lua5.4 luajit", Operands::none, kNeedsOption, "@-v"},
    {"cargo rustc rustup rustfmt", Operands::none, kNeedsOption, "-V @-vV @-Vv"},
    {"gcc g++ cc c++ gcc-11 g++-11 gcc-12 g++-12 gcc-13 g++-13 gcc-14 g++-14 clang clang++ clang-14 clang-19 "
     "clang++-19",
     Operands::none, kNeedsOption, "@-v @-dumpversion @-dumpfullversion @-dumpmachine @-print-search-dirs"},
    {"java javac javap", Operands::none, kNeedsOption, "@-version"},
    {"make gmake", Operands::none, kNeedsOption, "@-v"},
    {"cmake ctest cpack ninja meson autoconf automake libtool ld ld.lld lld as gdb lldb ltrace ccache "
     "clang-format "
     "clang-tidy clangd m4 protoc flatc swig doxygen",
     Operands::none, kNeedsOption, ""},
    {"strace bison flex dot curl wget ssh rsync tmux psql pg_dump mysql mysqld mariadb", Operands::none, kNeedsOption,
     "@-V"},
    {"screen redis-cli redis-server haproxy docker-compose podman pandoc", Operands::none, kNeedsOption, "@-v"},
    {"nginx httpd apache2", Operands::none, kNeedsOption, "@-v @-V"},
    {"dotnet", Operands::none, kNeedsOption, "--info --list-sdks --list-runtimes"},
    {"ocaml ocamlc sqlite3 ffmpeg ffprobe convert magick", Operands::none, kNeedsOption, "@-version"},
    {"R Rscript julia ghc ghci stack cabal opam elixir swift dart nim crystal bash zsh fish vim nvim vi emacs nano "
     "code gpg "
     "gpg2 mongo mongosh mongod buildah skopeo gh glab aws gcloud kind systemctl latex pdflatex xelatex inkscape pipx",
     Operands::none, kNeedsOption, ""},
    {"zig helm hugo caddy", Operands::none, kPlain, "", nullptr, judge_version_word},
    {"kubectl", Operands::none, kPlain, "", nullptr, judge_kubectl},
};

}  // namespace

std::span<const CommandRule> version_commands() { return kRules; }

}  // namespace deft::shell
