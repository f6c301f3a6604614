#include "deft/mcp/content.h"

#include <algorithm>
#include <array>
#include <utility>

#include "deft/base/base64.h"
#include "deft/base/text.h"
#include "deft/base/utf8.h"
#include "deft/core/image_info.h"
#include "deft/os/output_folder.h"
#include "deft/tools/image_block.h"
#include "deft/tools/shown_image.h"

namespace deft {
namespace {

constexpr std::size_t kShownUriCharacters = 500;
constexpr std::size_t kShownNameCharacters = 200;

std::string extension_of(std::string_view mime) {
  struct Kind {
    std::string_view mime;
    std::string_view extension;
  };
  static constexpr std::array<Kind, 9> kKinds = {{{"application/pdf", ".pdf"},
                                                  {"audio/mpeg", ".mp3"},
                                                  {"audio/wav", ".wav"},
                                                  {"audio/ogg", ".ogg"},
                                                  {"image/png", ".png"},
                                                  {"image/jpeg", ".jpg"},
                                                  {"image/svg+xml", ".svg"},
                                                  {"application/json", ".json"},
                                                  {"application/zip", ".zip"}}};
  for (const Kind& kind : kKinds) {
    if (kind.mime == mime) return std::string(kind.extension);
  }
  return ".bin";
}

// Collects what the blocks of one result say.
class ContentReader {
 public:
  ContentReader(std::string_view server, ToolIo& io) : server_(server), io_(io) {}

  void read(const JsonArray& content) {
    std::size_t count = 0;
    for (const Json& block : content) {
      if (++count > kMcpContentBlocksMax) {
        add_text("[" + std::to_string(content.size() - kMcpContentBlocksMax) + " more blocks are left out]");
        return;
      }
      read_block(block);
    }
  }

  void read_resource(const Json& resource) {
    const std::string uri = one_line(find_string(resource, "uri").value_or(""), kShownUriCharacters);
    if (const auto text = find_string(resource, "text")) {
      add_text("[resource " + uri + "]\n" + to_valid_utf8(*text));
      note({{"type", "resource"}, {"uri", uri}, {"text", to_valid_utf8(*text)}});
    } else if (const auto blob = find_string(resource, "blob")) {
      const std::string mime(find_string(resource, "mimeType").value_or("application/octet-stream"));
      read_data(*blob, mime, "resource " + uri);
    } else {
      add_text("[resource " + uri + ": empty]");
    }
  }

  void add_text(std::string text) {
    if (!text_.empty()) text_ += '\n';
    text_ += std::move(text);
  }

  ToolResult take() && {
    ToolResult out{.text = std::move(text_), .blocks = std::move(blocks_)};
    out.details = JsonObject{{"content", std::move(shown_)}};
    return out;
  }
  bool is_empty() const { return text_.empty() && blocks_.empty(); }

 private:
  void note(JsonObject block) { shown_.push_back(std::move(block)); }

  void read_block(const Json& block) {
    const std::string_view type = find_string(block, "type").value_or("");
    if (type == "text") {
      std::string text = to_valid_utf8(find_string(block, "text").value_or(""));
      note({{"type", "text"}, {"text", text}});
      add_text(std::move(text));
    } else if (type == "image" || type == "audio") {
      read_data(find_string(block, "data").value_or(""), std::string(find_string(block, "mimeType").value_or("")),
                std::string(type));
    } else if (type == "resource_link") {
      read_link(block);
    } else if (type == "resource") {
      const Json* resource = find(block, "resource");
      if (resource != nullptr) read_resource(*resource);
    } else {
      add_text("[content of the unknown kind " + json_quote(type.substr(0, 50)) + " is left out]");
    }
  }

  void read_link(const Json& block) {
    const std::string uri = one_line(find_string(block, "uri").value_or(""), kShownUriCharacters);
    const std::string name = one_line(find_string(block, "name").value_or(""), kShownNameCharacters);
    const std::string about = one_line(find_string(block, "description").value_or(""), kShownNameCharacters);
    add_text("[link to the resource " + uri + (name.empty() ? "" : " (" + name + ")") +
             (about.empty() ? "" : ": " + about) + "; ReadMcpResourceTool reads it from the server " + server_ + "]");
    note({{"type", "resource_link"}, {"uri", uri}, {"name", name}});
  }

