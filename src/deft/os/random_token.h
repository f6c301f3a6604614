#pragma once

#include <string>

#include "deft/base/result.h"

namespace deft {

// 256 random bits as 64 hexadecimal digits: what nobody can guess. An error: the system has no random numbers.
Result<std::string> random_token();

}  // namespace deft
