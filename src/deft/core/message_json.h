#pragma once

#include <string>
#include <string_view>

#include "deft/base/result.h"
#include "deft/core/message.h"

// Messages as JSON: what `deft exec --dry-run` prints.

namespace deft {

// {"type":"message","content":[…],"stop_reason":…,"raw_stop_reason":…,"id":…,"model":…,"usage":…}, one line without its
// newline. Inputs are printed from their own text, so every digit survives. An invalid call has "input":null and
// beside it "invalid" (why) and "input_text" (what came).
std::string message_line(const Message& message);

// {"type":"error","code":…,"message":…}, and "provider_code" if the provider gave one.
std::string error_line(const Error& error, std::string_view provider_code = {});

// One content block as a JSON object.
std::string block_json(const Block& block);
// A call's, with other words for its id and name.
std::string call_json(std::string_view id, std::string_view name, std::string_view input_text, const JsonObject& extra);

}  // namespace deft
