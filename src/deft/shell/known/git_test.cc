#include <gtest/gtest.h>

#include <map>

#include "deft/shell/classify_expectations.h"
#include "deft/shell/known/git_config.h"

namespace deft::shell {
namespace {

const ClassifyOptions kHere{.cwd = "/p", .home = "/home/me", .files = {}};

TEST(KnownGit, ReadingSubcommandsAreReadOnly) {
  expect_read_only({"git status -s",
                    "git log --oneline -10",
                    "git log -p --stat -- src",
                    "git log -S foo --author=me",
                    "git log --since '2 weeks ago' -n 5",
                    "git log -L 1,5:f",
                    "git show HEAD:f",
                    "git diff --stat -- a",
                    "git diff main...x",
                    "git diff --cached --name-only",
                    "git blame -L 1,5 f",
                    "git branch -avv",
                    "git branch --list 'x*'",
                    "git branch --contains HEAD",
                    "git branch --sort=-committerdate",
                    "git tag -l 'v*'",
                    "git tag -n",
                    "git tag --sort=-v:refname",
                    "git tag --format='%(refname)' -l x",
                    "git remote -v",
                    "git remote get-url origin",
                    "git config --get user.name",
                    "git config user.email",
                    "git config -l",
                    "git config -f .gitmodules --list",
                    "git stash list",
                    "git stash show -p",
                    "git reflog",
                    "git reflog show HEAD",
                    "git worktree list",
                    "git rev-parse --show-toplevel",
                    "git ls-files -o --exclude-standard",
                    "git grep -n -e foo -- src",
                    "git cat-file -p HEAD",
                    "git for-each-ref --format='%(refname)' --sort=-authordate",
                    "git submodule status",
                    "git describe --tags --always",
                    "git --no-pager log",
                    "git -C . status",
                    "git clean -nd",
                    "git apply --check x",
                    "git symbolic-ref HEAD",
                    "git merge-base a b",
                    "git shortlog -sn",
                    "git diff $(git merge-base main HEAD)",
                    "git check-ignore -v x",
                    "git fsck",
                    "git log \"@{u}..\""},
                   kHere);
}

TEST(KnownGit, SubcommandsThatChangeAnythingOrStartProgramsAreNot) {
  expect_not_read_only({"git add .",
                        "git commit -m x",
                        "git checkout .",
                        "git switch x",
                        "git restore f",
                        "git reset",
                        "git push",
                        "git pull",
                        "git fetch",
                        "git ls-remote",
                        "git merge x",
                        "git rebase x",
                        "git stash",
                        "git stash pop",
                        "git stash -p list",
                        "git stash -- list",
                        "git stash push list",
                        "git branch x",
                        "git branch -d x",
                        "git branch -v x",
                        "git branch --sort=x y",
                        "git branch x --list",
                        "git branch --edit-description",
                        "git tag x",
                        "git tag -d x",
                        "git tag -v x",
                        "git tag --sort=x y",
                        "git tag x -l",
                        "git remote add a b",
                        "git remote update",
                        "git remote show origin",
                        "git remote -v show origin",
                        "git config a.b c",
                        "git config --global a.b c",
                        "git config --unset a.b",
                        "git config -e",
                        "git config set a.b c",
                        "git config -f x a.b c",
                        "git config --file=x a.b c",
                        "git config --bool a.b true",
                        "git reflog expire --all",
                        "git reflog delete x",
                        "git worktree add x",
                        "git submodule update",
                        "git submodule foreach id",
                        "git notes add",
                        "git bisect run x",
                        "git symbolic-ref HEAD x",
                        "git hash-object -w f",
                        "git fsck --lost-found",
                        "git clean -fd",
                        "git clean -n -f",
                        "git apply x",
                        "git apply --stat --apply x",
                        "git archive HEAD",
                        "git bundle create x y",
                        "git gc",
                        "git update-index x",
                        "git merge-tree a b",
                        "git difftool",
                        "git help log",
                        "git log --help",
                        "git verify-commit HEAD",
                        "git lg",
                        "git $x",
                        "git maintenance run",
                        "git format-patch HEAD~1"},
                       kHere);
}

TEST(KnownGit, OptionsThatWriteOrRunAreRefusedWhereverTheyHide) {
  expect_not_read_only({"git log --output=x",
                        "git log --output x",
                        "git diff --outp=x",
                        "git show --output=x",
                        "git stash show --output=x",
                        "git diff --ext-diff",
                        "git log -p --ext-diff",
                        "git diff --textconv",
                        "git log --show-signature",
                        "git log --format=%G?",
                        "git log --pretty='%h %GK'",
                        "git log --format=\"$x\"",
                        "git for-each-ref --sort signature",
                        "git for-each-ref --format='%(signature)'",
                        "git for-each-ref --format \"a$x\"",
                        "git tag -l --sort signature:key",
                        "git grep -O x",
                        "git grep -Oid x",
                        "git grep --open-files-in-pager=id x",
                        "git cat-file --textconv HEAD:f",
                        "git cat-file --filters HEAD:f",
                        "git log --remerge-diff",
                        "git show --diff-merges=remerge",
                        "git show --diff-merges r",
                        "git -c core.pager=id log",
                        "git -ccore.pager=id log",
                        "git --exec-path=. log",
                        "git --config-env=a.b=C log",
                        "git --git-dir=x log",
                        "git --work-tree=x status",
                        "git -p log",
                        "git log $x",
                        "git log \"$x\"",
                        "git diff *",
                        "git show $(cat f)",
                        "git log -O x"},
                       kHere);
}

TEST(KnownGit, AnOptionOrTheEndOfOptionsIsNeverTakenForTheValueOfAnother) {
  expect_not_read_only({"git grep -e -- -Oid x", "git grep -f -- -Oid x", "git log --decorate-refs -- --output=x",
                        "git log -L -- --output=x", "git log --author --output=x", "git log -n --output=x",
                        "git blame --ignore-rev -- --output=x f", "git shortlog --group -- --output=x",
                        "git apply --check --include -- --apply x", "git apply --stat -p -- --apply x",
                        "git hash-object --path -- -w f", "git tag --format -l v1", "git branch --format --list x",
                        "git branch --sort --list x", "git branch --contains -d x", "git notes --ref x add",
                        "git config --get --default -- --unset a.b", "git clean -n -e -- -f"},
                       kHere);
}

TEST(KnownGit, VariablesThatGitObeysMayNotBeSet) {
  expect_read_only({"GIT_PAGER=cat git log", "PAGER= git diff", "GIT_OPTIONAL_LOCKS=0 git status"}, kHere);
  expect_not_read_only(
      {"GIT_PAGER=id git log", "PAGER='cat;id' git log", "GIT_DIR=x git log", "GIT_EXTERNAL_DIFF=x git diff",
       "GIT_CONFIG_COUNT=1 git log", "GIT_CONFIG_GLOBAL=x git log", "GIT_EXEC_PATH=. git log",
       "GIT_TRACE=/tmp/x git log", "GIT_SSH_COMMAND=x git log", "HOME=/tmp git status", "XDG_CONFIG_HOME=/tmp git log",
       "export GIT_DIR=x; git log", "GIT_DIR=x; git log"},
      kHere);
}

// A few files, for judging repositories.
class FakeDisk {
 public:
  void add(const std::string& path, const std::string& text) {
    files_[path] = text;
    for (std::size_t slash = path.rfind('/'); slash != std::string::npos && slash > 0;
         slash = path.rfind('/', slash - 1))
      folders_[path.substr(0, slash)] = path.substr(0, slash);
  }
  void add_link(const std::string& path, const std::string& target) { folders_[path] = target; }

