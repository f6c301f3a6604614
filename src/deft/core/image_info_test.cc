#include "deft/core/image_info.h"

#include <gtest/gtest.h>

namespace deft {
namespace {

std::string from_hex(std::string_view hex) {
  std::string bytes;
  for (std::size_t i = 0; i + 1 < hex.size(); i += 2) {
    bytes += static_cast<char>(std::stoi(std::string(hex.substr(i, 2)), nullptr, 16));
  }
  return bytes;
}

TEST(ImageInfo, TellsTheKindAndTheSizeFromTheFirstBytes) {
  struct Case {
    const char* media_type;
    const char* hex;
  };
  // Images of 17 x 9 points.
  const Case cases[] = {
      {"image/png", "89504e470d0a1a0a0000000d49484452000000110000000908020000005b8a505b"},
      {"image/jpeg", "ffd8ffe000104a46494600010100000100010000ffdb00040102ffffc20011080009001103012200021101031101"},
      {"image/gif", "47494638376111000900810000ff0000"},
      {"image/webp", "524946464800000057454250565038203c0000003003009d012a110009003e6d2c91"},
      {"image/webp", "524946461c000000574542505650384c0f0000002f100002000710fd8ffe0722a2ff0100"},
      {"image/webp", "524946467600000057454250565038580a00000018000000100000080000414c5048"},
  };
  for (const Case& c : cases) {
    const std::string bytes = from_hex(c.hex);
    const auto info = image_info(bytes);
    ASSERT_TRUE(info.has_value()) << c.media_type;
    EXPECT_EQ(info->media_type, c.media_type);
    EXPECT_EQ(info->width, 17U) << c.hex;
    EXPECT_EQ(info->height, 9U) << c.hex;
    // Cut anywhere, it is no image or one without a size, or all of the header was there.
    for (std::size_t length = 0; length < bytes.size(); ++length) {
      const auto cut = image_info(std::string_view(bytes).substr(0, length));
      if (cut && cut->width != 0 && cut->height != 0) {
        EXPECT_EQ(cut->width, 17U);
        EXPECT_EQ(cut->height, 9U);
      }
    }
  }
  EXPECT_FALSE(image_info("plain text").has_value());
  EXPECT_FALSE(image_info("").has_value());
}

}  // namespace
}  // namespace deft
