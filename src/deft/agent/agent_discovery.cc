#include "deft/agent/agent.h"
#include "deft/core/message_content.h"

// The model is told the names of tools that are left out of its prompt, once, and then only what has changed: what it
// was told stays where it stands, so the provider's cache holds.

namespace deft {
namespace {

constexpr std::size_t kNamesCharactersMax = 40'000;  // in one reminder; the rest is found by keywords

std::string list_of(const std::vector<std::string>& names) {
  std::string text;
  std::size_t shown = 0;
  for (const std::string& name : names) {
    if (text.size() + name.size() > kNamesCharactersMax) break;
    text += name + "\n";
    ++shown;
  }
  if (shown < names.size()) text += "and " + std::to_string(names.size() - shown) + " more\n";
  return text;
}

}  // namespace

void Agent::announce_tools() {
  ToolDiscovery& tools = engine_->session().tools;
  const auto pool = executor().pool();
  std::vector<std::string> fresh, gone;
  for (const std::string& name : pool->deferred()) {
    if (!tools.announced.contains(name)) fresh.push_back(name);
  }
  for (const std::string& name : tools.announced) {
    if (!pool->is_deferred(name)) gone.push_back(name);
  }
  if (fresh.empty() && gone.empty()) return;
  std::string text = "<system-reminder>\n";
  if (!fresh.empty()) {
    text +=
        "These tools can be used too, but their definitions are not loaded. Load those that you need with ToolSearch "
        "before you call them:\n" +
        list_of(fresh);
  }
  if (!gone.empty()) text += "These tools are not available any more:\n" + list_of(gone);
  text += "</system-reminder>";
  tools.announced = pool->deferred();
  JsonArray names;
  for (const std::string& name : tools.announced) names.emplace_back(name);
  set_state(std::string(kAnnouncedToolsKey), std::move(names));
  add_user(content_of({text_block(text)}));
}

}  // namespace deft
