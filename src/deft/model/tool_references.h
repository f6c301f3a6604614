#pragma once

#include <cstddef>
#include <set>
#include <string>
#include <string_view>

// Tools that the API loads itself, where a result refers to them (Anthropic's `defer_loading` and `tool_reference`).
// Pure text work on requests that are already in the words of the API.

namespace deft {

// Where the definitions end that the model sees from the beginning, in `tools`, an array: those that are marked with
// defer_loading follow, and where the server shall keep what it has read cannot be marked among them.
std::size_t end_of_listed(std::string_view tools);
// The names of those that are marked.
std::set<std::string, std::less<>> deferred_names(std::string_view tools);

// Whether it may hold references at all.
bool has_references(std::string_view content);
// The content of a message of the user's, in which a reference to a tool that is not among `known` is a text instead:
// the API refuses a request with such a reference, and servers come and go. Bytes that need no change stay as they are.
std::string with_known_references(std::string_view content, const std::set<std::string, std::less<>>& known);

}  // namespace deft
