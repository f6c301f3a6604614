#include "deft/base/legacy_encoding.h"

#include <dlfcn.h>

#include <algorithm>
#include <array>
#include <mutex>
#include <string>

namespace deft {

namespace {

// Two letters with accents are no evidence; the more an encoding is like Latin-1, the more of them it takes.
constexpr std::size_t kFewBytes = 4;
constexpr std::size_t kMoreBytes = 8;

struct Legacy {
  Encoding encoding;
  std::string_view name;
  const char* iconv_name;
  std::array<std::string_view, 2> uchardet_names;  // the second may be empty
  std::size_t bytes_min;                           // beyond ASCII
};

// Where one encoding contains another, the larger one stands for both: the bytes mean the same.
constexpr std::array<Legacy, 18> kLegacy = {{
    {Encoding::shift_jis, "Shift_JIS", "CP932", {"SHIFT_JIS", "CP932"}, kFewBytes},
    {Encoding::euc_jp, "EUC-JP", "EUC-JP", {"EUC-JP", ""}, kFewBytes},
    {Encoding::gb18030, "GB18030", "GB18030", {"GB18030", "GB2312"}, kFewBytes},
    {Encoding::big5, "Big5", "BIG5", {"BIG5", ""}, kFewBytes},
    {Encoding::euc_kr, "EUC-KR", "UHC", {"UHC", "EUC-KR"}, kFewBytes},
    {Encoding::windows_1251, "Windows-1251", "CP1251", {"WINDOWS-1251", ""}, kFewBytes},
    {Encoding::koi8_r, "KOI8-R", "KOI8-R", {"KOI8-R", ""}, kFewBytes},
    {Encoding::iso_8859_5, "ISO-8859-5", "ISO-8859-5", {"ISO-8859-5", ""}, kFewBytes},
    {Encoding::ibm866, "IBM866", "CP866", {"IBM866", ""}, kFewBytes},
    {Encoding::mac_cyrillic, "Mac Cyrillic", "MAC-CYRILLIC", {"MAC-CYRILLIC", ""}, kFewBytes},
    {Encoding::iso_8859_2, "ISO-8859-2", "ISO-8859-2", {"ISO-8859-2", ""}, kMoreBytes},
    {Encoding::windows_1250, "Windows-1250", "CP1250", {"WINDOWS-1250", ""}, kMoreBytes},
    {Encoding::iso_8859_7, "ISO-8859-7", "ISO-8859-7", {"ISO-8859-7", ""}, kFewBytes},
    {Encoding::windows_1253, "Windows-1253", "CP1253", {"WINDOWS-1253", ""}, kFewBytes},
    {Encoding::windows_1254, "Windows-1254", "CP1254", {"ISO-8859-9", "WINDOWS-1254"}, kMoreBytes},
    {Encoding::windows_1255, "Windows-1255", "CP1255", {"WINDOWS-1255", "ISO-8859-8"}, kFewBytes},
    {Encoding::windows_1256, "Windows-1256", "CP1256", {"WINDOWS-1256", ""}, kFewBytes},
    {Encoding::tis_620, "TIS-620", "TIS-620", {"TIS-620", "ISO-8859-11"}, kFewBytes},
}};

bool is_wide_byte(char byte) { return static_cast<std::uint8_t>(byte) >= 0x80; }

// The part of the library that is used; see its uchardet.h. It has no headers here on purpose: it is no dependency of
// the build, and is not linked.
class Uchardet {
 public:
  static const Uchardet& get() {
    static const Uchardet library;
    return library;
  }

  std::string name_of(std::string_view sample) const {
    if (!make_ || !take_ || !end_ || !name_ || !remove_) return {};
    void* detector = make_();
    if (!detector) return {};
    std::string name;
    if (take_(detector, sample.data(), sample.size()) == 0) {
      end_(detector);
      name = name_(detector);
    }
    remove_(detector);
    return name;
  }

 private:
  Uchardet() {
    void* library = ::dlopen("libuchardet.so.0", RTLD_NOW | RTLD_LOCAL);
    if (!library) return;
    make_ = reinterpret_cast<void* (*)()>(::dlsym(library, "uchardet_new"));
    take_ = reinterpret_cast<int (*)(void*, const char*, std::size_t)>(::dlsym(library, "uchardet_handle_data"));
    end_ = reinterpret_cast<void (*)(void*)>(::dlsym(library, "uchardet_data_end"));
    name_ = reinterpret_cast<const char* (*)(void*)>(::dlsym(library, "uchardet_get_charset"));
    remove_ = reinterpret_cast<void (*)(void*)>(::dlsym(library, "uchardet_delete"));
  }

  void* (*make_)() = nullptr;
  int (*take_)(void*, const char*, std::size_t) = nullptr;
  void (*end_)(void*) = nullptr;
  const char* (*name_)(void*) = nullptr;
  void (*remove_)(void*) = nullptr;
};

// From the first line that is not ASCII on: a long preamble says nothing.
std::string_view sample_of(std::string_view bytes) {
  const auto first = static_cast<std::size_t>(std::find_if(bytes.begin(), bytes.end(), is_wide_byte) - bytes.begin());
  const std::size_t line = bytes.substr(0, first).rfind('\n');
  return bytes.substr(line == std::string_view::npos ? 0 : line + 1).substr(0, kEncodingSampleBytesMax);
}

bool decodes_wholly(std::string_view bytes, const CharacterTable& table) {
  while (!bytes.empty()) {
    const auto found = table.decode(bytes);
    if (!found) return false;
    bytes.remove_prefix(found->bytes);
  }
  return true;
}

}  // namespace

std::string_view legacy_name(Encoding encoding) {
  const auto* found = std::ranges::find(kLegacy, encoding, &Legacy::encoding);
  return found == kLegacy.end() ? std::string_view() : found->name;
}

const CharacterTable* legacy_table(Encoding encoding) {
  static std::array<std::once_flag, kLegacy.size()> made;
  static std::array<std::unique_ptr<const CharacterTable>, kLegacy.size()> tables;
  const auto* found = std::ranges::find(kLegacy, encoding, &Legacy::encoding);
  if (found == kLegacy.end()) return nullptr;
  const auto i = static_cast<std::size_t>(found - kLegacy.begin());
  std::call_once(made[i], [&] { tables[i] = CharacterTable::make(found->iconv_name); });
  return tables[i].get();
}

std::optional<Encoding> guess_legacy_encoding(std::string_view bytes) {
  const std::string_view sample = sample_of(bytes);
  const auto wide = static_cast<std::size_t>(std::count_if(sample.begin(), sample.end(), is_wide_byte));
  if (wide < kFewBytes) return std::nullopt;
  const std::string name = Uchardet::get().name_of(sample);
  const auto* found = std::ranges::find_if(kLegacy, [&](const Legacy& legacy) {
    return !name.empty() && (legacy.uchardet_names[0] == name || legacy.uchardet_names[1] == name);
  });
  if (found == kLegacy.end() || wide < found->bytes_min) return std::nullopt;
  const CharacterTable* table = legacy_table(found->encoding);
  if (!table || !decodes_wholly(bytes, *table)) return std::nullopt;
  return found->encoding;
}

}  // namespace deft
