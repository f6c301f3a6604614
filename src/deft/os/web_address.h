#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "deft/base/result.h"

namespace deft {

// Is it an address of the public internet: not this machine, not a private network, nothing local, no metadata service,
// nothing that stands for such an address in another notation? `address` as inet_ntop writes it.
bool is_public_address(std::string_view address);

// The addresses of a host, or the host itself if it is one ("[::1]" too). Blocks as long as the name server takes.
using ResolveHost = std::function<Result<std::vector<std::string>>(const std::string& host)>;
Result<std::vector<std::string>> resolve_host(const std::string& host);

}  // namespace deft
