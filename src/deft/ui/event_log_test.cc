#include "deft/ui/event_log.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <fstream>

#include "deft/testing/temp_folder.h"
#include "deft/testing/virtual_clock.h"

namespace deft {
namespace {

class Listener final : public Frontend {
 public:
  void show(Event event) override { heard.push_back(std::move(event)); }
  std::vector<Event> heard;
};

class EventLogTest : public ::testing::Test {
 protected:
  std::unique_ptr<EventLog> open(std::vector<std::string> secrets = {}) {
    auto log = EventLog::open(file(), listener, clock, SecretMask(std::move(secrets)));
    EXPECT_TRUE(log) << (log ? "" : log.error().message);
    return log ? std::move(*log) : nullptr;
  }
  std::string file() const { return folder / "events.jsonl"; }
  std::vector<Json> lines() const {
    std::vector<Json> out;
    std::ifstream in(file());
    for (std::string line; std::getline(in, line);) out.push_back(parse_json(line).value());
    return out;
  }

  const TempFolder folder;
  VirtualClock clock;
  Listener listener;
};

TEST_F(EventLogTest, EveryEventIsALineAndGoesOn) {
  auto log = open();
  log->show(Notice{"hello"});
  log->show(CallAnswered{.call_id = "c1", .tool = "Read", .result = {.text = "content"}});
  log.reset();  // everything is written
  const auto written = lines();
  ASSERT_EQ(written.size(), 2U);
  EXPECT_EQ(written[0].at("type"), "notice");
  EXPECT_EQ(written[0].at("text"), "hello");
  EXPECT_EQ(written[0].at("time_ms"), 3'600'000);
  EXPECT_EQ(written[1].at("type"), "result");
  EXPECT_EQ(written[1].at("tool_use_id"), "c1");
  EXPECT_EQ(listener.heard.size(), 2U);
}

TEST_F(EventLogTest, StagesAreOnlyPassedOnToThoseWhoWantThem) {
  auto log = open();
  EXPECT_TRUE(log->wants_stages());
  log->show(StageEnded{.call_id = "c1", .stage = "permission", .outcome = "allow"});
  log.reset();
  ASSERT_EQ(lines().size(), 1U);
  EXPECT_EQ(lines()[0].at("stage"), "permission");
  EXPECT_TRUE(listener.heard.empty());
}

TEST_F(EventLogTest, SecretsAreMaskedInTheFile) {
  auto log = open({"a-secret-of-this-process"});
  log->show(Notice{"the key is a-secret-of-this-process"});
  log->show(CallAnswered{.call_id = "c1",
                         .tool = "Bash",
                         .result = {.text = "Authorization: Bearer abcdefghijklmnopqrstuvwxyz0123456789"}});
  log.reset();
  std::string all;
  for (const Json& line : lines()) all += to_json(line);
  EXPECT_EQ(all.find("a-secret-of-this-process"), std::string::npos) << all;
  EXPECT_EQ(all.find("abcdefghijklmnopqrstuvwxyz0123456789"), std::string::npos) << all;
}

TEST_F(EventLogTest, ASecretAcrossTheEndOfALongTextIsMaskedToo) {
  auto log = open({"a-secret-of-this-process"});
  for (std::size_t shown = 1; shown < 24; ++shown) {
    log->show(Notice{std::string(2'000 - shown, 'x') + "a-secret-of-this-process and more"});
  }
  log.reset();
  ASSERT_EQ(lines().size(), 23U);
  for (const Json& line : lines()) {
    const std::string text(*find_string(line, "text"));
    EXPECT_EQ(text.find("a-secr"), std::string::npos) << text.substr(1'950);
    EXPECT_NE(text.find(" bytes more)"), std::string::npos);
  }
}

TEST_F(EventLogTest, AFileIsPrivateAndAppendedTo) {
  open()->show(Notice{"one"});
  open()->show(Notice{"two"});
  EXPECT_EQ(lines().size(), 2U);
  struct stat status{};
  ASSERT_EQ(::stat(file().c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777U, 0600U);
}

TEST_F(EventLogTest, AFileThatCannotBeWrittenIsAnErrorThatNamesIt) {
  const auto log = EventLog::open(folder / "no/such/folder", listener, clock, SecretMask());
  ASSERT_FALSE(log);
  EXPECT_NE(log.error().message.find("no/such/folder"), std::string::npos);
}

// The pipe is full and nobody reads: the log goes on taking events, counts what it leaves out, and ends.
TEST_F(EventLogTest, AReaderThatHasStoppedStallsNobodyNotEvenTheEnd) {
  ASSERT_EQ(::mkfifo(file().c_str(), 0600), 0);
  const UniqueFd reader(::open(file().c_str(), O_RDONLY | O_NONBLOCK));
  auto log = open();
  const std::string text(50'000, 'x');
  for (std::size_t i = 0; i < 2 * kEventBytesWaitingMax / text.size(); ++i) log->show(Notice{text});
  EXPECT_EQ(listener.heard.size(), 2 * kEventBytesWaitingMax / text.size());
  log.reset();
}

}  // namespace
}  // namespace deft
