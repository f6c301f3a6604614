// What a stranger's server says: definitions of tools, challenges, forms and configurations. Nothing crashes, and what
// is accepted keeps what it promises.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "deft/base/check.h"
#include "deft/config/mcp_settings.h"
#include "deft/mcp/elicitation.h"
#include "deft/mcp/oauth_metadata.h"
#include "deft/mcp/tool_definition.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace deft;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const OauthChallenge challenge = read_challenge({{"WWW-Authenticate", "Bearer " + std::string(text)}});
  (void)protected_resource_urls("https://a.example/mcp", challenge);
  const FormFields fields = form_decode(text);
  DEFT_CHECK(form_decode(form_encode(fields)) == fields);
  const McpToolName name = mcp_tool_names("server", {std::string(text)})[0];
  DEFT_CHECK(mcp_api_name(name).size() <= kMcpApiNameCharactersMax);
  DEFT_CHECK(means_mcp_tool(name.plain(), name));
  DEFT_CHECK(tamed_text(text, 100).size() <= 100);

  const auto json = parse_json(text);
  if (!json) return 0;
  if (const auto definition = read_tool_definition(*json)) {
    DEFT_CHECK(definition->input_schema.is_object());
    DEFT_CHECK(find_string(definition->input_schema, "type") == "object");
    DEFT_CHECK(definition->description.size() <= kMcpDescriptionBytesMax);
    DEFT_CHECK(flattened_schema(definition->input_schema) == definition->input_schema);
  }
  if (const auto elicitation = read_elicitation("server", *json); elicitation && !elicitation->is_url) {
    (void)filled_form(*elicitation, JsonObject{});
  }
  if (auto server = read_mcp_server("server", *json)) {
    expand_variables(*server, [](const std::string&) { return std::optional<std::string>("${A}"); });
  }
  (void)read_protected_resource(*json, "https://a.example/mcp");
  (void)read_authorization_server(*json, "https://as.example");
  return 0;
}
