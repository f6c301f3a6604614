#include "deft/mcp/http_headers.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <set>
#include <utility>

#include "deft/base/base64.h"
#include "deft/base/text.h"

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

// Goes through a schema by everything in it that is a schema. An annotation counts where a chain of "properties" leads
// to it; anywhere else nobody could tell which argument it means, and the tool is not to be used.
class AnnotationReader {
 public:
  Result<void> read(const Json& schema, bool is_reachable) {
    if (!schema.is_object()) return {};
    if (auto noted = note(schema, is_reachable); !noted) return noted;
    if (const JsonObject* properties = find_object(schema, "properties")) {
      for (const auto& [key, inner] : *properties) {
        path_.emplace_back(key.data(), key.size());
        auto read_inner = read(inner, is_reachable);
        path_.pop_back();
        if (!read_inner) return read_inner;
      }
    }
    for (const std::string_view keyword : kSchemas) {
      const Json* inner = find(schema, keyword);
      if (inner == nullptr) continue;
      if (auto read_inner = read_unreachable(*inner); !read_inner) return read_inner;
    }
    for (const std::string_view keyword : kNamedSchemas) {
      const JsonObject* named = find_object(schema, keyword);
      if (named == nullptr) continue;
      for (const auto& [key, inner] : *named) {
        if (auto read_inner = read(inner, false); !read_inner) return read_inner;
      }
    }
    return {};
  }

  std::vector<McpParamHeader> take() && { return std::move(headers_); }

 private:
  // Keywords whose value is a schema, or a list of some.
  static constexpr std::array<std::string_view, 14> kSchemas = {"items",
                                                                "prefixItems",
                                                                "contains",
                                                                "additionalProperties",
                                                                "unevaluatedProperties",
                                                                "unevaluatedItems",
                                                                "propertyNames",
                                                                "oneOf",
                                                                "anyOf",
                                                                "allOf",
                                                                "not",
                                                                "if",
                                                                "then",
                                                                "else"};
  // Those whose value is an object of schemas.
  static constexpr std::array<std::string_view, 4> kNamedSchemas = {"patternProperties", "dependentSchemas", "$defs",
                                                                    "definitions"};

  Result<void> read_unreachable(const Json& schemas) {
    const JsonArray* list = schemas.if_array();
    if (list == nullptr) return read(schemas, false);
    for (const Json& schema : *list) {
      if (auto inner = read(schema, false); !inner) return inner;
    }
    return {};
  }

  Result<void> note(const Json& schema, bool is_reachable) {
    const Json* annotation = find(schema, kAnnotation);
    if (annotation == nullptr) return {};
    const auto refuse = [&](std::string why) {
      return fail(Errc::invalid_input, "x-mcp-header of " + json_quote(join(path_, ".")) + " " + std::move(why));
    };
    if (!is_reachable || path_.empty()) return refuse("stands where it means no argument");
    const auto* name = annotation->if_string();
    if (name == nullptr || !is_token(view(*name))) return refuse("is not the name of a header");
    if (!is_primitive(schema)) return refuse("stands at a value that is no string, integer or boolean");
    if (!seen_.insert(lower(view(*name))).second) return refuse("stands twice");
    if (headers_.size() == kMcpParamHeadersMax) {
      return fail(Errc::limit, "more than " + std::to_string(kMcpParamHeadersMax) + " arguments have an x-mcp-header");
    }
    headers_.push_back({.path = path_, .header = "Mcp-Param-" + std::string(view(*name))});
    return {};
  }

  std::vector<std::string> path_;
  std::vector<McpParamHeader> headers_;
  std::set<std::string> seen_;  // in lower case
};

}  // namespace

Result<std::vector<McpParamHeader>> param_headers(const Json& input_schema) {
  AnnotationReader reader;
  if (auto read = reader.read(input_schema, /*is_reachable=*/true); !read) return std::unexpected(read.error());
  return std::move(reader).take();
}

const Json* header_argument(const McpParamHeader& header, const Json& arguments) {
  const Json* value = &arguments;
  for (const std::string& key : header.path) {
    value = find(*value, key);
    if (value == nullptr) return nullptr;
  }
  return value->is_null() ? nullptr : value;
}

HttpHeaders param_header_values(const std::vector<McpParamHeader>& headers, const Json& arguments) {
  HttpHeaders out;
  for (const McpParamHeader& header : headers) {
    const Json* value = header_argument(header, arguments);
    if (value == nullptr || value->is_structured()) continue;  // what is no plain value is the schema's affair
    const auto* text = value->if_string();
    std::string shown = header_value(text != nullptr ? std::string(view(*text)) : to_json(*value));
    if (shown.size() <= kMcpHeaderValueBytesMax) out.emplace_back(header.header, std::move(shown));
  }
  return out;
}

bool is_named_by_task(std::string_view method) {
  return method == "tasks/get" || method == "tasks/update" || method == "tasks/cancel";
}

HttpHeaders standard_headers(std::string_view method, const Json* params) {
  HttpHeaders out{{"Mcp-Method", std::string(method)}};
  if (params == nullptr) return out;
  std::string_view key;
  if (method == "tools/call" || method == "prompts/get") key = "name";
  if (method == "resources/read") key = "uri";
  if (is_named_by_task(method)) key = "taskId";
  if (key.empty()) return out;
  if (const auto name = find_string(*params, key)) out.emplace_back("Mcp-Name", header_value(*name));
  return out;
}

std::string header_value(std::string_view text) {
  // A header without a value is lost on many a way.
  const bool plain = !text.empty() && std::ranges::all_of(text, [](char c) { return c >= ' ' && c <= '~'; }) &&
                     text.front() != ' ' && text.back() != ' ' &&
                     !(text.starts_with(kMarkBegin) && text.ends_with(kMarkEnd));
  if (plain) return std::string(text);
  return std::string(kMarkBegin) + to_base64(text) + std::string(kMarkEnd);
}

}  // namespace deft
