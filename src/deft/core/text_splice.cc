#include "deft/core/text_splice.h"

namespace deft {

std::string spliced_text(std::string_view text, const std::vector<TextSplice>& splices) {
  std::string out;
  std::size_t done = 0;
  for (const TextSplice& splice : splices) {
    out.append(text, done, splice.begin - done);
    out += splice.text;
    done = splice.end;
  }
  out.append(text, done);
  return out;
}

Result<std::string> spliced_bytes(std::string_view bytes, const FileText& file, const std::vector<TextSplice>& splices,
                                  bool literally) {
  std::vector<std::size_t> edges;
  for (const TextSplice& splice : splices) {
    edges.push_back(splice.begin);
    edges.push_back(splice.end);
  }
  edges = file.byte_offsets(edges);
  std::string out;
  std::size_t done = 0;
  for (std::size_t i = 0; i < splices.size(); ++i) {
    const std::size_t begin = edges[2 * i];
    const std::size_t end = edges[2 * i + 1];
    const LineEnd line_end = literally ? LineEnd::lf : file.line_end_between(begin, end);
    const auto encoded = file.encode(splices[i].text, line_end);
    if (!encoded) return std::unexpected(encoded.error());
    out.append(bytes, done, begin - done);
    out += *encoded;
    done = end;
  }
  out.append(bytes, done);
  return out;
}

}  // namespace deft
