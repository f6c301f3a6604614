#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "deft/base/result.h"
#include "deft/core/file_text.h"

// Parts of a file's text replaced by other text, so that everything else keeps its bytes.

namespace deft {

struct TextSplice {
  std::size_t begin = 0;  // of FileText::text()
  std::size_t end = 0;
  std::string_view text;  // what takes its place
};

// The splices are in order and do not overlap.
std::string spliced_text(std::string_view text, const std::vector<TextSplice>& splices);

// The same on the bytes of the file. A "\n" of the new text becomes the line end that is used at that place; not if
// `literally`. Error `invalid_input`: the file's encoding lacks a character; the message says which.
Result<std::string> spliced_bytes(std::string_view bytes, const FileText& file, const std::vector<TextSplice>& splices,
                                  bool literally);

}  // namespace deft
