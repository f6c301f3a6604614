#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "deft/model/model.h"
#include "deft/model/offered_tools.h"
#include "deft/model/refused_content.h"

// Requests of OpenAI's chat completions, as text. Pure; the same conversation gives the same bytes, and a longer one
// begins with them.

namespace deft {

struct OpenAiChatDialect {
  bool own_models = false;   // the API of the makers, which has words that others do not know, and the other way round
  bool usage_option = true;  // stream_options: without it most servers do not tell what a stream has cost
  bool completion_tokens = false;  // the limit's newer name, which newer models of the makers' want wherever they are
  bool effort = true;              // some models know none, or not with tools
  // Thoughts, with the calls that they led to.
  enum class Thoughts : std::uint8_t {
    as_they_came,  // in the field in which the server sent them, if that is one that is meant to come back
    required,      // always: some servers refuse calls without
    never,
  };
  Thoughts thoughts = Thoughts::as_they_came;
  RefusedUntil refused{};  // what is left out
};

// What a server's refusal teaches about how it wants to be asked. Nothing: this one does not.
std::optional<OpenAiChatDialect> taught_by(const ModelFailure& failure, const OpenAiChatDialect& dialect);

std::string openai_chat_tool(const OfferedTool& tool);
std::string openai_chat_body(const ModelRequest& request, const std::string& tools, const OpenAiChatDialect& dialect);

}  // namespace deft
