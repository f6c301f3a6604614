#include "deft/tools/read_pdf.h"

#include <algorithm>
#include <array>
#include <charconv>

#include "deft/base/base64.h"
#include "deft/base/utf8.h"
#include "deft/core/page_range.h"
#include "deft/tools/decoder.h"
#include "deft/tools/image_block.h"
#include "deft/tools/read.h"
#include "deft/tools/shown_image.h"

namespace deft {

namespace {

constexpr std::size_t kNoticeCharactersMax = 500;
constexpr std::size_t kPageMarkCharacters = 20;
constexpr std::size_t kInfoBytesMax = std::size_t{1} << 20;
// Far more than is shown: text that is laid out consists of blanks for the most part.
constexpr std::size_t kPageTextBytesMax = std::size_t{16} << 20;
constexpr std::size_t kPagePictureBytesMax = std::size_t{32} << 20;
constexpr std::string_view kProgramFolders[] = {"/usr/bin/", "/usr/local/bin/", "/bin/"};

// Never from PATH or the working directory: what is found there may belong to a stranger.
Result<std::string> program_path(std::string_view name, Files& files) {
  for (const std::string_view folder : kProgramFolders) {
    const auto path = files.canonical(std::string(folder).append(name));
    const auto status = path ? files.status(*path) : std::unexpected(path.error());
    if (status && status->kind == FileKind::regular) return *path;
  }
  return fail(Errc::unsupported, "Reading a PDF takes the program " + std::string(name) +
                                     ", which is not installed: install poppler-utils (Debian, Ubuntu, Fedora) or "
                                     "poppler (others), or ask the user to.");
}

class PdfPages {
 public:
  PdfPages(const PdfPart& part, const OpenedFile& file, ToolIo& io)
      : subject_(part.path + " (PDF)"), file_(file), io_(io) {}

  Result<std::size_t> count() const {
    const auto info = run("pdfinfo", {"-"}, kInfoBytesMax);
    if (!info) return std::unexpected(info.error());
    constexpr std::string_view kKey = "Pages:";
    const std::size_t key = info->starts_with(kKey) ? 0 : info->find("\n" + std::string(kKey));
    std::size_t pages = 0;
    if (key != std::string::npos) {
      const std::size_t digits = info->find_first_of("0123456789", key);
      if (digits != std::string::npos) std::from_chars(info->data() + digits, info->data() + info->size(), pages);
    }
    if (pages == 0) return fail(Errc::unsupported, subject_ + " has no pages.");
    return pages;
  }

  Result<std::string> text(std::size_t page) const {
    const std::string number = std::to_string(page);
    auto text = run("pdftotext", {"-q", "-layout", "-nopgbrk", "-enc", "UTF-8", "-f", number, "-l", number, "-", "-"},
                    kPageTextBytesMax);
    if (!text) return text;
    return without_outer_blanks(to_valid_utf8(*text));
  }

  Result<ShownImage> picture(std::size_t page) const {
    const std::string number = std::to_string(page);
    auto bytes = run("pdftoppm",
                     {"-q", "-png", "-singlefile", "-f", number, "-l", number, "-scale-to",
                      std::to_string(kImageShownSidePointsMax), "-"},
                     kPagePictureBytesMax);
    if (!bytes) return std::unexpected(bytes.error());
    const auto info = image_info(*bytes);
    if (!info) return fail(Errc::unsupported, subject_ + ": page " + number + " cannot be drawn.");
    return shown_image(std::move(*bytes), *info, subject_ + ", page " + number, io_);
  }

 private:
  // Blank lines before and after the text say nothing; blanks before its first word may.
  static std::string without_outer_blanks(std::string_view text) {
    const std::size_t end = text.find_last_not_of(" \t\r\n\f");
    if (end == std::string_view::npos) return "";
    text = text.substr(0, end + 1);
    const std::size_t first = text.find_first_not_of(" \t\r\n\f");
    const std::size_t line = text.substr(0, first).rfind('\n');
    return std::string(text.substr(line == std::string_view::npos ? 0 : line + 1));
  }

  Result<std::string> run(std::string_view name, std::vector<std::string> arguments, std::size_t output_max) const {
    const auto path = program_path(name, io_.os.files);
    if (!path) return std::unexpected(path.error());
    arguments.insert(arguments.begin(), *path);
    auto done =
        run_decoder({.argv = std::move(arguments), .input = file_.content.bytes, .output_bytes_max = output_max}, io_);
    if (!done && done.error().code == Errc::cancelled) return std::unexpected(done.error());
    if (!done) return fail(done.error().code, subject_ + " cannot be read: " + done.error().message + ".");
    if (done->errors.find("Incorrect password") != std::string::npos) {
      return fail(Errc::unsupported, subject_ + " is locked with a password: ask the user for a copy without one.");
    }
    if (done->exit_code != 0)
      return fail(Errc::unsupported, subject_ + " is damaged: " + std::string(name) + " cannot read it.");
    return std::move(done->output);
  }

