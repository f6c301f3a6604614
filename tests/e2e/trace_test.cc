#include <gtest/gtest.h>

#include <csignal>
#include <filesystem>

#include "deft/testing/http_peer.h"
#include "deft/testing/places.h"
#include "deft_exec.h"
#include "deft_print.h"

// deft trace and deft demo: when everything happened.

namespace deft::testing {
namespace {

struct Ran {
  int exit_code = -1;
  std::string output;
};

Ran run(std::vector<std::string> argv, const TempFolder& folder) {
  argv.insert(argv.begin(), DEFT_PROGRAM);
  Program program({.argv = std::move(argv),
                   .environment = {"PATH=/usr/bin:/bin", "HOME=" + folder.path(), "LANG=C.UTF-8"},
                   .directory = folder.path()});
  program.close_input();
  Ran ran;
  while (const auto line = program.read_line()) ran.output += *line + "\n";
  ran.exit_code = program.wait();
  return ran;
}

bool holds(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

TEST(Telemetry, SpansOfRequestsNameTheServerOfTheModel) {
  const PrintPlace place;
  const ModelPeer model({anthropic_text("done")});
  const HttpPeer collector([](const PeerRequest&, PeerAnswer& answer) { answer.send(200, {}, "{}"); });
  const JsonObject settings{{"telemetry", JsonObject{{"otlpEndpoint", collector.url("")}}}};
  ASSERT_EQ(place.run(model, {"-p", "go", "--settings", to_json(settings)}).output, "done\n");
  std::string spans;
  for (const PeerRequest& request : collector.requests()) spans += request.body;
  EXPECT_TRUE(holds(spans, R"({"key":"server.address","value":{"stringValue":"127.0.0.1"}})")) << spans;
  const std::string url = model.url();
  const std::string port = url.substr(url.rfind(':') + 1);
  EXPECT_TRUE(holds(spans, R"({"key":"server.port","value":{"intValue":")" + port + R"("}})")) << port << spans;
}

TEST(Trace, DrawsASessionOfExecInEveryWay) {
  const TempFolder folder;
  folder.put("a.txt", "hello\n");
  DeftExec deft(folder, Arguments{"--permission-mode", "bypassPermissions", "--session", "session"});
  deft.read("t1", "a.txt");
  deft.bash("t2", "echo x > b.txt");
  deft.call("t3", "Nothing", {});
  EXPECT_EQ(deft.finish(), 0);

  const Ran ran = run({"trace", "./session", "-o", "p.svg", "-o", "p.html", "-o", "p.json", "-o", "-"}, folder);
  EXPECT_EQ(ran.exit_code, 0) << ran.output;
  EXPECT_TRUE(holds(ran.output, "Bash(echo x > b.txt)")) << ran.output;
  const std::string svg = *folder.bytes("p.svg");
  EXPECT_TRUE(holds(svg, "3 calls in ")) << svg;
  EXPECT_TRUE(holds(svg, "Read(a.txt)"));
  EXPECT_TRUE(holds(svg, "unknown_tool"));
  EXPECT_TRUE(holds(*folder.bytes("p.html"), "<svg "));
  const auto trace = parse_json(*folder.bytes("p.json"));
  ASSERT_TRUE(trace);
  std::size_t calls = 0;
  for (const Json& event : *find_array(*trace, "traceEvents")) {
    if (find_string(event, "cat") == "call") ++calls;
  }
  EXPECT_EQ(calls, 3U);
}

TEST(Trace, SaysWhatIsWrong) {
  const TempFolder folder;
  EXPECT_EQ(run({"trace", "./nowhere"}, folder).exit_code, 2);
  EXPECT_EQ(run({"trace", "--sideways"}, folder).exit_code, 2);
  EXPECT_EQ(run({"trace", "./session", "-o"}, folder).exit_code, 2);
}

// Of a run of the demo that is told to end when `line` has come: its exit code, and what it left in the temporary
// folder.
std::pair<int, std::vector<std::string>> interrupted_demo(std::string_view part, int signal) {
  const TempFolder folder;
  folder.put("tmp/keep", "");
  Program program({.argv = {DEFT_PROGRAM, "demo"},
                   .environment = {"PATH=/usr/bin:/bin", "HOME=" + folder.path(), "TMPDIR=" + folder / "tmp"},
                   .directory = folder.path()});
  program.close_input();
  while (const auto line = program.read_line()) {
    if (holds(*line, part)) break;
  }
  if (signal != 0) program.send_signal(signal);
  if (signal == 0) program.close_output();
  const int exit_code = program.wait();
  std::vector<std::string> left;
  for (const auto& entry : std::filesystem::directory_iterator(folder / "tmp")) left.push_back(entry.path().filename());
  return {exit_code, left};
}

TEST(Demo, LeavesNothingBehindWhoeverEndsIt) {
  const std::vector<std::string> nothing = {"keep"};
  EXPECT_EQ(interrupted_demo("you:", SIGINT), (std::pair{128 + SIGINT, nothing}));
  EXPECT_EQ(interrupted_demo("-> Bash(sleep", SIGTERM), (std::pair{128 + SIGTERM, nothing}));
  EXPECT_EQ(interrupted_demo("may it run", SIGINT), (std::pair{128 + SIGINT, nothing}));
  EXPECT_EQ(interrupted_demo("-> Read", 0), (std::pair{128 + SIGPIPE, nothing})) << "nobody reads any more";
}

TEST(Demo, RunsByItselfAndShowsWhenItHappened) {
  const TempFolder folder;
  const Ran ran = run({"demo", "--svg", "demo.svg"}, folder);
  EXPECT_EQ(ran.exit_code, 0) << ran.output;
  for (const char* part : {"3 tests have passed", "may it run Bash(sh test.sh)?", "stored; the model sees a preview",
                           "When it happened:", "the till adds again"}) {
    EXPECT_TRUE(holds(ran.output, part)) << part << "\n" << ran.output;
  }
  EXPECT_TRUE(holds(*folder.bytes("demo.svg"), "8 calls, 4 requests to the model"));
}

}  // namespace
}  // namespace deft::testing
