#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace deft::lsp {

// file:///p/a%20b of /p/a b: every byte that is not plain is escaped.
std::string file_uri(std::string_view absolute_path);

// The normalised path that a file URI means; nothing for other schemes, other hosts and what is no absolute path.
std::optional<std::string> path_of_uri(std::string_view uri);

}  // namespace deft::lsp
