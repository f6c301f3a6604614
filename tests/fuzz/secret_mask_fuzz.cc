#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "deft/base/secret_mask.h"
#include "deft/core/timeline.h"

// Texts of strangers on their way into logs: what is known to be secret never comes through, whatever stands around it.
// And the lines of a timeline, which somebody else may have written into the session's folder.

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  static const std::string kSecret = "open-sesame-12345";
  static const deft::SecretMask mask({kSecret});
  const std::string masked = mask.masked(text);
  if (masked.find(kSecret) != std::string::npos) std::abort();
  const std::string around = mask.masked(std::string(text) + kSecret + std::string(text));
  if (around.find(kSecret) != std::string::npos) std::abort();
  deft::Timeline timeline;
  deft::add_timeline_line(timeline, text);
  deft::sort_timeline(timeline);
  for (const deft::TimelineCall& call : timeline.calls) {
    if (call.span.end_us < call.span.begin_us) std::abort();
  }
  return 0;
}
