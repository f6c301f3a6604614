#include "deft/base/byte_runs.h"

#include <gtest/gtest.h>

#include <string>

namespace deft {
namespace {

// At every place in texts of many lengths, so that every way through the loop is taken.
template <class Run, class IsWanted>
void expect_runs(const Run& run, const IsWanted& is_wanted) {
  for (int byte = 0; byte < 256; ++byte) {
    for (const std::size_t size : {1U, 31U, 32U, 33U, 64U, 100U}) {
      for (std::size_t at = 0; at < size; ++at) {
        std::string text(size, 'x');
        text[at] = static_cast<char>(byte);
        ASSERT_EQ(run(text), is_wanted(byte) ? size : at) << "byte " << byte << " at " << at << " of " << size;
      }
    }
  }
  EXPECT_EQ(run(std::string_view()), 0U);
}

TEST(ByteRuns, EndBeforeTheFirstThatIsNotAscii) {
  expect_runs(ascii_run, [](int byte) { return byte < 0x80; });
}

TEST(ByteRuns, EndBeforeTheFirstThatIsNotPrintable) {
  expect_runs(printable_run, [](int byte) { return byte >= 0x20 && byte < 0x7F; });
}

TEST(ByteRuns, EndBeforeTheFirstThatJsonWritesInAnotherWay) {
  expect_runs(json_plain_run, [](int byte) { return byte >= 0x20 && byte < 0x7F && byte != '"' && byte != '\\'; });
}

}  // namespace
}  // namespace deft
