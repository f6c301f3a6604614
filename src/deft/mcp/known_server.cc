#include "deft/mcp/known_server.h"

#include "deft/base/content_hash.h"
#include "deft/os/change_file.h"

namespace deft {
namespace {

constexpr std::size_t kHashCharacters = 16;

}  // namespace

std::string known_server_key(const McpServerSettings& server) {
  return server.name + " " + content_hash(server.entry).substr(0, kHashCharacters);
}

Result<void> accept_descriptions(const std::string& file, const McpServerSettings& server) {
  if (file.empty()) return {};  // nothing is remembered
  return change_file(file, [&](const std::string& text) -> Result<std::string> {
    auto json = parse_json(text);
    if (!json || !json->is_object()) return text;
    Json* known = json->get_object().if_contains(known_server_key(server));
    if (known != nullptr && known->is_object()) known->get_object().erase("tools");
    return to_json(*json) + "\n";
  });
}

}  // namespace deft
