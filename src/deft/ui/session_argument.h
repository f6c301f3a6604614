#pragma once

#include <string>

#include "deft/agent/session_store.h"

namespace deft {

// The session that a word of the command line means: an id or the beginning of one, a title, a folder (with a slash in
// it); nothing: the one of this directory that was used last.
Result<SessionPlace> session_argument(const std::string& word);
// The directory that we are in, canonical; "" if it is gone.
std::string current_directory();

}  // namespace deft
