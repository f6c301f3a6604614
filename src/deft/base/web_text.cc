#include "deft/base/web_text.h"

#include <iconv.h>

#include <algorithm>
#include <array>
#include <cerrno>

#include "deft/base/text.h"
#include "deft/base/utf8.h"

namespace deft {
namespace {

constexpr std::size_t kMetaBytesMax = 4096;  // browsers look at 1024 first, and begin anew for a later one

struct Label {
  std::string_view names;
  Encoding encoding;
};
// As the WHATWG lists them, as far as we read what they mean; without "x-", "cs" and with "-" for "_".
constexpr Label kLabels[] = {
    {"utf-8 utf8 unicode-1-1-utf-8 unicode11utf8", Encoding::utf8},
    {"us-ascii ascii ansi-x3.4-1968 iso-8859-1 iso8859-1 iso88591 isolatin1 latin1 l1 cp819 ibm819 windows-1252 "
     "cp1252",
     Encoding::windows_1252},
    {"utf-16 utf-16le unicode ucs-2", Encoding::utf16_le},
    {"utf-16be unicodefffe", Encoding::utf16_be},
    {"shift-jis shiftjis sjis ms-kanji windows-31j", Encoding::shift_jis},
    {"euc-jp eucpkdfmtjapanese", Encoding::euc_jp},
    {"gb2312 gb-2312 gb-2312-80 gbk gb18030 chinese iso-ir-58 iso58gb231280", Encoding::gb18030},
    {"big5 big5-hkscs cn-big5 x-big5", Encoding::big5},
    {"euc-kr euckr ks-c-5601-1987 ks-c-5601-1989 ksc5601 ksc-5601 ksc56011987 korean windows-949", Encoding::euc_kr},
    {"windows-1251 cp1251", Encoding::windows_1251},
    {"koi8-r koi8-u koi8-ru koi koi8 koi8r", Encoding::koi8_r},
    {"iso-8859-5 iso8859-5 isolatincyrillic cyrillic", Encoding::iso_8859_5},
    {"ibm866 cp866 866", Encoding::ibm866},
    {"mac-cyrillic mac-ukrainian", Encoding::mac_cyrillic},
    {"iso-8859-2 iso8859-2 latin2 l2 isolatin2", Encoding::iso_8859_2},
    {"windows-1250 cp1250", Encoding::windows_1250},
    {"iso-8859-7 iso8859-7 greek greek8 isolatingreek", Encoding::iso_8859_7},
    {"windows-1253 cp1253", Encoding::windows_1253},
    {"iso-8859-9 iso8859-9 latin5 l5 isolatin5 windows-1254 cp1254", Encoding::windows_1254},
    {"windows-1255 cp1255 iso-8859-8 iso-8859-8-i logical hebrew", Encoding::windows_1255},
    {"windows-1256 cp1256", Encoding::windows_1256},
    {"tis-620 windows-874 iso-8859-11 dos-874", Encoding::tis_620},
};

// Those that the system's library reads for us. Not all that it knows: some of its decoders are seldom looked at.
struct LabelOfLibrary {
  std::string_view names;
  const char* charset;
};
constexpr LabelOfLibrary kLabelsOfLibrary[] = {
    {"iso-2022-jp iso2022jp", "ISO-2022-JP"},
    {"iso-8859-3 iso8859-3 latin3 l3", "ISO-8859-3"},
    {"iso-8859-4 iso8859-4 latin4 l4", "ISO-8859-4"},
    {"iso-8859-6 iso8859-6 arabic isolatinarabic asmo-708 ecma-114", "ISO-8859-6"},
    {"iso-8859-10 iso8859-10 latin6 l6", "ISO-8859-10"},
    {"iso-8859-13 iso8859-13", "ISO-8859-13"},
    {"iso-8859-14 iso8859-14", "ISO-8859-14"},
    {"iso-8859-15 iso8859-15 latin9 l9", "ISO-8859-15"},
    {"iso-8859-16", "ISO-8859-16"},
    {"windows-1257 cp1257", "CP1257"},
    {"windows-1258 cp1258", "CP1258"},
    {"macintosh mac mac-roman", "MACINTOSH"},
};

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

std::string plain_label(std::string_view label) {
  std::string name = lowered(label);
  std::ranges::replace(name, '_', '-');
  for (const std::string_view prefix : {"x-", "cs"}) {
    if (name.starts_with(prefix)) name.erase(0, prefix.size());
  }
  return name;
}

const char* charset_of_library(std::string_view label) {
  const std::string name = plain_label(label);
  for (const LabelOfLibrary& known : kLabelsOfLibrary) {
    if (is_among_words(name, known.names)) return known.charset;
  }
  return nullptr;
}

// Nothing: the library cannot do it here.
std::optional<std::string> decoded_by_library(std::string_view bytes, const char* charset) {
  const iconv_t decoder = ::iconv_open("UTF-8", charset);
  if (decoder == reinterpret_cast<iconv_t>(-1)) return std::nullopt;
  std::string out;
  std::string input(bytes);
  char* at = input.data();
  std::size_t left = input.size();
  while (left > 0) {
    std::array<char, 4096> piece{};
    char* to = piece.data();
    std::size_t room = piece.size();
    const bool failed = ::iconv(decoder, &at, &left, &to, &room) == static_cast<std::size_t>(-1);
    const int error = failed ? errno : 0;
    out.append(piece.data(), piece.size() - room);
    if (!failed || error == E2BIG) continue;
    append_utf8(out, 0xFFFD);
    if (error != EILSEQ) break;  // it ends within a character
    ++at;
    --left;
  }
  ::iconv_close(decoder);
  return to_valid_utf8(out);
}

}  // namespace

bool is_known_charset(std::string_view label) { return encoding_of_label(label) || charset_of_library(label); }

std::optional<Encoding> encoding_of_label(std::string_view label) {
  const std::string name = plain_label(label);
  for (const Label& known : kLabels) {
    if (is_among_words(name, known.names)) return known.encoding;
  }
  return std::nullopt;
}

std::string charset_in_html(std::string_view bytes) {
  const std::string head = lowered(bytes.substr(0, kMetaBytesMax));
  for (std::size_t at = 0; (at = head.find('<', at)) != std::string::npos; ++at) {
    const std::string_view rest = std::string_view(head).substr(at);
    if (rest.starts_with("<!--")) {
      at = head.find("-->", at + 4);
      if (at == std::string::npos) return {};
      continue;
    }
    if (!rest.starts_with("<meta")) continue;
    const std::string_view tag = rest.substr(0, rest.find('>'));
    std::size_t value = tag.find("charset");
    if (value == std::string_view::npos) continue;
    value = tag.find_first_not_of(" =\"'", value + 7);
    if (value == std::string_view::npos) continue;
    const std::string_view label = tag.substr(value, tag.find_first_of(" \"';/>", value) - value);
    // Whoever could read this so far does not read UTF-16.
    return label.starts_with("utf-16") ? "utf-8" : std::string(label);
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
  if (const char* said = charset_of_library(label)) {
    if (auto text = decoded_by_library(bytes, said)) return *std::move(text);
  }
  return decoded(bytes, detected ? detected->encoding : Encoding::windows_1252);
}

}  // namespace deft
