#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include "deft/os/disk_files.h"
#include "deft/testing/legacy_samples.h"
#include "deft/testing/temp_folder.h"
#include "deft/testing/tool_bench.h"
#include "deft/tools/edit.h"
#include "deft/tools/read.h"
#include "deft/tools/write.h"

// Edits and writes on a real disk, of files written in every way, compared byte by byte. The bytes that are expected
// come from a second, simple encoder, so that it and the product would have to be wrong in the same way.

namespace deft {
namespace {

enum class Written { utf8, utf8_mark, utf16_le, utf16_le_mark, utf16_be, utf16_be_mark, latin1 };
constexpr Written kWritten[] = {Written::utf8,     Written::utf8_mark,     Written::utf16_le, Written::utf16_le_mark,
                                Written::utf16_be, Written::utf16_be_mark, Written::latin1};

// All characters are below U+0100, so that Latin-1 has them and a UTF-16 unit is one byte and a zero.
std::string encode(std::u32string_view text, Written written) {
  std::string out;
  if (written == Written::utf8_mark) out = "\xEF\xBB\xBF";
  if (written == Written::utf16_le_mark) out = "\xFF\xFE";
  if (written == Written::utf16_be_mark) out = "\xFE\xFF";
  for (const char32_t c : text) {
    const char low = static_cast<char>(c);
    if (written == Written::latin1) {
      out += low;
    } else if (written == Written::utf16_le || written == Written::utf16_le_mark) {
      out += {low, '\0'};
    } else if (written == Written::utf16_be || written == Written::utf16_be_mark) {
      out += {'\0', low};
    } else if (c < 0x80) {
      out += low;
    } else {
      out += {static_cast<char>(0xC0 | (c >> 6)), static_cast<char>(0x80 | (c & 0x3F))};
    }
  }
  return out;
}

using LineEndOf = std::u32string_view (*)(int line);
constexpr LineEndOf kLineEnds[] = {
    [](int) -> std::u32string_view { return U"\n"; }, [](int) -> std::u32string_view { return U"\r\n"; },
    [](int) -> std::u32string_view { return U"\r"; },
    [](int line) -> std::u32string_view { return line % 4 == 1 ? U"\n" : U"\r\n"; },  // mixed
};

std::u32string join(const std::vector<std::u32string>& lines, LineEndOf line_end, bool has_last_end, int first = 0) {
  std::u32string text;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    text += lines[i];
    if (i + 1 < lines.size() || has_last_end) text += line_end(first + static_cast<int>(i));
  }
  return text;
}

struct FileCase {
  Written written;
  LineEndOf line_end;
  bool has_last_end;
  std::uint32_t mode;
  bool through_link;
};

void for_each_case(const std::function<void(const FileCase&)>& check) {
  for (const Written written : kWritten) {
    for (const LineEndOf line_end : kLineEnds) {
      for (const bool has_last_end : {true, false}) {
        for (const std::uint32_t mode : {0755U, 0600U}) {
          for (const bool through_link : {false, true}) {
            check({written, line_end, has_last_end, mode, through_link});
            if (::testing::Test::HasFailure()) return;
          }
        }
      }
    }
  }
}

class FileRoundTrip : public ::testing::Test {
 protected:
  FileRoundTrip() { EXPECT_EQ(::symlink("file", (folder / "link").c_str()), 0); }

  void change(const FileCase& c, const std::string& before, Tool& tool, JsonObject input, const std::string& after) {
    std::filesystem::remove(folder / "file");
    folder.put("file", before, c.mode);
    const std::string path = folder / (c.through_link ? "link" : "file");
    const auto shown = bench.call(*read_tool, JsonObject{{"file_path", path}});
    ASSERT_TRUE(shown.has_value()) << shown.error().message;
    input["file_path"] = path;
    const auto changed = bench.call(tool, input);
    ASSERT_TRUE(changed.has_value()) << changed.error().message;
    ASSERT_EQ(folder.bytes("file"), after);
    EXPECT_EQ(disk.status(folder / "file")->mode, c.mode);
    EXPECT_EQ(disk.status(folder / "link")->kind, FileKind::symlink);
    EXPECT_EQ(folder.names(), (std::vector<std::string>{"file", "link"}));
  }

