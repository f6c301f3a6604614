#include "deft/base/web_text.h"

#include <algorithm>
#include <array>

#include "deft/base/utf8.h"

namespace deft {
namespace {

constexpr std::size_t kMetaBytesMax = 1024;

struct Label {
  std::string_view name;
  Encoding encoding;
};
constexpr std::array<Label, 44> kLabels = {{
    {"utf-8", Encoding::utf8},
    {"utf8", Encoding::utf8},
    {"us-ascii", Encoding::windows_1252},
    {"ascii", Encoding::windows_1252},
    {"iso-8859-1", Encoding::windows_1252},
    {"iso8859-1", Encoding::windows_1252},
    {"latin1", Encoding::windows_1252},
    {"windows-1252", Encoding::windows_1252},
    {"cp1252", Encoding::windows_1252},
    {"iso-8859-15", Encoding::windows_1252},
    {"utf-16", Encoding::utf16_le},
    {"utf-16le", Encoding::utf16_le},
    {"utf-16be", Encoding::utf16_be},
    {"shift_jis", Encoding::shift_jis},
    {"shift-jis", Encoding::shift_jis},
    {"sjis", Encoding::shift_jis},
    {"windows-31j", Encoding::shift_jis},
    {"euc-jp", Encoding::euc_jp},
    {"gb2312", Encoding::gb18030},
    {"gbk", Encoding::gb18030},
    {"gb18030", Encoding::gb18030},
    {"big5", Encoding::big5},
    {"big5-hkscs", Encoding::big5},
    {"euc-kr", Encoding::euc_kr},
    {"ks_c_5601-1987", Encoding::euc_kr},
    {"windows-1251", Encoding::windows_1251},
    {"cp1251", Encoding::windows_1251},
    {"koi8-r", Encoding::koi8_r},
    {"koi8-u", Encoding::koi8_r},
    {"iso-8859-5", Encoding::iso_8859_5},
    {"ibm866", Encoding::ibm866},
    {"cp866", Encoding::ibm866},
    {"x-mac-cyrillic", Encoding::mac_cyrillic},
    {"iso-8859-2", Encoding::iso_8859_2},
    {"latin2", Encoding::iso_8859_2},
    {"windows-1250", Encoding::windows_1250},
    {"iso-8859-7", Encoding::iso_8859_7},
    {"windows-1253", Encoding::windows_1253},
    {"iso-8859-9", Encoding::windows_1254},
    {"windows-1254", Encoding::windows_1254},
    {"windows-1255", Encoding::windows_1255},
    {"windows-1256", Encoding::windows_1256},
    {"tis-620", Encoding::tis_620},
    {"windows-874", Encoding::tis_620},
}};

std::string lowered(std::string_view text) {
  std::string out(text);
  std::ranges::transform(out, out.begin(),
                         [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
  return out;
}

std::string decoded(std::string_view bytes, Encoding encoding) {
  if (encoding == Encoding::utf8) return to_valid_utf8(bytes);
  std::string out;
  out.reserve(bytes.size() + bytes.size() / 2);
  while (!bytes.empty()) {
    const DecodedCharacter character = decode_character(bytes, encoding);
    append_utf8(out, character.code_point);
    bytes.remove_prefix(std::min(character.bytes, bytes.size()));
  }
  return out;
}

}  // namespace

std::optional<Encoding> encoding_of_label(std::string_view label) {
  const std::string name = lowered(label);
  const auto* found = std::ranges::find(kLabels, name, &Label::name);
  return found == kLabels.end() ? std::nullopt : std::optional(found->encoding);
}

std::string charset_in_html(std::string_view bytes) {
  const std::string head = lowered(bytes.substr(0, kMetaBytesMax));
  for (std::size_t at = 0; (at = head.find("<meta", at)) != std::string::npos; ++at) {
    const std::string tag = head.substr(at, head.find('>', at) - at);
    std::size_t value = tag.find("charset");
    if (value == std::string::npos) continue;
    value = tag.find_first_not_of(" =\"'", value + 7);
    if (value == std::string::npos) continue;
    return tag.substr(value, tag.find_first_of(" \"';/>", value) - value);
  }
  return {};
}

std::string web_text(std::string_view bytes, std::string_view label) {
  const auto detected = detect_encoding(bytes);
  if (detected && detected->has_mark) {
    bytes.remove_prefix(byte_order_mark(*detected).size());
    return decoded(bytes, detected->encoding);
  }
  if (const auto said = encoding_of_label(label)) return decoded(bytes, *said);
  return decoded(bytes, detected ? detected->encoding : Encoding::windows_1252);
}

}  // namespace deft
