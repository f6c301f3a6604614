#pragma once

#include <string>
#include <string_view>

#include "deft/base/json.h"
#include "deft/base/result.h"
#include "deft/config/change_file.h"
#include "deft/core/rule.h"

namespace deft {

// The text of a settings file with a rule more, everything else byte for byte as it was. A rule that is there already
// changes nothing. A text that is not valid settings is an error: nobody repairs somebody's file by guessing.
Result<std::string> with_rule(std::string_view settings, RuleList list, std::string_view rule);

// The same with a value at the top, instead of the one that the key had.
Result<std::string> with_value(std::string_view settings, std::string_view key, const Json& value);

// The same for a file: made if it is missing, replaced at one stroke, one writer at a time.
Result<void> write_value(const std::string& file, std::string_view key, const Json& value,
                         const ChangeFile& change_file);
Result<void> write_rule(const std::string& file, RuleList list, std::string_view rule, const ChangeFile& change_file);

}  // namespace deft
