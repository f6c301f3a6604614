#include <gtest/gtest.h>

#include <csignal>
#include <string>

#include "deft_print.h"

// `deft -p`: a prompt in, an answer out.

namespace deft::testing {
namespace {

const Arguments kPrompt = {"-p", "What is this?"};

StreamedCall bash(std::string id, std::string_view command) { return {std::move(id), "Bash", {{"command", command}}}; }

std::string last_text(const Json& body) {
  const JsonArray& messages = *find_array(body, "messages");
  const Json* content = find(messages.back(), "content");
  return to_json(*content);
}

TEST(Headless, PrintsTheModelsLastWord) {
  const PrintPlace place;
  const ModelPeer model({anthropic_text("A small project.")});
  const Finished run = place.run(model, kPrompt);
  EXPECT_EQ(run.exit_code, 0) << run.errors;
  EXPECT_EQ(run.output, "A small project.\n");
  EXPECT_EQ(run.errors, "");
  const Json body = model.bodies().at(0);
  EXPECT_NE(last_text(body).find("What is this?"), std::string::npos);
  EXPECT_EQ(text_of(body, "model"), "test-model");
}

TEST(Headless, WhatIsPipedInFollowsThePrompt) {
  const PrintPlace place;
  const ModelPeer model({anthropic_text("ok")});
  EXPECT_EQ(place.run(model, kPrompt, "piped text").exit_code, 0);
  EXPECT_NE(last_text(model.bodies().at(0)).find("What is this?\\n\\npiped text"), std::string::npos);
  EXPECT_EQ(place.run(model, {"-p"}, "only piped").exit_code, 0);
  EXPECT_NE(last_text(model.bodies().at(1)).find("only piped"), std::string::npos);
}

TEST(Headless, WithoutAnyPromptItSaysSo) {
  const PrintPlace place;
  const ModelPeer model({anthropic_text("ok")});
  const Finished run = place.run(model, {"-p"}, " \n");
  EXPECT_EQ(run.exit_code, 1);
  EXPECT_NE(run.errors.find("prompt is empty"), std::string::npos);
  EXPECT_EQ(model.requests(), 0U);
}

TEST(Headless, WhyItCannotBeginIsAResultForThoseWhoReadJson) {
  const PrintPlace place;
  const ModelPeer model({anthropic_text("ok")});
  const std::string too_much(10'000'001, 'a');
  for (const std::string_view input : {std::string_view(" \n"), std::string_view(too_much)}) {
    for (const Arguments& format : {Arguments{"--output-format", "json"}, kStreamJson}) {
      const Finished run = place.run(model, Arguments{"-p"} + format, input);
      EXPECT_EQ(run.exit_code, 1);
      const std::vector<Json> lines = json_lines(run.output);
      ASSERT_EQ(lines.size(), 1U) << run.output;
      EXPECT_EQ(text_of(lines[0], "subtype"), "error_during_execution");
      EXPECT_EQ(text_of(lines[0], "terminal_reason"), "turn_setup_failed");
    }
  }
  const Finished list = place.run(model, {"-p", "--output-format", "json", "--verbose"}, "");
  ASSERT_TRUE(parse_json(list.output)) << list.output;
  EXPECT_EQ(parse_json(list.output)->get_array().size(), 1U);
  EXPECT_EQ(model.requests(), 0U);
}

TEST(Headless, CallsRunAndTheirResultsGoBackToTheModel) {
  const PrintPlace place;
  const ModelPeer model({anthropic_calls({bash("t1", "echo from the shell")}), anthropic_text("done")});
  const Finished run = place.run(model, kPrompt);
  EXPECT_EQ(run.output, "done\n") << run.errors;
  EXPECT_NE(last_text(model.bodies().at(1)).find("from the shell"), std::string::npos);
}

TEST(Headless, TheJsonResultHasEveryField) {
  const PrintPlace place;
  const ModelPeer model(
      {anthropic_calls({bash("t1", "echo 1")}),
       anthropic_text("done", {{"input_tokens", 1'000'000}, {"cache_read_input_tokens", 2'000'000}})});
  const Finished run =
      place.run(model, kPrompt + Arguments{"--output-format", "json", "--settings",
                                           R"({"prices":{"test-*":{"input":3,"output":15,"contextWindow":200000}}})"});
  ASSERT_EQ(run.exit_code, 0) << run.errors;
  const Json result = json_lines(run.output).at(0);
  EXPECT_EQ(text_of(result, "type"), "result");
  EXPECT_EQ(text_of(result, "subtype"), "success");
  EXPECT_EQ(find_bool(result, "is_error"), false);
  EXPECT_EQ(text_of(result, "result"), "done");
  EXPECT_EQ(text_of(result, "stop_reason"), "end_turn");
  EXPECT_EQ(number_of(result, "num_turns"), 2);
  EXPECT_EQ(text_of(result, "terminal_reason"), "completed");
  EXPECT_TRUE(find_array(result, "permission_denials")->empty());
  for (const char* key : {"duration_ms", "duration_api_ms"}) EXPECT_TRUE(find_int(result, key)) << key;
  for (const char* key : {"uuid", "session_id"}) EXPECT_EQ(text_of(result, key).size(), 36U) << key;
  const Json& usage = *find(result, "usage");
  EXPECT_EQ(number_of(usage, "input_tokens"), 1'000'010);
  EXPECT_EQ(number_of(usage, "cache_read_input_tokens"), 2'000'000);
  EXPECT_EQ(number_of(usage, "output_tokens"), 10);
  const double cost = 3.00003 + 0.6 + 10 * 15e-6;
  EXPECT_NEAR(find_number(result, "total_cost_usd").value_or(0), cost, 1e-9);
  const Json& by_model = *find(*find(result, "modelUsage"), "test-model");
  EXPECT_EQ(number_of(by_model, "inputTokens"), 1'000'010);
  EXPECT_EQ(number_of(by_model, "outputTokens"), 10);
  EXPECT_EQ(number_of(by_model, "cacheReadInputTokens"), 2'000'000);
  EXPECT_EQ(number_of(by_model, "contextWindow"), 200'000);
  EXPECT_NEAR(find_number(by_model, "costUSD").value_or(0), cost, 1e-9);
}

TEST(Headless, StreamJsonHasALineForEverythingThatHappens) {
  const PrintPlace place;
  const ModelPeer model(
      {anthropic_calls({bash("t1", "echo 1"), bash("t2", "echo 2")}, "Let me see."), anthropic_text("done")});
  const std::vector<Json> all = place.lines(model, kPrompt);
  std::vector<Json> lines;
  std::vector<std::string> types;
  for (const Json& line : all) {
    EXPECT_EQ(text_of(line, "session_id"), text_of(all.at(0), "session_id"));
    EXPECT_EQ(text_of(line, "uuid").size(), 36U);
    if (text_of(line, "type") == "tool_progress") continue;
    types.push_back(text_of(line, "type"));
    lines.push_back(line);
  }
  EXPECT_EQ(types, (std::vector<std::string>{"system", "assistant", "assistant", "assistant", "user", "user",
                                             "assistant", "result"}));
  const Json& init = lines.at(0);
  EXPECT_EQ(text_of(init, "subtype"), "init");
  EXPECT_EQ(text_of(init, "cwd"), place.project.path());
  EXPECT_EQ(text_of(init, "model"), "test-model");
  EXPECT_EQ(text_of(init, "permissionMode"), "default");
  EXPECT_EQ(text_of(init, "apiKeySource"), "ANTHROPIC_API_KEY");
  EXPECT_FALSE(find_array(init, "tools")->empty());
  // One line for each block of a message, with the same id: the API's own.
  EXPECT_EQ(text_of(*find(lines.at(1), "message"), "id"), "msg_1");
  EXPECT_EQ(text_of(*find(lines.at(2), "message"), "id"), "msg_1");
  const std::vector<Json> results = blocks_of(lines, "tool_result");
  ASSERT_EQ(results.size(), 2U);
  EXPECT_EQ(text_of(results[0], "tool_use_id"), "t1");
  EXPECT_EQ(text_of(*find(lines.at(4), "tool_use_result"), "stdout"), "1");
}

TEST(Headless, PartialMessagesAreTheProvidersOwnEvents) {
  const PrintPlace place;
  const ModelPeer model({anthropic_text("done")});
  const std::vector<Json> events =
      of_type(place.lines(model, kPrompt + Arguments{"--include-partial-messages"}), "stream_event");
  ASSERT_GE(events.size(), 5U);
  EXPECT_EQ(text_of(*find(events.front(), "event"), "type"), "message_start");
  EXPECT_EQ(text_of(*find(events.back(), "event"), "type"), "message_stop");
}

TEST(Headless, WithVerboseTheJsonIsAListOfAllMessages) {
  const PrintPlace place;
  const ModelPeer model({anthropic_text("done")});
  const Finished run = place.run(model, kPrompt + Arguments{"--output-format", "json", "--verbose"});
  const Json all = json_lines(run.output).at(0);
  ASSERT_TRUE(all.is_array()) << run.output;
  EXPECT_EQ(text_of(all.get_array().front(), "subtype"), "init");
  EXPECT_EQ(text_of(all.get_array().back(), "type"), "result");
}

TEST(Headless, WhatWouldBeAskedIsDeniedAndListed) {
  const PrintPlace place;
  const ModelPeer model({anthropic_calls({bash("t1", "touch made")}), anthropic_text("could not")});
  const std::vector<Json> lines = place.lines(model, kPrompt);
  const Json result = of_type(lines, "result").at(0);
  EXPECT_EQ(find_bool(result, "is_error"), false);
  const JsonArray& denials = *find_array(result, "permission_denials");
  ASSERT_EQ(denials.size(), 1U);
  EXPECT_EQ(text_of(denials[0], "tool_name"), "Bash");
  EXPECT_EQ(text_of(denials[0], "tool_use_id"), "t1");
  EXPECT_EQ(text_of(*find(denials[0], "tool_input"), "command"), "touch made");
  EXPECT_EQ(of_type(lines, "system", "permission_denied").size(), 1U);
  EXPECT_FALSE(place.project.bytes("made"));
}

TEST(Headless, RulesOfTheCommandLineAllowAndDeny) {
  const PrintPlace place;
  const ModelPeer model({anthropic_calls({bash("t1", "touch made"), bash("t2", "echo no")}), anthropic_text("done")});
  EXPECT_EQ(
      place.run(model, kPrompt + Arguments{"--allowedTools", "Bash(touch *),Edit", "--disallowedTools", "Bash(echo *)"})
          .exit_code,
      0);
  EXPECT_TRUE(place.project.bytes("made"));
  EXPECT_NE(last_text(model.bodies().at(1)).find("denied"), std::string::npos);
}

TEST(Headless, OnlyTheToolsThatAreNamedAreOffered) {
  const PrintPlace place;
  const ModelPeer model({anthropic_text("done")});
  const auto offered = [&](const std::string& names) {
    place.run(model, kPrompt + Arguments{"--tools", names});
    std::vector<std::string> found;
    const Json body = model.bodies().back();
    if (const JsonArray* tools = find_array(body, "tools")) {
      for (const Json& tool : *tools) found.push_back(text_of(tool, "name"));
    }
    return found;
  };
  EXPECT_EQ(offered("Read,Grep"), (std::vector<std::string>{"Grep", "Read"}));
  EXPECT_EQ(offered(""), std::vector<std::string>{});
  EXPECT_GT(offered("default").size(), 5U);
}

TEST(Headless, TooManyTurnsAreAnError) {
  const PrintPlace place;
  const ModelPeer model(
      {anthropic_calls({bash("t1", "echo 1")}), anthropic_calls({bash("t2", "echo 2")}), anthropic_text("done")});
  const Finished run = place.run(model, kPrompt + kStreamJson + Arguments{"--max-turns", "2"});
  EXPECT_EQ(run.exit_code, 1);
  const Json result = of_type(json_lines(run.output), "result").at(0);
  EXPECT_EQ(text_of(result, "subtype"), "error_max_turns");
  EXPECT_EQ(text_of(result, "terminal_reason"), "max_turns");
  EXPECT_EQ(find(result, "result"), nullptr);
  EXPECT_EQ(find_array(result, "errors")->size(), 1U);
  EXPECT_EQ(model.requests(), 2U);
}

TEST(Headless, ABudgetEndsTheTurn) {
  const PrintPlace place;
  const ModelPeer model({anthropic_calls({bash("t1", "echo 1")}), anthropic_text("done")});
  const Finished run = place.run(model, kPrompt + kStreamJson +
                                            Arguments{"--max-budget-usd", "0.0001", "--settings",
                                                      R"({"prices":{"*":{"input":1000,"output":1000}}})"});
  EXPECT_EQ(run.exit_code, 1);
  EXPECT_EQ(text_of(of_type(json_lines(run.output), "result").at(0), "subtype"), "error_max_budget_usd");
  EXPECT_EQ(model.requests(), 1U);
}

TEST(Headless, ABudgetIsOfOneRunWhateverTheSessionHasCostBefore) {
  const PrintPlace place;
  const ModelPeer model({anthropic_text("first"), anthropic_text("second"), anthropic_calls({bash("t1", "echo 1")})});
  const auto run = [&](const Arguments& more) {
    return place.run(model, kPrompt + kStreamJson + more +
                                Arguments{"--settings", R"({"prices":{"*":{"input":1000,"output":1000}}})"});
  };
  const auto result_of = [](const Finished& done) { return of_type(json_lines(done.output), "result").at(0); };
  const Json first = result_of(run({}));
  const auto cost_in = [](const Json& result) { return find(result, "total_cost_usd")->to_number<double>(); };
  const double cost = cost_in(first);
  ASSERT_GT(cost, 0);

  const Finished second = run({"-c", "--max-budget-usd", std::to_string(cost / 2)});
  ASSERT_EQ(second.exit_code, 0) << second.output << second.errors;
  EXPECT_EQ(text_of(result_of(second), "session_id"), text_of(first, "session_id"));
  EXPECT_EQ(text_of(result_of(second), "result"), "second");
  EXPECT_DOUBLE_EQ(cost_in(result_of(second)), 2 * cost) << "of the whole session";

  const Finished third = run({"-c", "--max-budget-usd", std::to_string(cost / 2)});
  EXPECT_EQ(text_of(result_of(third), "subtype"), "error_max_budget_usd");
  EXPECT_EQ(model.requests(), 3U) << "the call was carried out, and that was all";
}

TEST(Headless, ARequestThatTheServerRefusesIsAnErrorResult) {
  const PrintPlace place;
  const ModelPeer model({ModelPeer::fails(
      400, R"({"type":"error","error":{"type":"invalid_request_error","message":"no such thing"}})")});
  const Finished run = place.run(model, kPrompt + Arguments{"--output-format", "json"});
  EXPECT_EQ(run.exit_code, 1);
  const Json result = json_lines(run.output).at(0);
  EXPECT_EQ(text_of(result, "subtype"), "success");
  EXPECT_EQ(find_bool(result, "is_error"), true);
  EXPECT_EQ(number_of(result, "api_error_status"), 400);
  EXPECT_EQ(text_of(result, "terminal_reason"), "api_error");
  EXPECT_NE(text_of(result, "result").find("no such thing"), std::string::npos);

  const Finished as_text = place.run(model, kPrompt);
  EXPECT_EQ(as_text.exit_code, 1);
  EXPECT_EQ(as_text.output, "");
  EXPECT_NE(as_text.errors.find("no such thing"), std::string::npos);
}

TEST(Headless, ASessionGoesOnWithTheSameWordsBeforeIt) {
  const PrintPlace place;
  place.project.put("CLAUDE.md", "Be brief.");
  const ModelPeer model({anthropic_text("first answer"), anthropic_text("second answer")});
  const Finished first = place.run(model, {"-p", "first question", "--output-format", "json"});
  ASSERT_EQ(first.exit_code, 0) << first.errors;
  place.project.put("CLAUDE.md", "Be wordy.");
  const std::string id = text_of(json_lines(first.output).at(0), "session_id");
  const Finished second = place.run(model, {"-p", "second question", "--resume", id, "--output-format", "json"});
  ASSERT_EQ(second.exit_code, 0) << second.errors;
  EXPECT_EQ(text_of(json_lines(second.output).at(0), "session_id"), id);
  const std::vector<Json> bodies = model.bodies();
  EXPECT_EQ(to_json(*find(bodies.at(0), "system")), to_json(*find(bodies.at(1), "system")));
  EXPECT_NE(to_json(*find(bodies.at(0), "system")).find("Be brief."), std::string::npos);
  const std::string messages = to_json(*find(bodies.at(1), "messages"));
  EXPECT_LT(messages.find("first question"), messages.find("first answer"));
  EXPECT_LT(messages.find("first answer"), messages.find("second question"));

  const Finished again = place.run(model, {"-p", "third question", "-c", "--output-format", "json"});
  EXPECT_EQ(text_of(json_lines(again.output).at(0), "session_id"), id);
  const Finished fork = place.run(model, {"-p", "on a fork", "-c", "--fork-session", "--output-format", "json"});
  EXPECT_NE(text_of(json_lines(fork.output).at(0), "session_id"), id);
}

TEST(Headless, ASessionThatGoesOnElsewhereIsToldWhereItIs) {
  const PrintPlace place;
  const TempFolder elsewhere;
  elsewhere.put("CLAUDE.md", "Be wordy.");
  const ModelPeer model({anthropic_text("first answer"), anthropic_text("second answer")});
  const Finished first = place.run(model, {"-p", "first question", "--output-format", "json"});
  ASSERT_EQ(first.exit_code, 0) << first.errors;
  const std::string id = text_of(json_lines(first.output).at(0), "session_id");
  for (int run = 0; run < 2; ++run) {
    const Finished second = place.run(model, {"-p", "next", "--resume", id, "--cwd", elsewhere.path()});
    ASSERT_EQ(second.exit_code, 0) << second.errors;
  }
  const std::vector<Json> bodies = model.bodies();
  const std::string system = to_json(*find(bodies.at(1), "system"));
  EXPECT_NE(system.find("Working directory: " + elsewhere.path()), std::string::npos) << system;
  EXPECT_EQ(system.find(place.project.path()), std::string::npos) << system;
  EXPECT_NE(system.find("Be wordy."), std::string::npos) << system;
  EXPECT_EQ(system, to_json(*find(bodies.at(2), "system")));
}

TEST(Headless, ASessionHasTheIdThatItWasGiven) {
  const PrintPlace place;
  const ModelPeer model({anthropic_text("ok")});
  const std::string id = "0b7e6bd2-6f07-4d0e-9c38-3f1f3c6a1c11";
  const Finished run = place.run(model, kPrompt + Arguments{"--output-format", "json", "--session-id", id});
  EXPECT_EQ(text_of(json_lines(run.output).at(0), "session_id"), id);
  const Finished twice = place.run(model, kPrompt + Arguments{"--session-id", id});
  EXPECT_EQ(twice.exit_code, 1);
}

TEST(Headless, ASessionThatNobodyKeepsLeavesNothing) {
  const PrintPlace place;
  const ModelPeer model({anthropic_text("ok")});
  EXPECT_EQ(place.run(model, kPrompt + Arguments{"--no-session-persistence"}).exit_code, 0);
  EXPECT_EQ(place.run(model, {"-p", "go on", "-c"}).exit_code, 1);
}

TEST(Headless, WordsOfTheCommandLineTakeThePlaceOfDeftsOwn) {
  const PrintPlace place;
  place.project.put("more.txt", "More from a file.");
  const ModelPeer model({anthropic_text("ok")});
  EXPECT_EQ(place
                .run(model, kPrompt + Arguments{"--system-prompt", "You are a parrot.", "--append-system-prompt-file",
                                                "more.txt"})
                .exit_code,
            0);
  const std::string system = to_json(*find(model.bodies().at(0), "system"));
  EXPECT_NE(system.find("You are a parrot."), std::string::npos);
  EXPECT_NE(system.find("More from a file."), std::string::npos);
  EXPECT_EQ(system.find("You are deft"), std::string::npos);
}

TEST(Headless, MemoryOfAFolderIsToldWithTheFirstFileThatIsReadThere) {
  const PrintPlace place;
  place.project.put("part/CLAUDE.md", "Here we count from one.");
  place.project.put("part/a.txt", "text of the file");
  const StreamedCall read{"t1", "Read", {{"file_path", "part/a.txt"}}};
  const StreamedCall again{"t2", "Read", {{"file_path", "part/a.txt"}}};
  const ModelPeer model({anthropic_calls({read}), anthropic_calls({again}), anthropic_text("done")});
  EXPECT_EQ(place.run(model, kPrompt).output, "done\n");
  const std::vector<Json> bodies = model.bodies();
  EXPECT_EQ(to_json(bodies.at(0)).find("count from one"), std::string::npos);
  const std::string told = last_text(bodies.at(1));
  EXPECT_LT(told.find("text of the file"), told.find("count from one"));
  EXPECT_EQ(last_text(bodies.at(2)).find("count from one"), std::string::npos);
}

TEST(Headless, MemoryThatTheSettingsExcludeReachesNobody) {
  const PrintPlace place;
  place.project.put("CLAUDE.md", "The root is excluded.");
  place.project.put("DEFT.md", "The other one stays.");
  place.project.put("part/CLAUDE.md", "The part is excluded.");
  place.project.put("part/DEFT.md", "The part of the other one stays.");
  place.project.put("part/a.txt", "text of the file");
  const StreamedCall read{"t1", "Read", {{"file_path", "part/a.txt"}}};
  const StreamedCall task{"t2", "Agent", {{"description", "look"}, {"prompt", "look"}}};
  const ModelPeer model(
      {anthropic_calls({read}), anthropic_calls({task}), anthropic_text("found"), anthropic_text("done")});
  const Finished run =
      place.run(model, kPrompt + Arguments{"--settings", R"json({"claudeMdExcludes":["**/CLAUDE.md"]})json",
                                           "--managed-settings", R"json({"claudeMd":"Of those who manage."})json"});
  EXPECT_EQ(run.output, "done\n") << run.errors;
  const std::vector<Json> bodies = model.bodies();
  ASSERT_EQ(bodies.size(), 4U);
  for (const Json& body : bodies) {
    EXPECT_EQ(to_json(body).find("is excluded"), std::string::npos) << to_json(body);
    EXPECT_NE(to_json(*find(body, "system")).find("The other one stays."), std::string::npos);
    EXPECT_NE(to_json(*find(body, "system")).find("Of those who manage."), std::string::npos);
  }
  EXPECT_NE(last_text(bodies.at(1)).find("The part of the other one stays."), std::string::npos);
  EXPECT_NE(to_json(bodies.at(2)).find("look"), std::string::npos);

  const Finished wrong = place.run(model, kPrompt + Arguments{"--settings", R"json({"claudeMdExcludes":"x"})json"});
  EXPECT_EQ(wrong.exit_code, 1);
  EXPECT_NE(wrong.errors.find("claudeMdExcludes must be a list of globs"), std::string::npos) << wrong.errors;
}

TEST(Headless, WhatWhoeverStartsItManagesCannotBeAllowedByOthers) {
  const PrintPlace place;
  const ModelPeer model({anthropic_calls({bash("t1", "touch made")}), anthropic_text("could not")});
  const char* const kManaged = R"json({"permissions":{"deny":["Bash(touch *)"]}})json";
  const Finished run = place.run(model, kPrompt + Arguments{"--managed-settings", kManaged, "--allowedTools", "Bash"});
  EXPECT_EQ(run.exit_code, 0) << run.errors;
  EXPECT_FALSE(place.project.bytes("made"));
}

TEST(Headless, AnInterruptEndsTheTurnAndEverythingInIt) {
  const PrintPlace place;
  const ModelPeer model({anthropic_calls({bash("t1", "touch begun; sleep 1000")}), anthropic_text("done")});
  const auto program =
      place.start(model.url(), kPrompt + kStreamJson + Arguments{"--permission-mode", "bypassPermissions"});
  program->close_input();
  std::vector<Json> lines;
  for (auto line = program->read_line(); line; line = program->read_line()) {
    lines.push_back(*parse_json(*line));
    if (!blocks_of({lines.back()}, "tool_use").empty()) {
      EXPECT_TRUE(eventually([&] { return place.project.bytes("begun").has_value(); }));
      program->send_signal(SIGINT);
    }
  }
  EXPECT_EQ(program->wait(), 130);
  const Json result = of_type(lines, "result").at(0);
  EXPECT_EQ(text_of(result, "subtype"), "error_during_execution");
  EXPECT_EQ(text_of(result, "terminal_reason"), "aborted_tools");
}

TEST(Headless, SigtermEndsInOrderWith143) {
  const PrintPlace place;
  const ModelPeer model({[](const PeerRequest&, PeerAnswer& answer) { answer.wait_until_gone(); }});
  const auto program = place.start(model.url(), kPrompt + kStreamJson);
  program->close_input();
  const auto init = program->read_line();
  ASSERT_TRUE(init);
  program->send_signal(SIGTERM);
  std::vector<Json> rest;
  while (const auto line = program->read_line()) rest.push_back(*parse_json(*line));
  EXPECT_EQ(program->wait(), 143);
  EXPECT_EQ(of_type(rest, "result").size(), 1U);
}

TEST(Headless, TheVersionBeginsWithTheOneThatSdksLookAt) {
  const PrintPlace place;
  const ModelPeer model({anthropic_text("ok")});
  for (const char* flag : {"-v", "--version"}) {
    const Finished run = place.run(model, {flag});
    EXPECT_EQ(run.exit_code, 0);
    EXPECT_GE(run.output.at(0), '2');
    EXPECT_NE(run.output.find("deft"), std::string::npos);
  }
}

TEST(Headless, TheHelpTellsTheOptionsAndShowsExamples) {
  const PrintPlace place;
  const ModelPeer model({anthropic_text("ok")});
  const Finished run = place.run(model, {"-p", "--help"});
  EXPECT_EQ(run.exit_code, 0);
  for (const char* word : {"--output-format", "--allowedTools", "--resume", "--json-schema", "Examples:"}) {
    EXPECT_NE(run.output.find(word), std::string::npos) << word;
  }
  EXPECT_NE(place.run(model, {"--help"}).output.find("deft -p"), std::string::npos);
}

struct Refused {
  std::string name;
  Arguments arguments;
  std::string named;
};
class HeadlessArguments : public ::testing::TestWithParam<Refused> {};

INSTANTIATE_TEST_SUITE_P(
    Refused, HeadlessArguments,
    ::testing::Values(Refused{"UnknownFlag", {"--faster"}, "--faster"}, Refused{"TwoPrompts", {"more"}, "quotes"},
                      Refused{"Format", {"--output-format", "xml"}, "--output-format"},
                      Refused{"PartialWithoutStream", {"--include-partial-messages"}, "stream-json"},
                      Refused{"Turns", {"--max-turns", "0"}, "--max-turns"},
                      Refused{"Budget", {"--max-budget-usd", "x"}, "--max-budget"},
                      Refused{"Mode", {"--permission-mode", "yolo"}, "--permission-mode"},
                      Refused{"Session", {"--session-id", "7"}, "--session-id"},
                      Refused{"ResumeNothing", {"--resume"}, "--resume"},
                      Refused{"NoSuchSession", {"-r", "no-such"}, "no-such"},
                      Refused{"Rule", {"--allowedTools", "Bash(oops"}, "Bash(oops"},
                      Refused{"Schema", {"--json-schema", "{"}, "--json-schema"},
                      Refused{"SchemaOfAList", {"--json-schema", R"({"type":"array"})"}, "object"},
                      Refused{"SettingsFile", {"--settings", "no-such.json"}, "no-such.json"},
                      Refused{"PromptFile", {"--system-prompt-file", "no-such.txt"}, "no-such.txt"},
                      Refused{"Effort", {"--effort", "huge"}, "--effort"},
                      Refused{"Folder", {"--add-dir", "/no/such/folder"}, "--add-dir"}),
    [](const auto& refused) { return refused.param.name; });

TEST_P(HeadlessArguments, AreRefusedWithOneAndAMessageThatNamesThem) {
  const PrintPlace place;
  const ModelPeer model({anthropic_text("ok")});
  const Finished run = place.run(model, kPrompt + GetParam().arguments);
  EXPECT_EQ(run.exit_code, 1);
  EXPECT_NE(run.errors.find(GetParam().named), std::string::npos) << run.errors;
  EXPECT_EQ(run.output, "");
  EXPECT_EQ(model.requests(), 0U);
}

// --- answers in a shape ---

const char* const kSchema = R"({"type":"object","properties":{"count":{"type":"integer"}},"required":["count"]})";

StreamedCall structured(std::string id, JsonObject input) {
  return {std::move(id), "StructuredOutput", std::move(input)};
}

TEST(HeadlessSchema, TheAnswerFitsOrIsAskedForAgain) {
  const PrintPlace place;
  const ModelPeer model({anthropic_calls({structured("t1", {{"count", "three"}})}), anthropic_text("It is three."),
                         anthropic_calls({structured("t2", {{"count", 3}})})});
  const Finished run = place.run(model, kPrompt + kStreamJson + Arguments{"--json-schema", kSchema});
  EXPECT_EQ(run.exit_code, 0) << run.errors;
  const Json result = of_type(json_lines(run.output), "result").at(0);
  EXPECT_EQ(text_of(result, "subtype"), "success");
  EXPECT_EQ(to_json(*find(result, "structured_output")), R"({"count":3})");
  const std::vector<Json> bodies = model.bodies();
  ASSERT_EQ(bodies.size(), 3U);
  EXPECT_NE(last_text(bodies[1]).find("InputValidationError"), std::string::npos);
  EXPECT_NE(last_text(bodies[2]).find("StructuredOutput"), std::string::npos);

  const ModelPeer again({anthropic_calls({structured("t1", {{"count", 7}})})});
  EXPECT_EQ(place.run(again, kPrompt + Arguments{"--json-schema", kSchema}).output, "{\"count\":7}\n");
}

TEST(HeadlessSchema, AModelThatNeverFitsIsGivenUpAfterFiveRetries) {
  const PrintPlace place;
  for (const bool calls : {true, false}) {
    std::size_t number = 0;
    const ModelPeer model({[&](const PeerRequest& request, PeerAnswer& answer) {
      const std::string id = "t" + std::to_string(++number);
      ModelPeer::streams(calls ? anthropic_calls({structured(id, {{"count", "many"}})}) : anthropic_text("many"))(
          request, answer);
    }});
    const Finished run = place.run(model, kPrompt + kStreamJson + Arguments{"--json-schema", kSchema});
    EXPECT_EQ(run.exit_code, 1);
    const Json result = of_type(json_lines(run.output), "result").at(0);
    EXPECT_EQ(text_of(result, "subtype"), "error_max_structured_output_retries");
    EXPECT_EQ(text_of(result, "terminal_reason"), "structured_output_retry_exhausted");
    EXPECT_EQ(model.requests(), 6U);
  }
}

}  // namespace
}  // namespace deft::testing
