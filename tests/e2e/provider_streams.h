#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace deft::testing {

// A message with two calls of Bash, t1 and t2, as one API streams it; cut where tests want to cut it.
struct StreamedCalls {
  std::string beginning;    // up to the input of t1
  std::string first_input;  // in two pieces, and what stands between them
  std::string first_end;    // t1 is known to be complete after this
  std::string rest;         // t2, and the end of the message

  std::string until_first() const { return beginning + first_input + first_end; }
  std::string whole() const { return until_first() + rest; }
};

struct CallFormat {
  std::string_view name;
  StreamedCalls (*stream)(std::string_view first_command, std::string_view second_command);
};

// Lines of JSON, Anthropic Messages, OpenAI chat completions, OpenAI Responses.
const std::vector<CallFormat>& call_formats();

}  // namespace deft::testing
