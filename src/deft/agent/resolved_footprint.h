#pragma once

#include "deft/core/footprint.h"
#include "deft/os/files.h"

namespace deft {

// What a tool has declared, with canonical paths and all that belongs to them: the folders that a write would create,
// the names that whoever misses a file looks at. Everything, where that cannot be known.
Footprint resolved_footprint(Files& files, const Footprint& declared_footprint);

}  // namespace deft
