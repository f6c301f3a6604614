#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "deft/base/result.h"
#include "deft/core/file_ledger.h"
#include "deft/core/patch.h"

// The exact replacement of text in a file. Pure: bytes in, bytes out.
//
// The text to be replaced is looked for in the file as the model sees it (file_text.h), so that a line end matches
// whatever the file has there. Everything outside the places found keeps its bytes. Somebody who writes carriage
// returns means them: then nothing is folded and nothing is converted.

namespace deft {

struct EditRequest {
  std::string_view old_text;  // not empty
  std::string_view new_text;
  bool replace_all = false;
};

struct AppliedEdit {
  std::string bytes;     // the new file
  std::string old_text;  // both as the model sees them
  std::string new_text;
  std::vector<LineRange> replaced;  // where each place was: lines of the old text
  std::vector<LineChange> changes;  // lines that are different now
};

// Errors: `unsupported` if the bytes are not text; `not_found` with the likely reason; `invalid_input` if several
// places match, or the file's encoding lacks a character.
Result<AppliedEdit> apply_edit(std::string_view bytes, const EditRequest& request);

}  // namespace deft
