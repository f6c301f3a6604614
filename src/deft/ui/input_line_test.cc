#include "deft/ui/input_line.h"

#include <gtest/gtest.h>

#include <memory>

namespace deft {
namespace {

using File = std::unique_ptr<std::FILE, int (*)(std::FILE*)>;

File file_with(std::string& text) { return {::fmemopen(text.data(), text.size(), "r"), &std::fclose}; }

TEST(InputLine, LinesComeOneByOneAlsoTheLastWithoutAnEnd) {
  std::string text = "first\n\nwith \r\nlast";
  const File file = file_with(text);
  EXPECT_EQ(read_line(file.get()), "first");
  EXPECT_EQ(read_line(file.get()), "");
  EXPECT_EQ(read_line(file.get()), "with \r");
  EXPECT_EQ(read_line(file.get()), "last");
  EXPECT_EQ(read_line(file.get()), std::nullopt);
  EXPECT_EQ(read_line(file.get()), std::nullopt);
}

TEST(InputLine, ALineMayBeLongAndHoldAnything) {
  std::string text = std::string(100'000, 'x') + '\0' + "\xFFy\n";
  const std::string wanted = text.substr(0, text.size() - 1);
  const File file = file_with(text);
  EXPECT_EQ(read_line(file.get()), wanted);
}

}  // namespace
}  // namespace deft
