#pragma once

#include <memory>

#include "deft/tools/tool.h"

namespace deft {

// One to four questions to the user, with options to choose from. They go the way of permission questions, so that
// every front end shows them; the answer is the same input with "answers" in it.
std::shared_ptr<Tool> make_ask_user_question_tool();

}  // namespace deft
