#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "deft/agent/journal.h"
#include "deft/base/json.h"
#include "deft/base/result.h"

namespace deft {

struct JournalOpening {
  int version = 0;
  std::int64_t time_ms = 0;  // when it was begun
  JournalHeader header;
};

// The first line alone. Errors: `not_found`; `invalid_input` for what is no journal; `unsupported` for one of a newer
// deft.
Result<JournalOpening> read_journal_opening(const std::string& path);

// Whether something was said in it: reads no further than to the first prompt.
bool has_prompt(const std::string& path);

// Gives every entry after the first line to `take`, oldest first, one in memory at a time. Lines that are not whole (a
// process was killed while it wrote them) and entries that nobody knows are no error: the former are left out, the
// latter are the taker's to ignore. A journal may be read while somebody writes it.
Result<JournalOpening> read_journal(const std::string& path,
                                    const std::function<void(std::string_view type, const Json& entry)>& take);

// The same as texts, without a look at them.
Result<JournalOpening> read_journal_lines(const std::string& path,
                                          const std::function<void(std::string_view line)>& take);

}  // namespace deft
