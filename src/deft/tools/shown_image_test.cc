#include "deft/tools/shown_image.h"

#include <gtest/gtest.h>

#include "deft/base/base64.h"
#include "deft/os/disk_files.h"
#include "deft/os/picture_program.h"
#include "deft/os/warden_processes.h"
#include "deft/testing/places.h"
#include "deft/testing/temp_folder.h"
#include "deft/testing/tool_bench.h"
#include "deft/tools/read.h"

// Large pictures through the real program that makes them smaller.

namespace deft {
namespace {

using namespace std::string_literals;

void append_number(std::string& out, std::uint32_t number) {
  for (int shift = 24; shift >= 0; shift -= 8) out += static_cast<char>(number >> shift);
}

std::uint32_t crc32(std::string_view bytes) {
  std::uint32_t crc = 0xFFFFFFFF;
  for (const char byte : bytes) {
    crc ^= static_cast<std::uint8_t>(byte);
    for (int bit = 0; bit < 8; ++bit) crc = (crc >> 1) ^ (0xEDB88320U & (0U - (crc & 1U)));
  }
  return ~crc;
}

void append_chunk(std::string& png, const std::string& kind, const std::string& data) {
  append_number(png, static_cast<std::uint32_t>(data.size()));
  png += kind + data;
  append_number(png, crc32(kind + data));
}

// A grey picture, not compressed; every point is `point(x, y)`.
template <class Point>
std::string make_png(std::uint32_t width, std::uint32_t height, Point point, const std::string& exif = {}) {
  std::string rows;
  for (std::uint32_t y = 0; y < height; ++y) {
    rows += '\0';
    for (std::uint32_t x = 0; x < width; ++x) rows += static_cast<char>(point(x, y));
  }
  std::string data = "\x78\x01";
  std::uint32_t a = 1;
  std::uint32_t b = 0;
  for (const char byte : rows) {
    a = (a + static_cast<std::uint8_t>(byte)) % 65521;
    b = (b + a) % 65521;
  }
  constexpr std::size_t kBlockBytesMax = 65'535;
  for (std::size_t at = 0; at < rows.size(); at += kBlockBytesMax) {
    const std::string block = rows.substr(at, kBlockBytesMax);
    const auto length = static_cast<std::uint16_t>(block.size());
    data += at + block.size() == rows.size() ? '\1' : '\0';
    for (const std::uint16_t number : {length, static_cast<std::uint16_t>(~length)}) {
      data += {static_cast<char>(number & 0xFF), static_cast<char>(number >> 8)};
    }
    data += block;
  }
  append_number(data, (b << 16) | a);
  std::string header;
  append_number(header, width);
  append_number(header, height);
  std::string png = "\x89PNG\r\n\x1A\n";
  append_chunk(png, "IHDR", header + "\x08\x00\x00\x00\x00"s);
  if (!exif.empty()) append_chunk(png, "eXIf", exif);
  append_chunk(png, "IDAT", data);
  append_chunk(png, "IEND", "");
  return png;
}

class ShownImageTest : public ::testing::Test {
 protected:
  ShownImageTest() { bench.use(processes); }
  Result<ToolResult> read(const std::string& bytes) {
    return bench.call(*make_read_tool(), JsonObject{{"file_path", folder.put("a.png", bytes)}});
  }
  std::string shown_bytes(const ToolResult& result) {
    return from_base64(find_string(*find(result.details, "file"), "base64").value()).value();
  }

