#include "deft/tools/read_pdf.h"

#include <gtest/gtest.h>

#include "deft/base/base64.h"
#include "deft/core/image_info.h"
#include "deft/os/disk_files.h"
#include "deft/os/warden_processes.h"
#include "deft/testing/fake_files.h"
#include "deft/testing/fake_processes.h"
#include "deft/testing/temp_folder.h"
#include "deft/testing/tool_bench.h"
#include "deft/tools/read.h"
#include "deft/tools/shown_image.h"

// With poppler's real programs (package poppler-utils), on documents that are made here.

namespace deft {
namespace {

struct PdfPage {
  std::string drawing;
  int width = 612;
  int height = 792;
};

PdfPage page_with_text(const std::string& text) { return {"BT /F1 24 Tf 72 700 Td (" + text + ") Tj ET"}; }
PdfPage page_with_rectangle() { return {"0.9 0.1 0.1 rg 100 100 300 300 re f"}; }

std::string make_pdf(const std::vector<PdfPage>& pages, std::string_view trailer_entries = "") {
  std::string pdf = "%PDF-1.4\n";
  std::vector<std::size_t> offsets;
  const auto add = [&](const std::string& body) {
    offsets.push_back(pdf.size());
    pdf += std::to_string(offsets.size()) + " 0 obj\n" + body + "\nendobj\n";
  };
  std::string kids;
  for (std::size_t i = 0; i < pages.size(); ++i) kids += std::to_string(4 + 2 * i) + " 0 R ";
  add("<</Type/Catalog/Pages 2 0 R>>");
  add("<</Type/Pages/Kids[" + kids + "]/Count " + std::to_string(pages.size()) + ">>");
  add("<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>");
  for (const PdfPage& page : pages) {
    add("<</Type/Page/Parent 2 0 R/Resources<</Font<</F1 3 0 R>>>>/MediaBox[0 0 " + std::to_string(page.width) + " " +
        std::to_string(page.height) + "]/Contents " + std::to_string(offsets.size() + 2) + " 0 R>>");
    add("<</Length " + std::to_string(page.drawing.size()) + ">>\nstream\n" + page.drawing + "\nendstream");
  }
  const std::size_t table = pdf.size();
  pdf += "xref\n0 " + std::to_string(offsets.size() + 1) + "\n0000000000 65535 f \n";
  for (const std::size_t offset : offsets) {
    const std::string digits = std::to_string(offset);
    pdf += std::string(10 - digits.size(), '0') + digits + " 00000 n \n";
  }
  pdf += "trailer\n<</Size " + std::to_string(offsets.size() + 1) + "/Root 1 0 R" + std::string(trailer_entries) +
         ">>\nstartxref\n" + std::to_string(table) + "\n%%EOF\n";
  return pdf;
}

class ReadPdf : public ::testing::Test {
 protected:
  ReadPdf() { bench.use(processes); }
  Result<ToolResult> read(const std::string& pdf, std::string_view pages = "") {
    JsonObject input = {{"file_path", folder.put("a.pdf", pdf)}};
    if (!pages.empty()) input["pages"] = pages;
    return bench.call(*tool, input);
  }
  std::string error(const std::string& pdf, std::string_view pages = "") {
    const auto result = read(pdf, pages);
    return result ? "no error: " + result->text : result.error().message;
  }

