#pragma once

#include <string>

#include "deft/tools/file_access.h"
#include "deft/tools/tool.h"

// How Read shows a PDF: the text of each page, laid out as on the page, and where a page has none, its picture. The
// work is done by poppler's programs, as children with limits (decoder.h).

namespace deft {

inline constexpr std::size_t kPdfPicturesBytesMax = std::size_t{12} << 20;  // of one result; requests are bounded too

struct PdfPart {
  std::string path;   // as it was asked for
  std::string pages;  // "1-5"; empty: all, if they are few
};
Result<ToolResult> read_pdf(const PdfPart& part, const OpenedFile& file, ToolIo& io);

// Text and pictures for the model, from the details.
void map_pdf(ToolResult& result);

}  // namespace deft