  std::string subject_;
  const OpenedFile& file_;
  ToolIo& io_;
};

// What fits into one result.
struct Room {
  std::size_t characters = kReadCharactersMax - kNoticeCharactersMax;
  std::size_t picture_bytes = kPdfPicturesBytesMax;
};

// The page, or nothing if there is no room for it any more. The first page is always shown, cut if it must be.
Result<std::optional<JsonObject>> show_page(const PdfPages& pdf, std::size_t page, bool is_first, Room& room) {
  auto text = pdf.text(page);
  if (!text) return std::unexpected(text.error());
  if (!text->empty()) {
    const std::size_t cost = kPageMarkCharacters + count_characters(*text);
    if (cost <= room.characters) {
      room.characters -= cost;
      return JsonObject{{"page", page}, {"text", *text}};
    }
    if (!is_first) return std::nullopt;
    const std::string_view start = first_characters(*text, room.characters - kPageMarkCharacters);
    room.characters = 0;
    return JsonObject{{"page", page}, {"text", start}, {"isCut", true}};
  }
  auto picture = pdf.picture(page);
  if (!picture && picture.error().code == Errc::cancelled) return std::unexpected(picture.error());
  if (!picture) return JsonObject{{"page", page}, {"text", "[" + picture.error().message + "]"}};
  if (picture->bytes.size() > room.picture_bytes) return std::nullopt;
  room.picture_bytes -= picture->bytes.size();
  return JsonObject{{"page", page},
                    {"image", {{"base64", to_base64(picture->bytes)}, {"type", picture->info.media_type}}}};
}

std::string page_mark(std::int64_t page) { return "[Page " + std::to_string(page) + "]\n"; }

}  // namespace

Result<ToolResult> read_pdf(const PdfPart& part, const OpenedFile& file, ToolIo& io) {
  const PdfPages pdf(part, file, io);
  const auto count = pdf.count();
  if (!count) return std::unexpected(count.error());
  const auto range = parse_page_range(part.pages, *count);
  if (!range) return fail(range.error().code, part.path + " (PDF): " + range.error().message);

  Room room;
  JsonArray pages;
  for (std::size_t page = range->first; page <= range->last; ++page) {
    auto shown = show_page(pdf, page, page == range->first, room);
    if (!shown) return std::unexpected(shown.error());
    if (!*shown) break;
    pages.push_back(std::move(**shown));
  }
  const std::size_t shown_count = pages.size();
  return ToolResult{.details = JsonObject{{"type", "parts"},
                                          {"file",
                                           {{"filePath", part.path},
                                            {"originalSize", file.content.bytes.size()},
                                            {"count", shown_count},
                                            {"outputDir", ""},  // nothing is written: the pages are here
                                            {"totalPages", *count},
                                            {"pages", std::move(pages)}}},
                                          {"firstPage", range->first}}};
}

void map_pdf(ToolResult& result) {
  const Json* file = find(result.details, "file");
  const JsonArray* pages = file ? find_array(*file, "pages") : nullptr;
  if (!pages) return;
  result.text.clear();
  result.blocks.clear();
  std::int64_t last = 0;
  for (const Json& page : *pages) {
    last = find_int(page, "page").value_or(0);
    if (!result.text.empty()) result.text += "\n\n";
    result.text += page_mark(last);
    if (const Json* image = find(page, "image")) {
      result.blocks.push_back(
          image_block(find_string(*image, "type").value_or(""), find_string(*image, "base64").value_or("")));
      result.text += "[no text: picture " + std::to_string(result.blocks.size()) + " below]";
    } else {
      result.text += find_string(page, "text").value_or("");
    }
    if (find_bool(page, "isCut").value_or(false)) result.text += "\n[cut: the page is longer than can be shown]";
  }
  const std::int64_t total = find_int(*file, "totalPages").value_or(last);
  if (last >= total) return;
  const std::int64_t first = find_int(result.details, "firstPage").value_or(1);
  result.text += "\n\n[Pages " + std::to_string(first) + " to " + std::to_string(last) + " of " +
                 std::to_string(total) + ". Go on with pages \"" + std::to_string(last + 1) + "-" +
                 std::to_string(std::min<std::int64_t>(total, last + static_cast<std::int64_t>(kPagesAtOnceMax))) +
                 "\".]";
}

}  // namespace deft
