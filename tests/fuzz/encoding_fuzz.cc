// A file of any bytes, seen as text: every place of the text has its place in the bytes, and what was decoded without
// loss is encoded to the same bytes. So it is in every encoding that the bytes could be taken for.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "deft/base/check.h"
#include "deft/base/utf8.h"
#include "deft/core/file_text.h"

namespace {

// Every encoding, whatever the bytes look like. Where nothing is stray, they come back.
void check_each_encoding(std::string_view bytes) {
  for (int i = 0; i <= static_cast<int>(deft::Encoding::tis_620); ++i) {
    const auto encoding = static_cast<deft::Encoding>(i);
    std::string utf8;
    bool has_stray_bytes = false;
    for (std::string_view rest = bytes; !rest.empty();) {
      const deft::DecodedCharacter c = deft::decode_character(rest, encoding);
      DEFT_CHECK(c.bytes > 0 && c.bytes <= rest.size());
      has_stray_bytes = has_stray_bytes || c.is_stray;
      deft::append_utf8(utf8, c.code_point);
      rest.remove_prefix(c.bytes);
    }
    const auto encoded = deft::encode_text(utf8, encoding);
    DEFT_CHECK(has_stray_bytes || (encoded && *encoded == bytes));
  }
}

}  // namespace

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
  check_each_encoding(bytes);
  return 0;
}
