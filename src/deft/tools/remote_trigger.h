#pragma once

#include <memory>
#include <string>
#include <vector>

#include "deft/tools/tool.h"
#include "deft/tools/web_page.h"

namespace deft {

// A host that the user lets runs be started at.
struct RemoteTriggerTarget {
  std::string host;      // lower case
  std::string variable;  // where the token comes from, for people; empty: it needs none
  std::string token;     // secret; empty: there is none
};

// Starts a run elsewhere: one POST to a host of the settings, with its token. The token is in no input, result or
// error. Nothing without targets.
std::shared_ptr<Tool> make_remote_trigger_tool(WebOptions web, std::vector<RemoteTriggerTarget> targets);

}  // namespace deft
