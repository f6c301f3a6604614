#pragma once

#include <string_view>

#include "deft/base/json.h"

namespace deft::schema {

// The published meta-schemas of draft 2020-12 and draft 07, carried inside the program: the only documents outside of
// itself that a schema may refer to. Null for any other URI (without fragment).
const Json* find_metaschema(std::string_view uri);

}  // namespace deft::schema
