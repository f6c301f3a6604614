#include "deft/mcp/elicitation.h"

#include "deft/base/text.h"
#include "deft/base/url.h"
#include "deft/core/schema.h"
#include "deft/mcp/tool_definition.h"

namespace deft {
namespace {

bool is_plain_field(const Json& field) {
  const auto type = find_string(field, "type");
  if (!type) return find(field, "enum") != nullptr || find(field, "oneOf") != nullptr;
  if (*type == "string" || *type == "number" || *type == "integer" || *type == "boolean") return true;
  if (*type != "array") return false;
  // Several of given choices.
  const Json* items = find(field, "items");
  return items != nullptr && (find(*items, "enum") != nullptr || find(*items, "anyOf") != nullptr);
}

Result<Json> read_schema(const Json& params) {
  const Json* schema = find(params, "requestedSchema");
  if (schema == nullptr || !schema->is_object()) return fail(Errc::invalid_input, "requestedSchema must be an object");
  const JsonObject* properties = find_object(*schema, "properties");
  if (properties == nullptr) return fail(Errc::invalid_input, "requestedSchema needs properties");
  if (properties->size() > kElicitationFieldsMax) {
    return fail(Errc::limit, "a form has at most " + std::to_string(kElicitationFieldsMax) + " fields");
  }
  for (const auto& [name, field] : *properties) {
    if (is_plain_field(field)) continue;
    return fail(Errc::invalid_input,
                "the field " + json_quote({name.data(), name.size()}) + " of requestedSchema is no plain value");
  }
  if (to_json(*schema).size() > kElicitationSchemaBytesMax) {
    return fail(Errc::limit, "requestedSchema is longer than " + human_bytes(kElicitationSchemaBytesMax));
  }
  return *schema;
}

}  // namespace

Result<McpElicitation> read_elicitation(std::string_view server, const Json& params) {
  McpElicitation out{.server = std::string(server)};
  const auto message = find_string(params, "message");
  if (!message) return fail(Errc::invalid_input, "message must be a string");
  out.message = tamed_text(*message, kElicitationMessageBytesMax);
  const std::string_view mode = find_string(params, "mode").value_or("form");
  if (mode == "url") {
    const auto url = find_string(params, "url");
    if (!url || !parse_web_url(*url)) return fail(Errc::invalid_input, "url must be a web address");
    out.is_url = true;
    if (tamed_text(*url, kElicitationUrlBytesMax) != *url) {
      return fail(Errc::invalid_input, "url is too long, or has characters that nobody can see");
    }
    out.url = *url;
    out.id = find_string(params, "elicitationId").value_or("");
    if (out.id.size() > kElicitationIdBytesMax) return fail(Errc::limit, "elicitationId is too long");
    return out;
  }
  if (mode != "form") return fail(Errc::invalid_input, "mode must be \"form\" or \"url\"");
  auto schema = read_schema(params);
  if (!schema) return std::unexpected(std::move(schema.error()));
  out.schema = *std::move(schema);
  return out;
}

Result<Json> filled_form(const McpElicitation& elicitation, const Json& content) {
  JsonObject filled = content.is_object() ? content.get_object() : JsonObject{};
  if (const JsonObject* properties = find_object(elicitation.schema, "properties")) {
    for (const auto& [name, field] : *properties) {
      const Json* fallback = find(field, "default");
      if (fallback != nullptr && !filled.contains(name)) filled[name] = *fallback;
    }
  }
  const auto schema = Schema::compile(elicitation.schema);
  if (!schema) return std::unexpected(schema.error());
  Json value(std::move(filled));
  const auto problems = schema->validate(value);
  if (!problems.empty()) return fail(Errc::invalid_input, input_validation_error(problems));
  return value;
}

}  // namespace deft
