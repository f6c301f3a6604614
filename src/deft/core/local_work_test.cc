#include "deft/core/local_work.h"

#include <gtest/gtest.h>

#include <sstream>

namespace deft {
namespace {

bool is_work(const std::string& command) {
  std::vector<shell::Argument> words;
  std::istringstream in(command);
  for (std::string word; in >> word;) words.push_back(shell::Argument::exactly(word));
  return is_local_work(words);
}

TEST(LocalWork, BuildingTestingAndCommittingIs) {
  for (const char* command :
       {"make", "make -j4 test", "ninja -C build", "cargo test --all", "go vet ./...", "npm test", "npm run lint",
        "pytest -k x", "python3 -m pytest", "git add -A", "git commit -m x", "git stash", "git switch -c x",
        "git checkout -b x", "git restore --staged a", "tsc --noEmit", "gcc -o a a.c", "eslint src"}) {
    EXPECT_TRUE(is_work(command)) << command;
  }
}

TEST(LocalWork, WhatReachesOutLosesSomethingOrIsUnknownIsNot) {
  for (const char* command : {"make install",
                              "make SHELL=x",
                              "make deploy",
                              "npm install x",
                              "npm ci",
                              "npm publish",
                              "npm run deploy",
                              "npm run release:all",
                              "npx x",
                              "pip install x",
                              "git push",
                              "git fetch",
                              "git pull",
                              "git clone x",
                              "git commit --amend",
                              "git commit --no-verify",
                              "git reset --hard",
                              "git checkout .",
                              "git checkout main",
                              "git restore .",
                              "git clean -fd",
                              "git branch -D x",
                              "git stash drop",
                              "git tag -d x",
                              "git switch -f x",
                              "git rebase main",
                              "curl x",
                              "wget x",
                              "ssh h",
                              "docker run x",
                              "kubectl get pods",
                              "python3 x.py",
                              "python3 -c x",
                              "python3 -m http.server",
                              "node x.js",
                              "./x.sh",
                              "bash x.sh",
                              "sudo make",
                              "terraform apply",
                              "chmod +x a",
                              "kill 1",
                              "cargo publish",
                              "cargo install x",
                              "go run x",
                              "go get x",
                              "/tmp/make",
                              ""}) {
    EXPECT_FALSE(is_work(command)) << command;
  }
}

}  // namespace
}  // namespace deft
