#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "deft/tools/tool.h"

// Programs that take apart what strangers made: documents and pictures. A mistake in one of them must not become ours,
// so each runs as a child of its own that gets the bytes on its standard input, knows neither their name nor our
// environment, can change nothing where the kernel can see to that, and may use only so much memory, time and output.

namespace deft {

inline constexpr std::size_t kDecoderMemoryBytesMax = std::size_t{1} << 30;
inline constexpr std::size_t kDecoderFileBytesMax = std::size_t{16} << 20;  // of a cache of fonts, say
inline constexpr std::size_t kDecoderOpenFilesMax = 64;
inline constexpr Duration kDecoderTimeMax = std::chrono::seconds(30);

struct Decoding {
  std::vector<std::string> argv;  // the program's absolute path first
  std::string input;
  std::size_t output_bytes_max = 0;
};

struct DecoderOutput {
  int exit_code = 0;
  std::string output;
  std::string errors;  // the beginning
};

// Errors: `cancelled`; `timeout`; `limit` if it says too much; `failed` if it died; those of Processes::run().
Result<DecoderOutput> run_decoder(Decoding decoding, ToolIo& io);

}  // namespace deft
