#pragma once

#include <string>

namespace deft {

// Whether a folder above the directory that somebody works in may have been filled by a third person: it belongs
// neither to the user, nor to root, nor to whoever the directory belongs to, or it is one where everybody may put
// things (/tmp). What lies there, a `.git` too, says nothing about the directory: it is not what the user has chosen,
// or trusted, by working there.
bool is_strangers(const std::string& folder, const std::string& directory);

}  // namespace deft
