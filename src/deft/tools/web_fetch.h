#pragma once

#include <memory>

#include "deft/tools/tool.h"
#include "deft/tools/web_page.h"

namespace deft {

inline constexpr Duration kWebCacheTime = std::chrono::minutes(15);
inline constexpr std::size_t kWebCacheBytesMax = std::size_t{50} << 20;
inline constexpr std::size_t kWebResultCharactersMax = 50'000;
inline constexpr std::size_t kWebQuestionCharactersMax = 100'000;  // of a page that a small model is asked about

std::shared_ptr<Tool> make_web_fetch_tool(WebOptions options);

}  // namespace deft
