#pragma once

#include <cstddef>
#include <expected>
#include <string>
#include <string_view>

#include "deft/shell/syntax.h"

// A strict parser for what `bash -c` (5.2, no options set) reads. It recognises the whole of what it accepts, byte by
// byte, exactly as bash would; what it is not sure about it refuses. Refused on purpose, although bash has them:
// coproc, select, $[…], $"…", extended globs, unclosed here-documents, quotes inside "${…}" that bash reads in two
// ways, line continuations inside words, control characters.

namespace deft::shell {

inline constexpr int kNestingDepthMax = 100;
inline constexpr std::size_t kParseBytesMax = std::size_t{1} << 20;

struct NotUnderstood {
  std::size_t offset = 0;  // bytes into the text; inside `…`: of the substitution's first byte
  std::string reason;
};

std::expected<List, NotUnderstood> parse(std::string_view text);

}  // namespace deft::shell
