#pragma once

#include <string>
#include <string_view>

namespace deft {

// Half of a surrogate pair, in the three bytes that it would have in UTF-8 if it were a character. They are not UTF-8,
// so they are kept apart from text: only at the edges of pieces that a PairJoiner reads.
std::string half_pair_bytes(char16_t half);
// Does the piece begin with the second half of a pair, or end with the first?
bool has_half_at_edge(std::string_view piece);

// The pieces of a text that was cut between UTF-16 units, as JavaScript cuts: the halves of a pair that was cut in two
// become its character again. A half whose other half does not follow becomes U+FFFD.
class PairJoiner {
 public:
  // The text that is complete with this piece.
  std::string add(std::string_view piece);
  // Nothing follows.
  std::string finish();
  bool waits() const { return !half_.empty(); }
  void forget() { half_.clear(); }

 private:
  std::string half_;  // the first one of a pair, if the last piece ended with it
};

}  // namespace deft