  // Pictures are shown by what they are, whatever the server calls them.
  void read_data(std::string_view base64, const std::string& given_mime, const std::string& what) {
    const std::string mime = one_line(given_mime, 100);
    auto bytes = from_base64(base64);
    if (!bytes) {
      add_text("[" + what + ": its data is not base64]");
      return;
    }
    note({{"type", "data"}, {"what", what}, {"mimeType", mime}, {"bytes", bytes->size()}});
    const std::string size = human_bytes(bytes->size());
    if (io_.wants_mcp_content) {
      add_text("[" + what + ", " + mime + ", " + size + "]");
      return;
    }
    if (const auto info = image_info(*bytes); info && blocks_.size() < kMcpImagesShownMax) {
      auto image = shown_image(*bytes, *info, what, io_);
      if (image) {
        blocks_.push_back(image_block(image->info.media_type, to_base64(image->bytes)));
        return;
      }
    }
    if (!io_.outputs) {
      add_text("[" + what + ", " + mime + ", " + size + ": cannot be shown]");
      return;
    }
    const auto kept = io_.outputs->keep(io_.call_id, extension_of(mime), *bytes);
    add_text("[" + what + ", " + mime + ", " + size +
             (kept ? ": saved as " + kept->path : ": could not be saved, " + kept.error().message) + "]");
  }

  const std::string server_;
  ToolIo& io_;
  std::string text_;
  JsonArray blocks_;
  JsonArray shown_;  // for hooks and hosts: without the data
};

// For a client that speaks MCP itself; as much of it as others would be shown.
void keep_content(const JsonArray& blocks, std::string_view server, const ToolIo& io, ToolResult& out) {
  if (!io.wants_mcp_content || blocks.empty()) return;
  const auto count = std::min(blocks.size(), kMcpContentBlocksMax);
  out.mcp = McpContent{
      .server = std::string(server), .blocks = JsonArray(blocks.begin(), blocks.begin() + count), .text = out.text};
}

}  // namespace

ToolResult mcp_tool_result(const Json& result, std::string_view server, const Schema* output_schema, ToolIo& io) {
  ContentReader reader(server, io);
  if (const JsonArray* content = find_array(result, "content")) reader.read(*content);
  const Json* structured = find(result, "structuredContent");
  const bool is_error = find_bool(result, "isError").value_or(false);
  if (reader.is_empty() && structured != nullptr) reader.add_text(to_json(*structured));
  const bool is_empty = reader.is_empty();
  ToolResult out = std::move(reader).take();
  if (structured != nullptr) out.details.get_object()["structuredContent"] = *structured;
  if (const Json* meta = find(result, "_meta")) out.meta_text = to_json(*meta);
  if (const JsonArray* content = find_array(result, "content")) keep_content(*content, server, io, out);
  if (is_error) {
    out.error = Errc::failed;
    if (is_empty) out.text = "The tool failed and said nothing.";
    return out;
  }
  if (output_schema != nullptr) {
    if (structured == nullptr) {
      out.error = Errc::failed;
      out.text = "The server " + std::string(server) +
                 " gave no structured content although its tool declares an output schema." +
                 (out.text.empty() ? "" : "\n" + out.text);
    } else if (const auto problems = output_schema->validate(*structured); !problems.empty()) {
      out.error = Errc::failed;
      out.text = "The structured content of the server " + std::string(server) +
                 " does not fit the output schema of its tool: " + problems[0].path + " must be " +
                 problems[0].expected + ", not " + problems[0].got + (out.text.empty() ? "" : "\n" + out.text);
    }
    return out;
  }
  if (is_empty) out.text = "(no output)";
  return out;
}

ToolResult mcp_resource_result(const Json& result, std::string_view server, std::string_view uri, ToolIo& io) {
  ContentReader reader(server, io);
  JsonArray blocks;
  if (const JsonArray* contents = find_array(result, "contents")) {
    std::size_t count = 0;
    for (const Json& content : *contents) {
      if (++count > kMcpContentBlocksMax) break;
      reader.read_resource(content);
      if (io.wants_mcp_content) blocks.push_back(JsonObject{{"type", "resource"}, {"resource", content}});
    }
  }
  if (reader.is_empty()) {
    reader.add_text("The resource " + one_line(uri, kShownUriCharacters) + " is empty.");
  }
  ToolResult out = std::move(reader).take();
  if (const Json* meta = find(result, "_meta")) out.meta_text = to_json(*meta);
  keep_content(blocks, server, io, out);
  return out;
}

}  // namespace deft
