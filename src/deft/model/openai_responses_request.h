#pragma once

#include <optional>
#include <string>

#include "deft/model/model.h"
#include "deft/model/offered_tools.h"
#include "deft/model/refused_content.h"

// Requests of OpenAI's Responses API, as text. Pure; the same conversation gives the same bytes, and a longer one
// begins with them. The server keeps nothing: every request carries the whole conversation.

namespace deft {

struct OpenAiResponsesDialect {
  bool own_models = false;  // the API of the makers
  bool effort = true;       // models that don't think know none
  bool sealed = true;       // thoughts come sealed, to be handed back: of the makers' own models, if they think
  RefusedUntil refused{};   // what is left out
};

// What a model's refusal teaches about how it wants to be asked. Nothing: this one does not.
std::optional<OpenAiResponsesDialect> taught_by(const ModelFailure& failure, const OpenAiResponsesDialect& dialect);

std::string openai_responses_tool(const OfferedTool& tool);
std::string openai_responses_body(const ModelRequest& request, const std::string& tools,
                                  const OpenAiResponsesDialect& dialect);

}  // namespace deft
