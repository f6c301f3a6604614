#pragma once

#include <cstddef>
#include <string_view>

#include "deft/base/json.h"
#include "deft/base/result.h"

// The only door to YAML: one document, read as the JSON value that it stands for. Bounded, and narrower than YAML where
// YAML is a trap: keys are scalars and stand once, anchors and aliases are refused (a few lines of them can stand for
// gigabytes), tags are ignored.

namespace deft {

struct YamlLimits {
  std::size_t bytes_max = std::size_t{64} << 10;
  std::size_t depth_max = 16;
  std::size_t values_max = 10'000;
};

// Plain scalars: what JSON would read as null, true, false or a number is that (also ~, Null, True and FALSE); all else
// is text as written, so "yes", "1.2.3", "0x10" and dates stay what people typed. An empty document is null.
// The error's message begins with "line L, column C: ".
Result<Json> parse_yaml(std::string_view text, const YamlLimits& limits = {});

}  // namespace deft
