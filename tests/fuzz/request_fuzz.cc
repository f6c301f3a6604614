// A conversation of any bytes, put into the words of every API: whatever the contents are, the request is JSON, and a
// conversation that goes on keeps the bytes that it had.
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "deft/base/check.h"
#include "deft/base/json.h"
#include "deft/core/message_content.h"
#include "deft/model/anthropic_request.h"
#include "deft/model/openai_chat_request.h"
#include "deft/model/openai_responses_request.h"

namespace {

using deft::Role;

deft::ModelRequest request_of(deft::History history) {
  return {.model = "m", .output_tokens_max = 1, .history = std::make_shared<deft::History>(std::move(history))};
}

void check(const deft::ModelRequest& request) {
  for (const bool own : {false, true}) {
    deft::KnownContents known;
    const std::string bodies[] = {
        deft::anthropic_body(request, {}, {.own_models = own}, known),
        deft::openai_chat_body(request, "",
                               {.own_models = own, .thoughts = deft::OpenAiChatDialect::Thoughts::required}),
        deft::openai_responses_body(request, "", {.own_models = own})};
    for (const std::string& body : bodies) DEFT_CHECK(deft::parse_json(body).has_value());
  }
}

}  // namespace

// The contents of messages, separated by zero bytes, the user's first; what is no list of blocks becomes a text.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string_view rest(reinterpret_cast<const char*>(data), size);
  deft::History history;
  while (!rest.empty() && history.size() < 8) {
    const std::size_t end = std::min(rest.find('\0'), rest.size());
    const std::string_view content = rest.substr(0, end);
    rest.remove_prefix(std::min(end + 1, rest.size()));
    const auto json = deft::parse_json(content);
    const bool is_content = json && json->is_array() && !json->get_array().empty();
    const Role role = history.size() % 2 == 0 ? Role::user : Role::assistant;
    std::string text = is_content ? deft::content_of(deft::new_message_blocks(json->get_array())) : std::string();
    if (text.empty()) text = "[" + deft::text_block("x" + std::string(content)) + "]";
    history.push_back({role, std::move(text)});
    check(request_of(history));
  }
  return 0;
}
