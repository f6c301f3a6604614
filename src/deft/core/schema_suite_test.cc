#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "deft/core/schema.h"

// The official tests of JSON Schema, as Debian packages them.

namespace deft {
namespace {

constexpr const char* kSuite = "/usr/share/perl5/auto/share/dist/Test-JSON-Schema-Acceptance/tests";
constexpr const char* kPackage = "the official tests are missing: apt-get install libtest-json-schema-acceptance-perl";

// These need a document that the suite's own web server would serve; we never fetch one.
bool needs_remote_document(std::string_view file, std::string_view group) {
  if (file == "refRemote.json") return true;
  for (const std::string_view remote : {"strict-tree schema, guards against misspelled properties",
                                        "tests for implementation dynamic anchor and reference link",
                                        "$ref and $dynamicAnchor are independent of order - $defs first",
                                        "$ref and $dynamicAnchor are independent of order - $ref first",
                                        "schema that uses custom metaschema with with no validation vocabulary",
                                        "ignore unrecognized optional vocabulary"}) {
    if (group == remote) return true;
  }
  return false;
}

struct Tally {
  int run = 0;
  int left_out = 0;
  int failed = 0;
};

void run_group(const std::string& file, const Json& group, std::string_view draft_uri, Tally& tally) {
  const std::string name = file + ": " + std::string(*find_string(group, "description"));
  const JsonArray& tests = *find_array(group, "tests");
  if (needs_remote_document(file, *find_string(group, "description"))) {
    tally.left_out += static_cast<int>(tests.size());
    // What we do instead of fetching: such a schema cannot be used, and the message says why.
    const auto refused = Schema::compile(*find(group, "schema"));
    EXPECT_FALSE(refused) << name;
    return;
  }
  Json document = *find(group, "schema");
  if (document.is_object() && !find(document, "$schema")) document.get_object()["$schema"] = std::string(draft_uri);
  const auto schema = Schema::compile(document);
  for (const Json& test : tests) {
    ++tally.run;
    const bool expected = *find_bool(test, "valid");
    const Json& data = *find(test, "data");
    const bool fits = schema && schema->accepts(data);
    const bool explained = schema && schema->validate(data).empty() == fits;
    if (schema && fits == expected && explained) continue;
    ++tally.failed;
    ADD_FAILURE() << name << ": " << *find_string(test, "description")
                  << (schema ? "" : "\n  " + schema.error().message);
  }
}

Tally run_draft(const std::string& folder, std::string_view draft_uri) {
  Tally tally;
  const std::filesystem::path path = std::filesystem::path(kSuite) / folder;
  if (!std::filesystem::is_directory(path)) {
    ADD_FAILURE() << kPackage;
    return tally;
  }
  for (const auto& entry : std::filesystem::directory_iterator(path)) {  // not into optional/
    if (entry.path().extension() != ".json") continue;
    std::ostringstream text;
    text << std::ifstream(entry.path()).rdbuf();
    const auto groups = parse_json(text.str());
    if (!groups) {
      ADD_FAILURE() << entry.path() << ": " << groups.error().message;
      continue;
    }
    for (const Json& group : groups->get_array()) run_group(entry.path().filename(), group, draft_uri, tally);
  }
  return tally;
}

TEST(SchemaSuite, EveryRequiredTestOfDraft2020Passes) {
  const Tally tally = run_draft("draft2020-12", "https://json-schema.org/draft/2020-12/schema");
  EXPECT_EQ(tally.failed, 0);
  EXPECT_GT(tally.run, 1100);
  EXPECT_LT(tally.left_out, 60);
}

TEST(SchemaSuite, EveryRequiredTestOfDraft7Passes) {
  const Tally tally = run_draft("draft7", "http://json-schema.org/draft-07/schema#");
  EXPECT_EQ(tally.failed, 0);
  EXPECT_GT(tally.run, 800);
  EXPECT_LT(tally.left_out, 40);
}

}  // namespace
}  // namespace deft