  TempFolder folder;
  SystemClock clock;
  WardenProcesses processes{clock};
  DiskFiles disk;
  ToolBench bench{disk};
  std::shared_ptr<Tool> tool = make_read_tool();
};

TEST_F(ReadPdf, ShowsTheTextOfEachPageAndThePictureOfOneWithoutText) {
  const auto result =
      read(make_pdf({page_with_text("Hello one"), page_with_rectangle(), page_with_text("Hello three")}));
  ASSERT_TRUE(result.has_value()) << result.error().message;
  EXPECT_NE(result->text.find("[Page 1]\n"), std::string::npos) << result->text;
  EXPECT_LT(result->text.find("Hello one"), result->text.find("[Page 2]\n[no text: picture 1 below]")) << result->text;
  EXPECT_LT(result->text.find("[Page 3]\n"), result->text.find("Hello three")) << result->text;
  ASSERT_EQ(result->blocks.size(), 1U);
  const Json* source = find(result->blocks[0], "source");
  EXPECT_EQ(find_string(*source, "media_type"), "image/png");
  const auto picture = image_info(from_base64(find_string(*source, "data").value()).value());
  ASSERT_TRUE(picture.has_value());
  EXPECT_EQ(picture->height, kImageShownSidePointsMax);
  EXPECT_EQ(find_string(result->details, "type"), "parts");
  EXPECT_EQ(find_int(*find(result->details, "file"), "count"), 3);
}

TEST_F(ReadPdf, TextKeepsItsLayout) {
  const auto result =
      read(make_pdf({{"BT /F1 12 Tf 72 700 Td (left) Tj 200 0 Td (right) Tj -200 -14 Td (below) Tj ET"}}));
  ASSERT_TRUE(result.has_value()) << result.error().message;
  EXPECT_NE(result->text.find("left   "), std::string::npos) << result->text;
  EXPECT_LT(result->text.find("right\n"), result->text.find("below")) << result->text;
}

TEST_F(ReadPdf, OfALongDocumentPagesMustBeNamed) {
  std::vector<PdfPage> pages;
  for (int i = 1; i <= 25; ++i) pages.push_back(page_with_text("This is page no " + std::to_string(i)));
  const std::string pdf = make_pdf(pages);
  EXPECT_EQ(error(pdf), folder /
                            "a.pdf (PDF): It has 25 pages, too many for one look: give pages, at most 20 at once, "
                            "for example \"1-5\".");
  EXPECT_TRUE(error(pdf, "1-25").ends_with("At most 20 pages are shown at once: give \"1-20\", then the rest."));
  EXPECT_TRUE(error(pdf, "26").ends_with("It has only 25 pages: give earlier ones."));
  const auto result = read(pdf, "3-4");
  ASSERT_TRUE(result.has_value()) << result.error().message;
  EXPECT_EQ(result->text.find("no 2"), std::string::npos);
  EXPECT_NE(result->text.find("no 3"), std::string::npos);
  EXPECT_TRUE(result->text.ends_with("no 4\n\n[Pages 3 to 4 of 25. Go on with pages \"5-24\".]")) << result->text;
}

TEST_F(ReadPdf, AHugePageIsDrawnSmall) {
  PdfPage huge{.drawing = "0 0 100000 100000 re f", .width = 2'000'000, .height = 1'000'000};
  const auto result = read(make_pdf({huge}));
  ASSERT_TRUE(result.has_value()) << result.error().message;
  ASSERT_EQ(result->blocks.size(), 1U) << result->text;
  const auto picture = image_info(from_base64(find_string(*find(result->blocks[0], "source"), "data").value()).value());
  ASSERT_TRUE(picture.has_value());
  EXPECT_LE(std::max(picture->width, picture->height), kImageShownSidePointsMax);
}

TEST_F(ReadPdf, APageWithTooMuchTextIsCut) {
  std::string drawing = "BT /F1 10 Tf 12 TL 10 3980 Td ";
  const std::string words(900, 'x');
  for (int line = 0; line < 300; ++line) drawing += "(" + words + ") Tj T* ";
  const auto result = read(make_pdf({{drawing + "ET", 6000, 4000}, page_with_text("second")}));
  ASSERT_TRUE(result.has_value()) << result.error().message;
  EXPECT_LE(result->text.size(), kReadCharactersMax);
  EXPECT_NE(result->text.find("[cut: the page is longer than can be shown]"), std::string::npos);
  EXPECT_TRUE(result->text.ends_with("[Pages 1 to 1 of 2. Go on with pages \"2-2\".]"));
}

TEST_F(ReadPdf, BrokenAndLockedDocumentsAreAnsweredClearly) {
  const std::string path = folder / "a.pdf (PDF)";
  EXPECT_EQ(error("%PDF-1.4\nthis is none"), path + " is damaged: pdfinfo cannot read it.");
  EXPECT_EQ(error(make_pdf({page_with_text("x")}).substr(0, 60)), path + " is damaged: pdfinfo cannot read it.");
  const std::string key(64, '0');
  EXPECT_EQ(
      error(make_pdf({page_with_text("x")}, "/ID[<00><00>]/Encrypt<</Filter/Standard/V 2/R 3/Length 128/P -44/O<" +
                                                key + ">/U<" + key + ">>>")),
      path + " is locked with a password: ask the user for a copy without one.");
}

TEST_F(ReadPdf, PagesOfWhatIsNoPdfAreAMistake) {
  EXPECT_EQ(error("plain text\n", "1-2"), folder / "a.pdf is no PDF, so it has no pages: leave pages out.");
}

TEST(ReadPdfWithoutPoppler, SaysWhatToInstall) {
  FakeFiles files;
  files.put("/p/a.pdf", make_pdf({page_with_text("x")}));
  files.put("/p/pdfinfo", "a program of the project's own", 0755);
  ToolBench bench(files, "/p");
  const auto result = bench.call(*make_read_tool(), JsonObject{{"file_path", "/p/a.pdf"}});
  ASSERT_FALSE(result.has_value());
  EXPECT_EQ(result.error().code, Errc::unsupported);
  EXPECT_TRUE(result.error().message.starts_with(
      "Reading a PDF takes the program pdfinfo, which is not installed: install poppler-utils"));
}

class ReadPdfWithFakes : public ::testing::Test {
 protected:
  ReadPdfWithFakes() {
    files.put("/p/a.pdf", "%PDF-1.4 whatever");
    for (const char* name : {"pdfinfo", "pdftotext", "pdftoppm"}) {
      files.put("/usr/bin/" + std::string(name), "program", 0755);
    }
    bench.use(processes);
  }
  std::string read() {
    const auto result = bench.call(*make_read_tool(), JsonObject{{"file_path", "/p/a.pdf"}});
    return result ? result->text : "ERROR " + result.error().message;
  }
  using Script = testing::CommandScript;

