#pragma once

#include <string>

#include "deft/model/model.h"
#include "deft/model/offered_tools.h"

// Requests of OpenAI's chat completions, as text. Pure; the same conversation gives the same bytes, and a longer one
// begins with them.

namespace deft {

struct OpenAiChatDialect {
  bool own_models = false;  // the API of the makers, which has words that others do not know, and the other way round
  // The field in which thoughts go back with the calls that they led to; empty: they do not.
  std::string reasoning_field = {};
};

std::string openai_chat_tool(const OfferedTool& tool);
std::string openai_chat_body(const ModelRequest& request, const std::string& tools, const OpenAiChatDialect& dialect);

}  // namespace deft
