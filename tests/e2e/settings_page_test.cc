#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "deft/testing/places.h"
#include "deft/testing/run_command.h"
#include "deft_print.h"

namespace deft::testing {
namespace {

TEST(SettingsPage, IsWhatTheProgramPrints) {
  const CommandOutput printed = run_command({DEFT_PROGRAM, "config", "--markdown"}, "/", "deft");
  ASSERT_EQ(printed.exit_code, 0) << printed.errors;
  std::ostringstream page;
  page << std::ifstream(DEFT_SOURCE_DIR "/docs/settings.md").rdbuf();
  EXPECT_EQ(page.str(), printed.output) << "The table of settings has changed. Make the page anew, in the project's "
                                           "folder: build/release/deft config --markdown > docs/settings.md";
}

TEST(Config, MasksSecretsAndNamesMistypedKeys) {
  const PrintPlace place;
  place.home.put(".config/deft/settings.json",
                 R"({"env":{"MY_API_KEY":"hunter2hunter2"},"baseUrl":"http://me:s3cr3t@127.0.0.1/",
                     "telemetry":{"otlpHeaders":{"x-team":"of-the-collector"}},"durabilty":"disk"})");
  for (const Arguments& arguments : {Arguments{"config"}, Arguments{"config", "--json"}}) {
    const auto program = place.start("http://127.0.0.1:1", arguments);
    program->close_input();
    std::string output;
    while (const auto line = program->read_line()) output += *line + "\n";
    EXPECT_EQ(program->wait(), 1);
    for (const char* secret : {"hunter2", "s3cr3t", "of-the-collector"}) {
      EXPECT_EQ(output.find(secret), std::string::npos) << output;
    }
    EXPECT_NE(output.find("MY_API_KEY"), std::string::npos);
    EXPECT_NE(output.find("durability"), std::string::npos) << output;
  }
}

TEST(Print, SaysThatABudgetWithoutAPriceLimitsNothing) {
  const PrintPlace place;
  const ModelPeer model({anthropic_text("done"), anthropic_text("done")});
  const Finished unknown = place.run(model, {"-p", "go", "--model", "m1", "--max-budget-usd", "1"});
  EXPECT_EQ(unknown.output, "done\n");
  EXPECT_NE(unknown.errors.find("the price of m1 is not known"), std::string::npos) << unknown.errors;
  const Finished known = place.run(model, {"-p", "go", "--model", "m1", "--max-budget-usd", "1", "--settings",
                                           R"({"prices":{"m*":{"input":1,"output":1}}})"});
  EXPECT_EQ(known.errors.find("price"), std::string::npos) << known.errors;
}

}  // namespace
}  // namespace deft::testing
