#include <cstddef>
#include <cstdint>
#include <string_view>

#include "deft/base/check.h"
#include "deft/config/agent_file.h"

// Agent files come with repositories of strangers: none gives bypass, and one that is not trusted loosens nothing.

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace deft;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  for (const bool trusted : {false, true}) {
    const auto file = read_agent_file(text, trusted);
    if (!file || !*file) continue;
    const AgentType& type = (*file)->type;
    DEFT_CHECK(!type.name.empty() && !type.description.empty());
    DEFT_CHECK(type.mode != Mode::bypass);
    DEFT_CHECK(trusted || !type.mode || *type.mode == Mode::plan || *type.mode == Mode::dont_ask);
  }
  if (const auto json = parse_json(text)) static_cast<void>(read_agents_object(*json));
  return 0;
}