  TempFolder folder;
  DiskFiles disk{Survives::killed};
  ToolBench bench{disk};
  std::shared_ptr<Tool> read_tool = make_read_tool();
};

TEST_F(FileRoundTrip, AnEditChangesItsLinesAndNoOtherByte) {
  const auto tool = make_edit_tool();
  for_each_case([&](const FileCase& c) {
    const std::vector<std::u32string> before = {U"première ligne", U"second line", U"third \x00FC line", U"", U"fin"};
    const std::u32string start = join({U"première ligne"}, c.line_end, true);
    // The two new lines have the line end of the line that they replace; the last one keeps its own.
    const std::u32string middle = U"zweite Zeile ß" + std::u32string(c.line_end(1)) + U"neu";
    const std::u32string end = join({U"", U"third \x00FC line", U"", U"fin"}, c.line_end, c.has_last_end, 1);
    change(c, encode(join(before, c.line_end, c.has_last_end), c.written), *tool,
           {{"old_string", "second line\nthird"}, {"new_string", "zweite Zeile ß\nneu\nthird"}},
           encode(start + middle + end, c.written));
  });
}

TEST_F(FileRoundTrip, AnEditAtTheEndKeepsAMissingLastLineEndMissing) {
  const auto tool = make_edit_tool();
  for_each_case([&](const FileCase& c) {
    const std::u32string before = join({U"one", U"dernière"}, c.line_end, c.has_last_end);
    const std::u32string after = join({U"one", U"letzte \x00E4"}, c.line_end, c.has_last_end);
    change(c, encode(before, c.written), *tool, {{"old_string", "dernière"}, {"new_string", "letzte ä"}},
           encode(after, c.written));
  });
}

TEST_F(FileRoundTrip, AWriteKeepsEncodingAndLineEnds) {
  const auto tool = make_write_tool();
  for_each_case([&](const FileCase& c) {
    const std::u32string before = join({U"alpha é", U"beta", U"gamma", U"delta"}, c.line_end, c.has_last_end);
    // A whole new content has one kind of line end: the one that most lines had.
    const LineEndOf crlf = kLineEnds[1];
    const LineEndOf most = c.line_end == kLineEnds[3] ? crlf : c.line_end;
    change(c, encode(before, c.written), *tool, {{"content", "neu ö\nzwei"}},
           encode(join({U"neu ö", U"zwei"}, most, false), c.written));
  });
}

// The same with older encodings. Their samples are bytes already, so lines are joined as bytes.
void for_each_legacy_case(
    const std::function<void(const FileCase&, const testing::LegacySample&, std::string_view)>& check) {
  for (const testing::LegacySample& sample : testing::kLegacySamples) {
    for (const std::string_view line_end : {"\n", "\r\n", "\r"}) {
      for (const bool has_last_end : {true, false}) {
        for (const bool through_link : {false, true}) {
          check({.has_last_end = has_last_end, .mode = 0640, .through_link = through_link}, sample, line_end);
          if (::testing::Test::HasFailure()) return;
        }
      }
    }
  }
}

TEST_F(FileRoundTrip, AnEditOfAnOlderEncodingChangesItsSpanAndNoOtherByte) {
  const auto tool = make_edit_tool();
  for_each_legacy_case([&](const FileCase& c, const testing::LegacySample& sample, std::string_view line_end) {
    SCOPED_TRACE(to_string(sample.encoding));
    const auto& [first, second, third] = sample.lines;
    const std::string start = "// " + std::string(first.bytes) + std::string(line_end);
    const std::string end = " // " + std::string(first.bytes) + std::string(c.has_last_end ? line_end : "");
    change(
        c, start + std::string(second.bytes) + end, *tool,
        {{"old_string", second.text}, {"new_string", std::string(third.text) + "\nplain " + std::string(second.text)}},
        start + std::string(third.bytes) + std::string(line_end) + "plain " + std::string(second.bytes) + end);
  });
}

TEST_F(FileRoundTrip, AWriteKeepsAnOlderEncoding) {
  const auto tool = make_write_tool();
  for_each_legacy_case([&](const FileCase& c, const testing::LegacySample& sample, std::string_view line_end) {
    SCOPED_TRACE(to_string(sample.encoding));
    const auto& [first, second, third] = sample.lines;
    const std::string end(c.has_last_end ? line_end : "");
    change(c, std::string(first.bytes) + std::string(line_end) + std::string(second.bytes) + end, *tool,
           {{"content", std::string(third.text) + "\n" + std::string(first.text)}},
           std::string(third.bytes) + std::string(line_end) + std::string(first.bytes));
  });
}

TEST_F(FileRoundTrip, WhatTheEncodingLacksIsRefusedAndNothingIsWritten) {
  for (const testing::LegacySample& sample : testing::kLegacySamples) {
    if (sample.encoding == Encoding::gb18030) continue;  // has everything
    std::string before;
    for (const auto& line : sample.lines) before += std::string(line.bytes) + "\n";
    const std::string path = folder.put("file", before);
    ASSERT_TRUE(bench.call(*read_tool, JsonObject{{"file_path", path}}));
    const auto edited =
        bench.call(*make_edit_tool(),
                   JsonObject{{"file_path", path}, {"old_string", sample.lines[1].text}, {"new_string", "smile 😀"}});
    ASSERT_FALSE(edited.has_value()) << to_string(sample.encoding);
    EXPECT_EQ(edited.error().message,
              "new_string cannot be written into this file: the character “😀” does not exist in " +
                  std::string(to_string(sample.encoding)) + ".");
    EXPECT_FALSE(bench.call(*make_write_tool(), JsonObject{{"file_path", path}, {"content", "😀"}}));
    EXPECT_EQ(folder.bytes("file"), before);
  }
}

}  // namespace
}  // namespace deft
