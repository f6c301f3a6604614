#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <unistd.h>

#include <cstdlib>
#include <stdexcept>
#include <string>

#include "deft/os/unique_fd.h"
#include "deft_exec.h"

// --ask terminal: a person answers, at the terminal that deft was started from.

namespace deft::testing {
namespace {

// The person's end of a terminal.
class Terminal {
 public:
  Terminal() : person_(::posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC)) {
    if (!person_ || ::grantpt(person_.get()) != 0 || ::unlockpt(person_.get()) != 0) {
      throw std::runtime_error("no terminal");
    }
    name_ = ::ptsname(person_.get());
    // As long as we hold it the person's end never hangs up.
    program_ = UniqueFd(::open(name_.c_str(), O_RDWR | O_NOCTTY | O_CLOEXEC));
  }
  const std::string& name() const { return name_; }

  void type(std::string_view text) const {
    if (::write(person_.get(), text.data(), text.size()) < 0) throw std::runtime_error("cannot type");
  }
  // Reads until the screen shows this, behind what was waited for before.
  std::string wait_for(std::string_view text) {
    for (;;) {
      const std::size_t found = screen_.find(text, seen_);
      if (found != std::string::npos) {
        const std::string part = screen_.substr(seen_, found + text.size() - seen_);
        seen_ = found + text.size();
        return part;
      }
      pollfd waits{person_.get(), POLLIN, 0};
      constexpr int kPatienceMs = 60'000;
      char buffer[4096];
      if (::poll(&waits, 1, kPatienceMs) <= 0) throw std::runtime_error("waited in vain; the screen:\n" + screen_);
      const ssize_t got = ::read(person_.get(), buffer, sizeof buffer);
      if (got <= 0) throw std::runtime_error("the terminal has gone; the screen:\n" + screen_);
      screen_.append(buffer, static_cast<std::size_t>(got));
    }
  }

 private:
  UniqueFd person_;
  UniqueFd program_;
  std::string name_;
  std::string screen_;
  std::size_t seen_ = 0;
};

class ExecAskTerminal : public ::testing::Test {
 protected:
  ExecSetup setup() const { return {.arguments = {"--ask", "terminal"}, .controlling_terminal = terminal.name()}; }
  Terminal terminal;
  TempFolder folder;
};

TEST_F(ExecAskTerminal, APersonAllowsOnce) {
  DeftExec deft(folder, setup());
  deft.bash("a", "touch x");
  deft.program.close_input();  // the person is still there
  const std::string shown = terminal.wait_for("> ");
  EXPECT_NE(shown.find("touch x"), std::string::npos);
  EXPECT_NE(shown.find("no rule allows"), std::string::npos);
  EXPECT_NE(shown.find("always would allow: Bash(touch x)"), std::string::npos);
  terminal.type("y\n");
  EXPECT_EQ(deft.wait(), 0);
  EXPECT_FALSE(is_error(deft.result("a")));
  EXPECT_TRUE(deft.lines("permission_request").empty());
  EXPECT_TRUE(folder.bytes("x"));
}

TEST_F(ExecAskTerminal, ADenialWithAMessageTellsTheModelAndAPlainOneEndsTheTurn) {
  DeftExec deft(folder, setup());
  deft.bash("a", "touch x");
  terminal.wait_for("> ");
  terminal.type("f\n");
  terminal.wait_for("> ");
  terminal.type("use make instead\n");
  EXPECT_NE(content(deft.result("a")).find("use make instead"), std::string::npos);
  deft.bash("b", "touch x");
  terminal.wait_for("> ");
  terminal.type("n\n");
  EXPECT_EQ(deft.wait(), 130);
  EXPECT_EQ(text_of(deft.result("b"), "code"), "denied");
  EXPECT_FALSE(folder.bytes("x"));
}

TEST_F(ExecAskTerminal, AlwaysWritesTheRuleAsThePersonEditedIt) {
  DeftExec deft(folder, setup());
  deft.bash("a", "touch x");
  terminal.wait_for("> ");
  terminal.type("a\n");
  terminal.wait_for("> ");
  terminal.type("l\n");
  EXPECT_NE(terminal.wait_for("> ").find("Bash(touch x)"), std::string::npos);
  terminal.type("Bash(touch *)\n");
  EXPECT_FALSE(is_error(deft.result("a")));
  terminal.wait_for("from now on");
  deft.send_line(R"({"type":"end"})");
  EXPECT_EQ(deft.finish(), 0);
  EXPECT_NE(folder.bytes(".deft/settings.local.json").value_or("").find("Bash(touch *)"), std::string::npos);
}

TEST_F(ExecAskTerminal, WhatIsShownIsHarmless) {
  DeftExec deft(folder, setup());
  deft.bash("a", "touch x \x1B[2K\xE2\x80\xAE");
  const std::string shown = terminal.wait_for("> ");
  EXPECT_NE(shown.find("touch x \\x1b[2K\\u202e"), std::string::npos) << shown;
  EXPECT_EQ(shown.find('\x1B'), std::string::npos);
  EXPECT_EQ(shown.find("\xE2\x80\xAE"), std::string::npos);
  EXPECT_EQ(shown.find("[a] always"), std::string::npos);
  terminal.type("n\n");
  EXPECT_EQ(deft.wait(), 130);
}

TEST_F(ExecAskTerminal, CtrlCAbortsAndTheQuestionIsWithdrawn) {
  DeftExec deft(folder, setup());
  deft.bash("a", "touch x");
  terminal.wait_for("> ");
  terminal.type("\x03");
  EXPECT_EQ(deft.wait(), 130);
  EXPECT_EQ(text_of(deft.result("a"), "code"), "cancelled");
  terminal.wait_for("withdrawn");
}

TEST_F(ExecAskTerminal, WhoeverWritesTheInputCannotAnswer) {
  DeftExec deft(folder, setup());
  deft.bash("a", "touch x");
  terminal.wait_for("> ");
  deft.send_line(R"({"type":"permission","id":"perm_1","decision":"allow"})");
  deft.line("error");
  terminal.type("f\nno\n");
  EXPECT_EQ(text_of(deft.result("a"), "code"), "denied");
  EXPECT_EQ(deft.finish(), 0);
  EXPECT_FALSE(folder.bytes("x"));
}

TEST_F(ExecAskTerminal, WithoutATerminalItSaysSoAtTheStart) {
  const Finished refused = run_deft(folder, {.arguments = {"--ask", "terminal"}, .controlling_terminal = "/dev/null"});
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_NE(refused.errors.find("there is no terminal to ask at"), std::string::npos);
}

}  // namespace
}  // namespace deft::testing
