#include "deft/mcp/http_headers.h"

#include <algorithm>
#include <cctype>
#include <utility>

#include "deft/base/base64.h"

namespace deft {
namespace {

constexpr std::string_view kAnnotation = "x-mcp-header";
constexpr std::string_view kMarkBegin = "=?base64?";
constexpr std::string_view kMarkEnd = "?=";

// A token of RFC 9110: what the name of a header consists of.
bool is_token(std::string_view text) {
  static constexpr std::string_view kMore = "!#$%&'*+-.^_`|~";
  return !text.empty() && std::ranges::all_of(text, [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || kMore.find(c) != std::string_view::npos;
  });
}

bool is_primitive(const Json& schema) {
  const auto type = find_string(schema, "type");
  return type && (*type == "string" || *type == "integer" || *type == "boolean");
}

std::string lower(std::string_view text) {
  std::string out(text);
  for (char& c : out) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return out;
}

}  // namespace

Result<std::vector<McpParamHeader>> param_headers(const Json& input_schema) {
  std::vector<McpParamHeader> out;
  std::vector<std::string> seen;
  const JsonObject* properties = find_object(input_schema, "properties");
  if (properties == nullptr) return out;
  for (const auto& [key, schema] : *properties) {
    const Json* annotation = find(schema, kAnnotation);
    if (annotation == nullptr) continue;
    const std::string argument(key.data(), key.size());
    const auto refuse = [&](std::string why) {
      return fail(Errc::invalid_input, "x-mcp-header of " + json_quote(argument) + " " + std::move(why));
    };
    const auto* name = annotation->if_string();
    if (name == nullptr || !is_token(view(*name))) return refuse("is not the name of a header");
    if (!is_primitive(schema)) return refuse("stands at a value that is no string, integer or boolean");
    std::string key_in_lower_case = lower(view(*name));
    if (std::ranges::find(seen, key_in_lower_case) != seen.end()) return refuse("stands twice");
    seen.push_back(std::move(key_in_lower_case));
    if (out.size() == kMcpParamHeadersMax) {
      return fail(Errc::limit, "more than " + std::to_string(kMcpParamHeadersMax) + " arguments have an x-mcp-header");
    }
    out.push_back({.argument = argument, .header = "Mcp-Param-" + std::string(view(*name))});
  }
  return out;
}

HttpHeaders param_header_values(const std::vector<McpParamHeader>& headers, const Json& arguments) {
  HttpHeaders out;
  for (const McpParamHeader& header : headers) {
    const Json* value = find(arguments, header.argument);
    if (value == nullptr || value->is_null()) continue;
    const auto* text = value->if_string();
    std::string shown = header_value(text != nullptr ? std::string(view(*text)) : to_json(*value));
    if (shown.size() <= kMcpHeaderValueBytesMax) out.emplace_back(header.header, std::move(shown));
  }
  return out;
}

HttpHeaders standard_headers(std::string_view method, const Json* params) {
  HttpHeaders out{{"Mcp-Method", std::string(method)}};
  if (params == nullptr) return out;
  std::string_view key;
  if (method == "tools/call" || method == "prompts/get") key = "name";
  if (method == "resources/read") key = "uri";
  if (method.starts_with("tasks/")) key = "taskId";
  if (key.empty()) return out;
  if (const auto name = find_string(*params, key)) out.emplace_back("Mcp-Name", header_value(*name));
  return out;
}

std::string header_value(std::string_view text) {
  const bool plain = std::ranges::all_of(text, [](char c) { return c >= ' ' && c <= '~'; }) &&
                     (text.empty() || (text.front() != ' ' && text.back() != ' ')) &&
                     !(text.starts_with(kMarkBegin) && text.ends_with(kMarkEnd));
  if (plain) return std::string(text);
  return std::string(kMarkBegin) + to_base64(text) + std::string(kMarkEnd);
}

}  // namespace deft
