#pragma once

#include <chrono>
#include <memory>
#include <string>

#include "deft/base/clock.h"
#include "deft/model/credentials.h"
#include "deft/os/http_client.h"

namespace deft {

inline constexpr Duration kModelAnswerTimeout = std::chrono::minutes(10);
inline constexpr Duration kModelIdleTimeout = std::chrono::minutes(5);

// Where a model is reached, and how patient we are with it.
struct ModelEndpoint {
  std::string base_url;                                // without the API's own path
  std::shared_ptr<Credentials> credentials = nullptr;  // nothing: none are needed
  HttpHeaders headers = {};                            // what the user wants to be sent beside ours
  Duration answer_timeout = kModelAnswerTimeout;       // until an answer begins; for one that is not streamed, ends
  Duration idle_timeout = kModelIdleTimeout;           // of a stream: nothing comes, not even a ping
};

// Anthropic's base URLs end before the version, OpenAI's behind it; either is understood where it is clear.
// "https://h", "https://h/v1/" and "/messages" give https://h/v1/messages.
std::string anthropic_url(std::string_view base_url, std::string_view path);
// The same; but "https://h/api" and "/chat/completions" give https://h/api/chat/completions.
std::string openai_url(std::string_view base_url, std::string_view path);

}  // namespace deft