  ClassifyOptions options(const std::string& cwd) const {
    ClassifyOptions options{.cwd = cwd, .home = "/home/me", .files = {}};
    options.files.read = [this](const std::string& path) -> std::optional<std::string> {
      const auto found = files_.find(path);
      return found == files_.end() ? std::nullopt : std::optional(found->second);
    };
    options.files.real_path = [this](const std::string& path) -> std::optional<std::string> {
      const auto found = folders_.find(path);
      return found == folders_.end() ? std::nullopt : std::optional(found->second);
    };
    return options;
  }

 private:
  std::map<std::string, std::string> files_;
  std::map<std::string, std::string> folders_;
};

constexpr const char* kPlainConfig =
    "[core]\n\trepositoryformatversion = 0\n\tbare = false\n[remote \"origin\"]\n\turl = x\n[branch \"main\"]\n\tmerge "
    "= y\n";

TEST(KnownGit, TheConfigurationOfTheRepositoryDecides) {
  FakeDisk disk;
  disk.add("/p/.git/HEAD", "ref: x");
  disk.add("/p/.git/config", kPlainConfig);
  disk.add("/p/src/a", "");
  disk.add("/evil/.git/HEAD", "ref: x");
  disk.add("/evil/.git/config", "[core]\n fsmonitor = id\n");
  disk.add("/p/sub/.git/HEAD", "ref: x");
  disk.add("/p/sub/.git/config", "[core]\n fsmonitor = id\n");
  disk.add_link("/p/link/..", "/evil");
  expect_read_only({"git status", "git -C src log", "cd src && git diff", "cd missing && git status",
                    "git -C missing log", "cd src && ls && git log"},
                   disk.options("/p"));
  expect_not_read_only({"git -C /evil status", "cd /evil && git status", "cd /evil; git status", "git -C ../evil log",
                        "git -C sub status", "cd sub && git status", "git -C link/.. status", "git -C /nowhere status",
                        "cd $x && git status", "pushd sub && git log", "git --no-pager -C sub log"},
                       disk.options("/p"));
  expect_not_read_only({"git status", "git log", "git diff", "ls; git status"}, disk.options("/evil"));
}

TEST(KnownGit, KeysThatCanRunProgramsAreRefusedHoweverTheyAreWritten) {
  EXPECT_FALSE(judge_git_config(kPlainConfig));
  EXPECT_FALSE(judge_git_config("[core]\n fsmonitor = false\n# x\n; y\n[user] name = \"a # b\"\n"));
  for (const char* text : {"[core]\nfsmonitor = id",
                           "[CORE]\nFSMonitor=id",
                           "[core]fsmonitor=id",
                           "[core] ; c\nfsmonitor = id",
                           "[core]\n# comment \\\nfsmonitor = id",
                           "[core]\nbare = true ; x \\\nfsmonitor = id",
                           "[core]\nhookspath = x",
                           "[core]\nsshcommand = x",
                           "[core]\npager = id",
                           "[core]\neditor = id",
                           "[pager]\nlog = id",
                           "[include]\npath = x",
                           "[includeIf \"gitdir:x\"]\npath = y",
                           "[diff]\nexternal = id",
                           "[diff \"x\"]\ntextconv = id",
                           "[diff \"x\"]\ncommand = id",
                           "[filter \"x\"]\nclean = id",
                           "[filter \"x\"]\nprocess = id",
                           "[merge \"x\"]\ndriver = id",
                           "[gpg]\nprogram = id",
                           "[log]\nshowSignature = true",
                           "[alias]\nx = !id",
                           "[submodule \"x\"]\nupdate = !id",
                           "[extensions]\npartialclone = origin",
                           "[remote \"o\"]\npromisor = true",
                           "[pretty]\nx = %G?",
                           "nonsense",
                           "[core\nx = y",
                           "\xEF\xBB\xBF[core]\nfsmonitor = id"}) {
    EXPECT_TRUE(judge_git_config(text)) << text;
  }
  EXPECT_TRUE(judge_git_config(std::string(kViewedBytesMax + 1, '\n')));
}

TEST(KnownGit, ConfigurationIsFoundAsGitFindsIt) {
  FakeDisk disk;
  disk.add("/w/.git", "gitdir: /main/.git/worktrees/w\n");
  disk.add("/main/.git/worktrees/w/HEAD", "x");
  disk.add("/main/.git/worktrees/w/commondir", "../..\n");
  disk.add("/main/.git/config", "[core]\nfsmonitor = id\n");
  expect_not_read_only({"git status"}, disk.options("/w"));

  FakeDisk bare;
  bare.add("/b/HEAD", "x");
  bare.add("/b/config", "[core]\nbare = true\nfsmonitor = id\n");
  bare.add("/b/docs/x", "");
  expect_not_read_only({"git status", "git -C docs log"}, bare.options("/b"));

  FakeDisk unreadable;
  unreadable.add("/u/.git/HEAD", "x");
  expect_not_read_only({"git status"}, unreadable.options("/u"));

  FakeDisk hook;
  hook.add("/h/.git/HEAD", "x");
  hook.add("/h/.git/config", kPlainConfig);
  hook.add("/h/.git/hooks/post-index-change", "#!/bin/sh");
  expect_not_read_only({"git status"}, hook.options("/h"));

  FakeDisk modules;
  modules.add("/m/.git/HEAD", "x");
  modules.add("/m/.git/config", kPlainConfig);
  modules.add("/m/.gitmodules", "[submodule \"s\"]\n\tpath = s\n\turl = x\n");
  modules.add("/m/s/.git", "gitdir: ../.git/modules/s\n");
  modules.add("/m/.git/modules/s/config", "[core]\nfsmonitor = id\n");
  expect_not_read_only({"git status", "git diff"}, modules.options("/m"));
}

}  // namespace
}  // namespace deft::shell
