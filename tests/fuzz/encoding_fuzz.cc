// A file of any bytes, seen as text: every place of the text has its place in the bytes, and what was decoded without
// loss is encoded to the same bytes.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "deft/base/check.h"
#include "deft/base/utf8.h"
#include "deft/core/file_text.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  for (const auto line_ends : {deft::FileText::LineEnds::folded, deft::FileText::LineEnds::exact}) {
    const auto file = deft::FileText::of(bytes, line_ends);
    if (!file) continue;
    const std::string_view text = file->text();
    DEFT_CHECK(deft::is_utf8(text));
    std::vector<std::size_t> starts;
    for (std::size_t i = 0; i < text.size(); i += deft::utf8_sequence_length(text.substr(i))) starts.push_back(i);
    starts.push_back(text.size());
    const auto places = file->byte_offsets(starts);
    for (std::size_t i = 1; i < places.size(); ++i) DEFT_CHECK(places[i] > places[i - 1]);
    DEFT_CHECK(places.back() == bytes.size());
    if (line_ends == deft::FileText::LineEnds::folded || file->has_stray_bytes()) continue;
    const auto encoded = file->encode(text, deft::LineEnd::lf);
    DEFT_CHECK(encoded && std::string(deft::byte_order_mark(file->encoding())) + *encoded == bytes);
  }
  return 0;
}