  FakeFiles files;
  testing::FakeProcesses processes;
  ToolBench bench{files};
};

TEST_F(ReadPdfWithFakes, ProgramsGetTheBytesLimitsAndNothingElse) {
  processes.add("pdfinfo", Script{.output = {"Pages: 1\n"}});
  processes.add("pdftotext", Script{.output = {"  the text\n\n"}});
  EXPECT_EQ(read(), "[Page 1]\n  the text");
  for (const Command& command : processes.commands()) {
    EXPECT_TRUE(command.argv.front().starts_with("/usr/bin/"));
    EXPECT_EQ(command.input, "%PDF-1.4 whatever");
    EXPECT_EQ(command.environment,
              (std::vector<std::string>{"PATH=/usr/bin:/bin", "HOME=/nonexistent", "LC_ALL=C.UTF-8"}));
    EXPECT_TRUE(command.limits.memory_bytes && command.limits.file_bytes && command.limits.open_files);
    EXPECT_EQ(command.restriction, Restriction::read_only);
  }
}

TEST_F(ReadPdfWithFakes, AProgramThatNeverEndsOrNeverStopsTalkingIsEnded) {
  processes.add("pdfinfo", Script{.life = Script::Life::until_deadline});
  processes.add("pdfinfo", Script{.output = std::vector<std::string>(40, std::string(64 << 10, 'x'))});
  processes.add("pdfinfo", Script{.end = CommandEnd{.signal = 9}});
  EXPECT_EQ(read(), "ERROR /p/a.pdf (PDF) cannot be read: pdfinfo took too long.");
  EXPECT_EQ(read(), "ERROR /p/a.pdf (PDF) cannot be read: pdfinfo gave more than can be shown.");
  EXPECT_EQ(read(), "ERROR /p/a.pdf (PDF) cannot be read: pdfinfo died of signal 9.");
}

TEST_F(ReadPdfWithFakes, WhereTheKernelCannotRestrictThemTheyRunWithTheirLimits) {
  processes.add("pdfinfo", Script{.end = fail(Errc::unsupported, "no restriction here")});
  processes.add("pdfinfo", Script{.output = {"Pages: 1\n"}});
  processes.add("pdftotext", Script{.output = {"text"}});
  EXPECT_EQ(read(), "[Page 1]\ntext");
  EXPECT_EQ(processes.commands().at(1).restriction, Restriction::none);
  EXPECT_TRUE(processes.commands().at(1).limits.memory_bytes);
}

TEST_F(ReadPdfWithFakes, ACancelEndsTheProgram) {
  processes.add("pdfinfo", Script{.life = Script::Life::until_stopped});
  bench.stop().request_stop();
  EXPECT_EQ(read(), "ERROR The read was cancelled.");
}

TEST_F(ReadPdfWithFakes, APageThatCannotBeDrawnLeavesTheOthers) {
  processes.add("pdfinfo", Script{.output = {"Title: x\nPages:          2\n"}});
  processes.add("-f 1", Script{});
  processes.add("-f 2", Script{.output = {"second"}});
  EXPECT_EQ(read(), "[Page 1]\n[/p/a.pdf (PDF): page 1 cannot be drawn.]\n\n[Page 2]\nsecond");
}

}  // namespace
}  // namespace deft
