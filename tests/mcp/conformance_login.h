#pragma once

#include <memory>
#include <string>

#include "deft/base/clock.h"
#include "deft/base/json.h"
#include "deft/mcp/authorizer.h"

namespace deft {

// Who the conformance client is: logs in by OAuth, as a user would who agrees to everything without looking.
std::unique_ptr<McpAuthorizer> make_conformance_login(HttpClient& http, const Clock& clock, std::string url,
                                                      std::string scenario, const Json& context);

}  // namespace deft