  TempFolder folder;
  SystemClock clock;
  WardenProcesses processes{clock};
  DiskFiles disk;
  ToolBench bench{disk};
};

TEST_F(ShownImageTest, ASmallPictureIsShownByteForByte) {
  const std::string png = make_png(300, 200, [](auto x, auto y) { return x ^ y; });
  const auto result = read(png);
  ASSERT_TRUE(result.has_value()) << result.error().message;
  EXPECT_EQ(shown_bytes(*result), png);
  EXPECT_EQ(result->text, "A picture (image/png).");
}

TEST_F(ShownImageTest, ALargePictureIsScaledToTheSideThatModelsSee) {
  // The left half black, the right half white.
  const auto result = read(make_png(3136, 100, [](auto x, auto) { return x < 1568 ? 0 : 255; }));
  ASSERT_TRUE(result.has_value()) << result.error().message;
  EXPECT_EQ(result->text, "A picture (image/png), scaled down from 3136 x 100 to 1568 x 50 points.");
  const auto info = image_info(shown_bytes(*result));
  ASSERT_TRUE(info.has_value());
  EXPECT_EQ(info->media_type, "image/png");
  EXPECT_EQ(info->width, 1568U);
  EXPECT_EQ(info->height, 50U);
}

// The note of a camera: how it was held.
std::string exif(int orientation) {
  std::string tiff = "MM\0*\0\0\0\x08\0\x01\x01\x12\0\x03\0\0\0\x01\0"s;
  tiff += static_cast<char>(orientation);
  return tiff + "\0\0\0\0\0\0"s;
}

TEST_F(ShownImageTest, AScaledPictureStandsUprightHoweverTheCameraWasHeld) {
  const auto size_of = [&](int orientation) {
    const auto result = read(make_png(3136, 100, [](auto x, auto) { return x < 1568 ? 0 : 255; }, exif(orientation)));
    EXPECT_TRUE(result.has_value()) << result.error().message;
    const auto info = image_info(shown_bytes(*result));
    return std::to_string(info->width) + " x " + std::to_string(info->height);
  };
  EXPECT_EQ(size_of(1), "1568 x 50");
  EXPECT_EQ(size_of(3), "1568 x 50");
  EXPECT_EQ(size_of(6), "50 x 1568");
  EXPECT_EQ(size_of(8), "50 x 1568");
  EXPECT_EQ(size_of(200), "1568 x 50") << "there is no such orientation";
  // Byte for byte the picture that was upright from the start.
  const auto bytes_of = [&](const std::string& png) { return shown_bytes(*read(png)); };
  const auto turned = make_png(3136, 100, [](auto x, auto y) { return x < 1568 ? 0 : y < 50 ? 99 : 255; }, exif(6));
  // Held so, the left side of what was noted is the top, and its top is the right side.
  const auto upright = make_png(100, 3136, [](auto x, auto y) { return y < 1568 ? 0 : x >= 50 ? 99 : 255; });
  EXPECT_EQ(bytes_of(turned), bytes_of(upright));
}

TEST_F(ShownImageTest, WhatIsTooManyBytesAsPngBecomesJpeg) {
  std::uint32_t state = 1;
  const auto noise = [&](auto, auto) { return (state = state * 1'664'525U + 1'013'904'223U) >> 24; };
  const auto result = read(make_png(1600, 1600, noise));
  ASSERT_TRUE(result.has_value()) << result.error().message;
  const std::string bytes = shown_bytes(*result);
  EXPECT_LE(bytes.size(), kImageBytesMax);
  EXPECT_EQ(find_string(*find(result->details, "file"), "type"), "image/jpeg");
  const auto info = image_info(bytes);
  ASSERT_TRUE(info.has_value());
  EXPECT_EQ(info->width, 1568U);
}

TEST_F(ShownImageTest, ADamagedLargePictureIsAnErrorAndNotShown) {
  const std::string png = make_png(2000, 20, [](auto, auto) { return 7; });
  const auto result = read(png.substr(0, 5000));
  ASSERT_FALSE(result.has_value());
  EXPECT_EQ(result.error().message,
            folder / "a.png (image/png) cannot be shown: it is damaged, or of a kind that is not known.");
}

TEST_F(ShownImageTest, OneThatIsTooLargeToDecodeIsNotTried) {
  std::string png = make_png(10, 10, [](auto, auto) { return 7; });
  png[18] = '\x7F';  // of the width: 32,522 points
  png[22] = '\x7F';
  const auto result = read(png);
  ASSERT_FALSE(result.has_value());
  EXPECT_TRUE(result.error().message.starts_with(folder / "a.png (image/png) is too large to be shown (32522 x 32522"));
}

TEST_F(ShownImageTest, TheProgramLeavesNothingBehind) {
  const TempFolder session;
  {
    const auto program = PictureProgram::put_into(session.path());
    ASSERT_TRUE(program.has_value()) << program.error().message;
    EXPECT_TRUE(program->path().starts_with(session.path()));
  }
  EXPECT_TRUE(session.names().empty());
}

// Written by other programs; all show 2,000 × 10 points, the first half of them red.
TEST_F(ShownImageTest, EveryKindOfPictureCanBeScaled) {
  struct Case {
    std::string_view name;
    std::string_view becomes;
  };
  for (const Case& c :
       {Case{"wide.jpg", "image/jpeg"}, Case{"wide.gif", "image/png"}, Case{"moving.gif", "image/png"},
        Case{"wide.webp", "image/jpeg"}, Case{"lossless.webp", "image/jpeg"}, Case{"moving.webp", "image/jpeg"},
        Case{"palette.png", "image/png"}, Case{"deep.png", "image/png"}}) {
    const auto bytes = disk.read(DEFT_SOURCE_DIR "/tests/fixtures/pictures/" + std::string(c.name), 1 << 20);
    ASSERT_TRUE(bytes.has_value()) << bytes.error().message;
    const auto result = read(bytes->bytes);
    ASSERT_TRUE(result.has_value()) << c.name << ": " << result.error().message;
    const auto info = image_info(shown_bytes(*result));
    ASSERT_TRUE(info.has_value()) << c.name;
    EXPECT_EQ(info->media_type, c.becomes) << c.name;
    EXPECT_EQ(info->width, 1568U) << c.name;
    EXPECT_EQ(info->height, 8U) << c.name;
  }
}

}  // namespace
}  // namespace deft
