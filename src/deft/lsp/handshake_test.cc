#include "deft/lsp/handshake.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace deft::lsp {
namespace {

Json json(std::string_view text) { return parse_json(text).value(); }

LanguageServerSpec spec_with(std::string_view settings) {
  LanguageServerSpec spec{.name = "x", .programs = {"x"}};
  spec.settings = json(settings);
  return spec;
}

TEST(LspHandshake, TheServerIsToldWhereTheProjectIsAndThatWeChangeNothing) {
  LanguageServerSpec spec = spec_with("null");
  spec.initialization_options = json(R"({"fast":true})");
  const Json params = initialize_params(spec, "/p/a b");
  EXPECT_EQ(find_string(params, "rootUri"), "file:///p/a%20b");
  ASSERT_TRUE(find(params, "processId"));
  EXPECT_TRUE(find(params, "processId")->is_null()) << "a server that may signal nobody would take us for dead";
  EXPECT_EQ(to_json(params.at("workspaceFolders")), R"([{"uri":"file:///p/a%20b","name":"a b"}])");
  EXPECT_EQ(to_json(params.at("initializationOptions")), R"({"fast":true})");
  EXPECT_EQ(find_bool(params.at("capabilities").at("workspace"), "applyEdit"), false);
  EXPECT_EQ(to_json(params.at("capabilities").at("general").at("positionEncodings")), R"(["utf-8","utf-16","utf-32"])");
}

TEST(LspHandshake, WhatAServerDidNotSayItCannot) {
  const ServerAbilities nothing = read_abilities(json("{}"));
  EXPECT_FALSE(nothing.definition || nothing.hover || nothing.call_hierarchy || nothing.pulls_diagnostics);
  EXPECT_EQ(nothing.unit, ColumnUnit::utf16) << "what the protocol has always meant";
  EXPECT_FALSE(read_abilities(json("[1]")).definition);
  const ServerAbilities some = read_abilities(json(
      R"({"capabilities":{"definitionProvider":true,"hoverProvider":{"workDoneProgress":true},
          "referencesProvider":false,"positionEncoding":"utf-8","diagnosticProvider":{"interFileDependencies":true},
          "textDocumentSync":{"openClose":true,"change":2,"save":{"includeText":true}}},
          "serverInfo":{"name":"x","version":"1.2"}})"));
  EXPECT_TRUE(some.definition && some.hover && some.pulls_diagnostics && some.wants_saves && some.wants_saved_text);
  EXPECT_FALSE(some.references || some.implementation);
  EXPECT_EQ(some.unit, ColumnUnit::utf8);
  EXPECT_EQ(some.name, "x 1.2");
  EXPECT_EQ(read_abilities(json(R"({"offsetEncoding":"utf-8"})")).unit, ColumnUnit::utf8) << "as older clangds say it";
}

TEST(LspHandshake, AnAbilityMayComeLaterAndGoAgain) {
  ServerAbilities abilities;
  const Json later = json(R"({"registrations":[{"id":"1","method":"textDocument/hover"},{"method":3},7]})");
  register_abilities(abilities, later);
  EXPECT_TRUE(abilities.hover);
  EXPECT_FALSE(abilities.watches_files);
  register_abilities(abilities, json(R"({"registrations":[{"id":"2","method":"workspace/didChangeWatchedFiles"}]})"));
  EXPECT_TRUE(abilities.watches_files);
  unregister_abilities(abilities, json(R"({"unregisterations":[{"id":"1","method":"textDocument/hover"}]})"));
  EXPECT_FALSE(abilities.hover);
}

TEST(LspHandshake, AnAbilityThatIsRegisteredAnewStaysWhenTheOldRegistrationGoes) {
  ServerAbilities abilities;
  register_abilities(abilities, json(R"({"registrations":[{"id":"1","method":"textDocument/diagnostic"}]})"));
  register_abilities(abilities, json(R"({"registrations":[{"id":"2","method":"textDocument/diagnostic"}]})"));
  unregister_abilities(abilities, json(R"({"unregisterations":[{"id":"1","method":"textDocument/diagnostic"}]})"));
  EXPECT_TRUE(abilities.pulls_diagnostics);
  unregister_abilities(abilities, json(R"({"unregistrations":[{"id":"2"},{"id":"unknown"},3]})"));
  EXPECT_FALSE(abilities.pulls_diagnostics);
}

TEST(LspHandshake, AServerThatAsksForItsConfigurationGetsWhatTheSettingsSay) {
  const LanguageServerSpec spec = spec_with(R"({"python":{"analysis":{"mode":"strict"}}})");
  const Json params =
      json(R"({"items":[{"section":"python.analysis"},{"section":"other"},{},{"section":"python.x.y"}]})");
  EXPECT_EQ(to_json(answer_server("workspace/configuration", params, spec, "/p").value()),
            R"([{"mode":"strict"},null,{"python":{"analysis":{"mode":"strict"}}},null])");
  EXPECT_EQ(to_json(answer_server("workspace/configuration", nullptr, spec, "/p").value()), "[]");
}

TEST(LspHandshake, AServerChangesNoFilesAndUnknownRequestsAreRefused) {
  const LanguageServerSpec spec = spec_with("null");
  EXPECT_EQ(find_bool(answer_server("workspace/applyEdit", json(R"({"edit":{}})"), spec, "/p").value(), "applied"),
            false);
  EXPECT_TRUE(answer_server("client/registerCapability", json("{}"), spec, "/p").value().is_null());
  EXPECT_TRUE(answer_server("window/workDoneProgress/create", json("{}"), spec, "/p").value().is_null());
  EXPECT_EQ(answer_server("window/runProgram", nullptr, spec, "/p").error().code, kRpcMethodNotFound);
}

}  // namespace
}  // namespace deft::lsp
