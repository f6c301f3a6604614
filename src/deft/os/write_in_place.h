#pragma once

#include <string>

#include "deft/os/replace_file.h"

namespace deft {

// Overwrites the file `name` in an open folder, which must have the expected content. While that lasts, both contents
// lie in a journal (in_place_journal.h): a kill then loses nothing. An error restores the old content. `why` is only
// handed back.
Result<Replaced> write_in_place(int folder, const std::string& name, const ReplaceRequest& request, std::string why);

}  // namespace deft
