#include "deft/tools/tool_search.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "deft/base/text.h"
#include "deft/core/search_tools.h"
#include "deft/tools/registry.h"

namespace deft {
namespace {

constexpr std::size_t kFoundToolsDefault = 5;
constexpr std::size_t kFoundToolsMax = 50;
constexpr std::size_t kQueryCharactersMax = 4'000;

struct Found {
  std::vector<std::string> names;
  std::vector<std::string> missing;  // of select:
};

std::string lower(std::string text) {
  for (char& c : text) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return text;
}

void add_once(std::vector<std::string>& names, const std::string& name) {
  if (std::ranges::find(names, name) == names.end()) names.push_back(name);
}

Found select(const std::vector<std::string>& wanted, const ToolPool& pool) {
  Found found;
  for (const std::string& name : wanted) {
    const RegisteredTool* entry = pool.find(name);
    if (!entry) {
      // Models write names from memory.
      const auto same = std::ranges::find_if(pool.advertised(), [&](const RegisteredTool& other) {
        return lower(other.tool->spec().name) == lower(name);
      });
      if (same != pool.advertised().end()) entry = &*same;
    }
    const bool usable = entry && std::ranges::any_of(pool.advertised(), [&](const RegisteredTool& other) {
                          return other.tool == entry->tool;
                        });
    if (usable) {
      add_once(found.names, entry->tool->spec().name);
    } else {
      add_once(found.missing, name);
    }
  }
  return found;
}

Found search(const ToolQuery& query, const ToolPool& pool, std::size_t count) {
  std::vector<SearchableTool> tools;
  for (const RegisteredTool& entry : pool.advertised()) {
    const ToolSpec& spec = entry.tool->spec();
    if (pool.is_deferred(spec.name)) tools.push_back({spec.name, spec.search_hint, spec.description});
  }
  Found found;
  for (const std::size_t index : search_tools(query, tools, count)) found.names.emplace_back(tools[index].name);
  return found;
}

std::string text_of(const Found& found, std::size_t deferred) {
  std::string text;
  if (!found.names.empty()) {
    text = "Loaded: " + join(found.names, ", ") + ". Their definitions are among your tools from your next message on.";
  }
  if (!found.missing.empty()) {
    text += (text.empty() ? "" : "\n") + std::string("No such tool: ") + one_line(join(found.missing, ", "), 1'000) +
            ". Search with keywords instead.";
  }
  if (text.empty()) {
    text = "No tool matches, of " + std::to_string(deferred) + " that are not loaded. Try fewer or other words.";
  }
  return text;
}

JsonArray array_of(const std::vector<std::string>& names) {
  JsonArray array;
  for (const std::string& name : names) array.emplace_back(name);
  return array;
}

class ToolSearchTool final : public Tool {
 public:
  const ToolSpec& spec() const override { return spec_; }
  bool is_read_only(const Json&, const SessionView&) const override { return true; }
  bool is_session_only(const Json&) const override { return true; }
  std::optional<Footprint> footprint(const Json&, const SessionView&) const override { return Footprint::nothing(); }

  Result<ToolResult> run(const Json& input, ToolIo& io) override {
    if (!io.pool) return fail(Errc::failed, "There are no tools to search here.");
    const std::string query_text(find_string(input, "query").value_or(""));
    const ToolQuery query = parse_tool_query(query_text);
    const auto count = static_cast<std::size_t>(
        find_int(input, "max_results").value_or(static_cast<std::int64_t>(kFoundToolsDefault)));
    const Found found = query.names.empty() ? search(query, *io.pool, count) : select(query.names, *io.pool);
    ToolResult result{.details = JsonObject{{"query", query_text},
                                            {"matches", array_of(found.names)},
                                            {"total_deferred_tools", io.pool->deferred().size()}}};
    std::vector<std::string> loaded;
    for (const std::string& name : found.names) {
      if (io.pool->is_deferred(name)) loaded.push_back(name);
    }
    // The API itself puts the definition where it is referred to; a text beside it would only repeat that.
    const bool refers = io.pool->defers_by_reference() && found.missing.empty() && !loaded.empty();
    if (io.pool->defers_by_reference()) {
      for (const std::string& name : loaded) {
        result.blocks.push_back(JsonObject{{"type", "tool_reference"}, {"tool_name", name}});
      }
    }
    if (!refers) result.text = text_of(found, io.pool->deferred().size());
    if (!loaded.empty()) result.modifiers.emplace_back(ToolsLoaded{std::move(loaded)});
    return result;
  }

 private:
  const ToolSpec spec_{
      .name = "ToolSearch",
      .description =
          "Loads tools that you know by name only. There are more tools than you see definitions of; their names stand "
          "in a reminder. Ask in one of three ways: \"select:Name,Other\" loads exactly these; \"notebook jupyter\" "
          "finds tools by words, best first; \"+slack send\" does too, but the first word must be in the name. What is "
          "found can be called from your next message on.",
      .input_schema =
          JsonObject{{"type", "object"},
                     {"properties",
                      {{"query",
                        {{"type", "string"},
                         {"minLength", 1},
                         {"maxLength", kQueryCharactersMax},
                         {"description", "\"select:\" and names, or words; a word with + must be in the name."}}},
                       {"max_results",
                        {{"type", "integer"},
                         {"minimum", 1},
                         {"maximum", kFoundToolsMax},
                         {"description", "At most this many are loaded, 5 unless you say more."}}}}},
                     {"required", {"query"}},
                     {"additionalProperties", false}},
      .search_hint = "find load more tools",
      .always_load = true,
      .finds_tools = true};
};

}  // namespace

std::shared_ptr<Tool> make_tool_search_tool() { return std::make_shared<ToolSearchTool>(); }

}  // namespace deft
