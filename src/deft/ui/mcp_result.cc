#include "deft/ui/mcp_result.h"

namespace deft {
namespace {

Json text_block(std::string_view text) { return JsonObject{{"type", "text"}, {"text", text}}; }

// A content block of the model's API in the words of MCP.
Json content_of(const Json& block) {
  const auto type = find_string(block, "type");
  const Json* source = find(block, "source");
  const auto data = source ? find_string(*source, "data") : std::nullopt;
  const auto media = source ? find_string(*source, "media_type") : std::nullopt;
  const bool is_base64 = source && find_string(*source, "type") == "base64";
  if (type == "image" && is_base64 && data && media) {
    return JsonObject{{"type", "image"}, {"data", *data}, {"mimeType", *media}};
  }
  if (type == "document" && is_base64 && data && media) {
    return JsonObject{{"type", "resource"},
                      {"resource", JsonObject{{"uri", "deft://document"}, {"mimeType", *media}, {"blob", *data}}}};
  }
  if (type == "text") return text_block(find_string(block, "text").value_or(""));
  return text_block(to_json(block));
}

// Whether a result's text says what this block says.
bool is_text(const Json& block) {
  const auto type = find_string(block, "type");
  if (type == "image" || type == "audio" || type == "resource_link") return false;
  const Json* resource = type == "resource" ? find(block, "resource") : nullptr;
  return !resource || !find(*resource, "blob");
}

struct Around {
  std::string_view before;
  std::string_view after;
};

// What was added to the text that a server's content was made into; nothing: it is not that text any more.
std::optional<Around> added_to(const McpContent& content, std::string_view text) {
  const std::size_t at = text.find(content.text);
  if (at == std::string_view::npos) return std::nullopt;
  return Around{text.substr(0, at), text.substr(at + content.text.size())};
}

}  // namespace

JsonArray mcp_content_of(const ToolResult& result) {
  JsonArray content;
  const auto add_text = [&](std::string_view text) {
    if (!text.empty()) content.push_back(text_block(text));
  };
  if (!result.mcp) {
    add_text(result.text);
    for (const Json& block : result.blocks) content.push_back(content_of(block));
  } else if (const auto added = added_to(*result.mcp, result.text)) {
    add_text(added->before);
    for (const Json& block : result.mcp->blocks) content.push_back(block);
    add_text(added->after);
  } else {
    add_text(result.text);
    for (const Json& block : result.mcp->blocks) {
      if (!is_text(block)) content.push_back(block);
    }
  }
  if (content.empty()) content.push_back(text_block(""));
  return content;
}

JsonArray mcp_resource_contents_of(const ToolResult& result, std::string_view uri) {
  JsonArray contents;
  for (const Json& block : mcp_content_of(result)) {
    if (const Json* resource = find(block, "resource")) {
      contents.push_back(*resource);
    } else if (const auto text = find_string(block, "text"); text && !text->empty()) {
      contents.push_back(JsonObject{{"uri", uri}, {"mimeType", "text/plain"}, {"text", *text}});
    }
  }
  return contents;
}

std::vector<std::string> resources_named_in(const McpContent& content) {
  std::vector<std::string> uris;
  for (const Json& block : content.blocks) {
    const Json* resource = find(block, "resource");
    const auto uri = find_string(resource ? *resource : block, "uri");
    if (uri && !uri->empty()) uris.emplace_back(*uri);
  }
  return uris;
}

}  // namespace deft
