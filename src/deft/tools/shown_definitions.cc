#include "deft/tools/shown_definitions.h"

#include <utility>

namespace deft {

std::string description_of(const Tool& tool, const SessionState& session) {
  const auto own = tool.description_now(session);
  return own ? own->str() : tool.spec().description;
}

bool ShownDefinitions::update(const std::shared_ptr<const ToolPool>& pool, const SessionState& session) {
  Descriptions descriptions;
  descriptions.reserve(pool->advertised().size());
  for (const RegisteredTool& entry : pool->advertised()) {
    descriptions.push_back(entry.tool->description_now(session));
  }
  const bool is_same = pool == pool_ && session.tools.loaded == loaded_ && session.tools.listed == listed_ &&
                       descriptions == descriptions_;
  if (is_same) return false;
  text_ = pool->definitions(session);
  pool_ = pool;
  loaded_ = session.tools.loaded;
  listed_ = session.tools.listed;
  descriptions_ = std::move(descriptions);
  return true;
}

}  // namespace deft
