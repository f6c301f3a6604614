#pragma once

#include <string_view>

#include "deft/base/json.h"
#include "deft/core/rule_meaning.h"

namespace deft {

// What rules speak of in this call. Monitor watches a command, as Bash runs one, or listens to a WebSocket: then its
// host counts, as that of a page.
Subject subject_of_call(std::string_view tool, const Json* input);
// That part of its input; empty: there is none.
std::string_view subject_text(const Subject& subject, const Json* input);

// A rule of this tool, too, says whether the host may be listened to. Empty: none.
std::string_view tool_for_host(const Subject& subject);

}  // namespace deft
