#include "deft/model/tool_references.h"

#include <gtest/gtest.h>

#include "deft/model/anthropic_request.h"

namespace deft {
namespace {

constexpr std::string_view kTools =
    R"([{"name":"Read","input_schema":{"default":{"defer_loading":true}}},{"name":"a_b","defer_loading":true},)"
    R"({"name":"c","defer_loading":true}])";

TEST(ToolReferences, ListedToolsEndWhereMarkedOnesBegin) {
  EXPECT_EQ(kTools.substr(0, end_of_listed(kTools)),
            R"([{"name":"Read","input_schema":{"default":{"defer_loading":true}}})");
  EXPECT_EQ(end_of_listed("[{}]"), 3U);
  EXPECT_EQ(deferred_names(kTools), (std::set<std::string, std::less<>>{"a_b", "c"}));
}

TEST(ToolReferences, AReferenceToAToolThatIsGoneBecomesAText) {
  const std::string content =
      R"([{"type":"tool_result","tool_use_id":"1","content":[{"type":"tool_reference","tool_name":"a.b"},)"
      R"({"type":"tool_reference","tool_name":"gone"}]},{"type":"text","text":"x"}])";
  EXPECT_EQ(with_known_references(content, {"a_b"}),
            R"([{"type":"tool_result","tool_use_id":"1","content":[{"type":"tool_reference","tool_name":"a_b"},)"
            R"({"type":"text","text":"The tool gone was loaded here."}]},{"type":"text","text":"x"}])");
  const std::string other = R"([{"type":"text","text":"\"type\":\"tool_reference\""}])";
  EXPECT_EQ(with_known_references(other, {}), other);
}

TEST(ToolReferences, WhatIsKeptByTheServerIsMarkedAfterTheListedTools) {
  const auto history = std::make_shared<History>(History{{Role::user, R"([{"type":"text","text":"hi"}])"}});
  KnownContents known;
  const std::string body = anthropic_body({.model = "m", .output_tokens_max = 1, .history = history},
                                          anthropic_preface(std::string(kTools), "", {}), {}, known);
  EXPECT_NE(body.find(R"("default":{"defer_loading":true}},"cache_control":{"type":"ephemeral"}},)"
                      R"({"name":"a_b","defer_loading":true},{"name":"c","defer_loading":true}])"),
            std::string::npos)
      << body;
}

}  // namespace
}  // namespace deft
