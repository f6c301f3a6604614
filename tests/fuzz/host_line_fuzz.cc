// What a host writes: pieces of any size give the same lines, and every line is taken or refused.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "deft/base/check.h"
#include "deft/ui/host_line.h"

namespace {

std::vector<std::string> lines_of(std::string_view bytes, std::size_t piece) {
  deft::LineSplitter splitter(64);
  std::vector<std::string> lines;
  const auto take = [&](deft::Result<std::string_view> line) { lines.emplace_back(line ? *line : "too long"); };
  for (std::size_t at = 0; at < bytes.size(); at += piece) splitter.feed(bytes.substr(at, piece), take);
  splitter.finish(take);
  return lines;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  DEFT_CHECK(lines_of(bytes, 1) == lines_of(bytes, bytes.size() + 1));
  if (const auto line = deft::parse_host_line(bytes)) {
    if (const auto* message = std::get_if<deft::HostMessage>(&*line)) {
      // Whatever is said goes into the history: nothing there may look like the result of a call.
      for (const deft::Json& block : message->prompt.blocks) {
        DEFT_CHECK(deft::find_string(block, "type") != "tool_result");
      }
    }
  }
  return 0;
}
