#pragma once

#include <string_view>
#include <vector>

#include "deft/core/file_ledger.h"
#include "deft/tools/tool.h"

namespace deft {

// Which files the model has seen in a command's output, as `cat F` and `sed -n '1,20p' F` show them. Certain, or
// nothing: the text of the command says so, and the output is, byte for byte, what stands in the files now.
std::vector<FileSeen> shown_by_command(std::string_view command, std::string_view output, const ToolIo& io);

}  // namespace deft
