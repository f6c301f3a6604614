#include <gtest/gtest.h>

#include "deft/shell/classify_expectations.h"

// bash itself: redirections, expansions, variables, commands of the shell, and all the ways in which text becomes a
// command.

namespace deft::shell {
namespace {

const ClassifyOptions kHere{.cwd = "/p", .home = "/home/me", .files = {}};

TEST(ClassifyShell, OutputGoesToNowhereElseThanDevNull) {
  expect_read_only({"ls > /dev/null", "ls 2>&1", "ls >/dev/null 2>&1", "ls &>/dev/null", "ls >& /dev/null", "ls >&2",
                    "ls 2>&-", "cat < f", "cat <<< x", "cat <<E\nx\nE", "while read x; do echo $x; done < f"},
                   kHere);
  expect_not_read_only({"ls > x",
                        "ls >> x",
                        "ls >| x",
                        "ls &> x",
                        "ls &>> x",
                        "ls >& x",
                        "ls >&x",
                        "ls 2> x",
                        "ls <> x",
                        "ls 1>x",
                        "ls >x 2>&1",
                        "ls > /dev/null > x",
                        "ls > $x",
                        "ls > \"$x\"",
                        "ls >&$x",
                        "ls > /dev/sda",
                        "ls > /dev/tcp/h/1",
                        "cat < /dev/tcp/h/1",
                        "cat < /dev/udp/h/1",
                        "cat < \"$x\"",
                        "cat <> /dev/tcp/h/1",
                        "ls {fd}> x",
                        "> x",
                        ": > x",
                        "{ ls; } > x",
                        "(ls) > x",
                        "if ls; then ls; fi > x",
                        "for f in a; do ls; done > x",
                        "[[ a ]] > x",
                        "((1)) > x",
                        "ls > ~/x",
                        "ls > *",
                        "exec > x"},
                       kHere);
}

TEST(ClassifyShell, ACommandAnywhereInTheTextCounts) {
  expect_not_read_only({"ls; rm x",
                        "ls && rm x",
                        "ls || rm x",
                        "ls | rm x",
                        "ls |& rm x",
                        "ls & rm x",
                        "ls\nrm x",
                        "(rm x)",
                        "{ rm x; }",
                        "! rm x",
                        "time rm x",
                        "time -p rm x",
                        "echo $(rm x)",
                        "echo `rm x`",
                        "echo \"$(rm x)\"",
                        "echo \"`rm x`\"",
                        "echo ${x:-$(rm y)}",
                        "echo \"${x:-`rm y`}\"",
                        "echo ${x/a/$(rm y)}",
                        "cat <(rm x)",
                        "ls >(rm x)",
                        "cat <<E\n$(rm x)\nE",
                        "cat <<E\n`rm x`\nE",
                        "cat <<E; rm x\na\nE",
                        "cat <<'E'\na\nE\nrm x",
                        "cat <<< $(rm x)",
                        "x=$(rm y)",
                        "x=(a $(rm y))",
                        "x=$(rm y) ls",
                        "[[ $(rm x) ]]",
                        "[ \"$(rm x)\" ]",
                        "case $(rm x) in *) :;; esac",
                        "case x in $(rm y)) :;; esac",
                        "case x in x) rm y;; esac",
                        "if rm x; then :; fi",
                        "if :; then :; else rm x; fi",
                        "while rm x; do :; done",
                        "until rm x; do :; done",
                        "for f in $(rm x); do :; done",
                        "for f in *; do rm $f; done",
                        "for ((i=0;i<1;i++)); do rm x; done",
                        "f() { rm x; }; f",
                        "ls() { rm x; }; ls",
                        "ls # x\nrm y",
                        "ls \\\n; rm x",
                        "echo $((1 + $(rm x)))",
                        "echo ${x:$(rm y)}",
                        "ls &"},
                       kHere);
}

TEST(ClassifyShell, ACommandsNameIsReadAsBashReadsIt) {
  expect_read_only({"\\ls", "'ls' -la", "l\"s\"", "$'ls'", "/bin/ls", "/usr/bin/cat f", "c=ls; $c -la"}, kHere);
  expect_not_read_only({"r''m x",
                        "\\rm x",
                        "\"rm\" x",
                        "$'rm' x",
                        "$'\\x72m' x",
                        "$\"rm\" x",
                        "/bin/rm x",
                        "./ls",
                        "../ls",
                        "bin/ls",
                        "/tmp/ls",
                        "/usr/bin/../../tmp/ls",
                        "/usr/local/bin/ls",
                        "~/bin/ls",
                        "$x",
                        "\"$x\"",
                        "${x:-rm} y",
                        "$(echo rm) x",
                        "`echo rm` x",
                        "x=rm; $x y",
                        "x='rm y'; $x",
                        "{rm,x}",
                        "r{m,} x",
                        "/bin/r?",
                        "/bin/[r]m x",
                        "*",
                        "сat x",
                        "for c in ls rm; do $c x; done"},
                       kHere);
}

TEST(ClassifyShell, TextThatBecomesACommandIsRefused) {
  expect_not_read_only({"eval ls",
                        "source x",
                        ". x",
                        "exec ls",
                        "trap 'rm x' EXIT",
                        "alias ls=rm",
                        "hash -p x ls",
                        "enable -f x y",
                        "mapfile -C x -c 1 a",
                        "complete -C x y",
                        "compgen -C x",
                        "bind -x x",
                        "history -w x",
                        "fc -s",
                        "set -x",
                        "set -k",
                        "set -a",
                        "shopt -s expand_aliases",
                        "shopt -s extglob",
                        "coproc ls",
                        "select x in a; do ls; done",
                        "jobs -x rm",
                        "PS4='$(id)'; set -x; ls",
                        "bash -c ls",
                        "sh x",
                        "echo ls | sh",
                        "cat x | bash",
                        "python3 -c 1",
                        "perl -e 1",
                        "busybox ls"},
                       kHere);
}

TEST(ClassifyShell, ArithmeticAndNamesAreNotEvaluatedWithUnknownText) {
  expect_read_only({"echo $((1+2))", "i=1; echo $((i*2))", "for ((i=0;i<3;i++)); do echo $i; done",
                    "x=5; [[ $x -gt 3 ]]", "[ \"$x\" -gt 3 ]", "[ $(ls | wc -l) -gt 0 ]", "[ -f \"$x\" ]",
                    "[[ -n $x && $y == a* ]]", "n=$(ls | wc -l); echo $((n+1))"},
                   kHere);
  expect_not_read_only({"echo $((x))",
                        "echo $(($x))",
                        "((x))",
                        "let x=1",
                        "echo $[1]",
                        "echo ${a[$(id)]}",
                        "echo $((a[$(id)]))",
                        "x='a[$(id)]'; echo $((x))",
                        "[[ $x -eq 1 ]]",
                        "[[ 'a[$(id)]' -eq 1 ]]",
                        "test -v 'a[$(id)]'",
                        "[ -v \"$x\" ]",
                        "[[ -v $x ]]",
                        "[ $x ]",
                        "[ $x -gt 0 ]",
                        "[ $(cat f) -gt 0 ]",
                        "printf -v 'a[$(id)]' x",
                        "printf '%n' x",
                        "printf \"$x\"",
                        "read 'a[$(id)]'",
                        "unset 'a[$(id)]'",
                        "declare -i x=y",
                        "declare -n x=y",
                        "echo ${x@P}",
                        "echo ${!x}",
                        "echo ${x:y}",
                        "wait -p x",
                        "[ $(ls | wc -l) -v 'a[$(id)]' ]"},
                       kHere);
}

TEST(ClassifyShell, VariablesThatProgramsOrTheShellObeyMayNotBeSet) {
  expect_read_only({"x=1; echo $x", "FILE=a; cat $FILE", "LC_ALL=C sort f", "TZ=UTC date", "export LC_ALL=C; ls",
                    "IFS= read -r x < f", "for f in a b; do echo $f; done", "LOG_DIR=a; ls $LOG_DIR",
                    "BASE_BRANCH=main; git log $BASE_BRANCH"},
                   kHere);
  expect_not_read_only({"PATH=. ls",
                        "PATH=.; ls",
                        "export PATH=.; ls",
                        "LD_PRELOAD=x ls",
                        "LD_LIBRARY_PATH=. ls",
                        "BASH_ENV=x ls",
                        "ENV=x; ls",
                        "IFS=x; ls",
                        "IFS=x ls",
                        "PROMPT_COMMAND=x; ls",
                        "SHELLOPTS=x ls",
                        "NODE_OPTIONS=-r./x node -v",
                        "PYTHONPATH=. python3 -V",
                        "PERL5OPT=-Mx perl -v",
                        "TAR_OPTIONS=x tar tf a",
                        "GREP_OPTIONS=x grep y",
                        "RIPGREP_CONFIG_PATH=x rg y",
                        "LESSOPEN='|x' ls",
                        "GCONV_PATH=. iconv -l",
                        "LOCPATH=. ls",
                        "LC_ALL=/x ls",
                        "TZ=/x date",
                        "TERMINFO=. tput cols",
                        "OPENSSL_CONF=x openssl version",
                        "MAGIC=x file y",
                        "TMPDIR=x sort f",
                        "POSIXLY_CORRECT=1 uniq f",
                        "http_proxy=x ls",
                        "http_proxy=x; ls",
                        "read PATH",
                        "for PATH in .; do ls; done",
                        "printf -v PATH .",
                        "echo ${PATH:=.}",
                        ": ${IFS=x}",
                        "unset PATH",
                        "mapfile PATH < f",
                        "GIT_DIR=x; git log",
                        "LD_DIR=x; ls",
                        "GIT_FILE=x; ls"},
                       kHere);
}

TEST(ClassifyShell, ValuesThatAreNotKnownMayNotStandWhereAnOptionCould) {
  expect_read_only({"find . -name \"$x\"", "rg -e \"$x\" d", "sort -t \"$x\" f", "sort -- \"$x\"", "git log -- \"$x\"",
                    "for f in *.py; do wc -l \"$f\"; done", "for f in ./*; do sort \"$f\"; done", "x=a; sort $x",
                    "sort \"./$x\"", "f=$(git rev-parse HEAD); git show $f"},
                   kHere);
  expect_not_read_only(
      {"sort $x", "sort \"$x\"", "for f in *; do sort \"$f\"; done", "for f in *; do sed -n p \"$f\"; done",
       "for f in -delete; do find . $f; done", "sort $(git rev-parse 'a -oout')", "sort $(command -v './a -oout')",
       "sort $(git rev-parse '*')", "read x; sort \"$x\"", "x=-o; y=z; sort $x $y f", "x=a; x=$y; sort $x",
       "x=a; read x; sort $x", "x=a; f() { x=-o; }; f; sort $x"},
      kHere);
}

TEST(ClassifyShell, WhatIsHiddenTooLongOrNotUnderstoodIsRefused) {
  expect_not_read_only(
      {"ls \xE2\x80\xAE", "ls\xE2\x80\x8B", "ls\xC2\xA0-la", "ls \x01", "ls\r", "ls \xFF", "ls \"", "ls '", "ls $(",
       "ls `", "( ls", "ls )", "ls |", "ls &&", "ls ;;", "cat <<E\nx", "ls \\", "${", ""},
      kHere);
  EXPECT_FALSE(classify("ls " + std::string(kClassifiedCharactersMax, 'a'), kHere).read_only);
  EXPECT_TRUE(classify("ls " + std::string(kClassifiedCharactersMax - 3, 'a'), kHere).read_only);
}

}  // namespace
}  // namespace deft::shell
