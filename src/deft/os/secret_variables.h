#pragma once

#include <string>
#include <string_view>

namespace deft {

// From now on the variable of this name counts as a secret (is_secret_name): nothing that this process starts gets it,
// no log shows it. For those that the settings name. Any thread may call.
void count_as_secret(std::string name);
bool was_counted_as_secret(std::string_view name);

}  // namespace deft
