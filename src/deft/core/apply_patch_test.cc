#include "deft/core/apply_patch.h"

#include <gtest/gtest.h>

namespace deft {
namespace {

// Between the first and the last line of a patch.
std::string patch(std::string_view body) { return "*** Begin Patch\n" + std::string(body) + "*** End Patch\n"; }

std::string problem_of(std::string_view text) {
  const auto parsed = parse_patch(text);
  return parsed ? "none" : std::string(to_string(parsed.error().code)) + ": " + parsed.error().message;
}

// The file after an update with this body, or the error.
std::string updated(std::string_view file, std::string_view body) {
  const auto parsed = parse_patch(patch("*** Update File: f\n" + std::string(body)));
  if (!parsed) return "parse: " + parsed.error().message;
  const auto applied = apply_chunks(file, parsed->at(0).chunks);
  return applied ? applied->bytes : std::string(to_string(applied.error().code)) + ": " + applied.error().message;
}

TEST(ParsePatch, KnowsEveryKindOfChange) {
  const auto parsed =
      parse_patch(patch("*** Add File: new file.txt\n+one\n+\n+two\n"
                        "*** Update File: a.cc\n*** Move to: b.cc\n@@ class A\n@@ void f()\n stays\n-goes\n+comes\n"
                        "@@\n-last\n*** End of File\n"
                        "*** Delete File: old\n"));
  ASSERT_TRUE(parsed.has_value()) << parsed.error().message;
  ASSERT_EQ(parsed->size(), 3U);
  EXPECT_EQ(parsed->at(0).kind, FilePatch::Kind::add);
  EXPECT_EQ(parsed->at(0).path, "new file.txt");
  EXPECT_EQ(parsed->at(0).content, "one\n\ntwo\n");
  const FilePatch& update = parsed->at(1);
  EXPECT_EQ(update.path, "a.cc");
  EXPECT_EQ(update.move_to, "b.cc");
  ASSERT_EQ(update.chunks.size(), 2U);
  EXPECT_EQ(update.chunks[0].anchors, (std::vector<std::string>{"class A", "void f()"}));
  EXPECT_EQ(update.chunks[0].lines.size(), 3U);
  EXPECT_FALSE(update.chunks[0].at_end);
  EXPECT_TRUE(update.chunks[1].anchors.empty());
  EXPECT_TRUE(update.chunks[1].at_end);
  EXPECT_EQ(parsed->at(2).kind, FilePatch::Kind::remove);
  EXPECT_EQ(parsed->at(2).path, "old");
}

TEST(ParsePatch, SaysWhichLineIsWrong) {
  EXPECT_EQ(problem_of("--- a\n+++ b\n"), "invalid_input: A patch begins with the line *** Begin Patch.");
  EXPECT_EQ(problem_of("*** Begin Patch\n*** Delete File: a\n"),
            "invalid_input: The patch does not end with the line *** End Patch, so a part of it may be missing: send "
            "it again, whole.");
  EXPECT_EQ(problem_of(patch("")), "invalid_input: The patch names no file.");
  EXPECT_EQ(problem_of(patch("*** Delete File:\n")),
            "invalid_input: Line 2 of the patch, “*** Delete File:”, names no path.");
  EXPECT_EQ(problem_of(patch("*** Rename File: a\n")),
            "invalid_input: Line 2 of the patch, “*** Rename File: a”, is none of *** Add File: PATH, *** Update File: "
            "PATH, *** Delete File: PATH and *** End Patch.");
  EXPECT_EQ(problem_of(patch("*** Add File: a\nx\n")),
            "invalid_input: Line 3 of the patch, “x”, does not begin with +, as every line of an added file does.");
  EXPECT_EQ(problem_of(patch("*** Update File: a\n@@\nx\n")),
            "invalid_input: Line 4 of the patch, “x”, begins with none of a blank (it stays), - (it goes), + (it "
            "comes), @@ and ***.");
  EXPECT_EQ(problem_of(patch("*** Update File: a\n")), "invalid_input: The patch updates a, but says no change of it.");
  EXPECT_EQ(problem_of(patch("*** Update File: a\n@@\n x\n")),
            "invalid_input: The chunk at line 3 of the patch changes nothing.");
  EXPECT_EQ(problem_of(patch("*** Delete File: a\n") + "rm -rf /\n"),
            "invalid_input: Line 4 of the patch, “rm -rf /”, stands behind the end of the patch.");
}

TEST(ParsePatch, HasLimits) {
  std::string many;
  for (std::size_t i = 0; i <= kPatchFilesMax; ++i) many += "*** Delete File: f" + std::to_string(i) + "\n";
  EXPECT_EQ(problem_of(patch(many)), "limit: A patch changes at most 200 files: send several.");
  EXPECT_EQ(problem_of(patch("*** Add File: a\n+" + std::string(kPatchTextBytesMax, 'x') + "\n")),
            "limit: The patch is larger than 4.0 MB: send several.");
}

TEST(ParsePatch, TakesLineEndsOfOthersAndBlankLinesBetweenFiles) {
  const auto all = parse_patch("\n*** Begin Patch\r\n*** Add File: a\r\n+x\r\n\r\n*** Delete File: b\r\n*** End Patch");
  ASSERT_TRUE(all.has_value()) << all.error().message;
  EXPECT_EQ(all->at(0).content, "x\n");
  EXPECT_EQ(all->at(1).path, "b");
}

TEST(ParsePatch, TakesOffWhatModelsWrapAPatchIn) {
  const std::string body = patch("*** Delete File: a\n");
  for (const std::string& wrapped :
       {"<<'EOF'\n" + body + "EOF\n", "apply_patch <<\"PATCH\"\n" + body + "PATCH", "<<EOF\n" + body + "EOF\n\n",
        "%%bash\napply_patch <<-'EOF'\n" + body + "EOF", "```\n" + body + "```\n", "```diff\n" + body + "\n```",
        "```sh\napply_patch <<'EOF'\n" + body + "EOF\n```\n", "<<'EOF'\n" + body}) {
    const auto parsed = parse_patch(wrapped);
    ASSERT_TRUE(parsed.has_value()) << wrapped << parsed.error().message;
    ASSERT_EQ(parsed->size(), 1U) << wrapped;
    EXPECT_EQ(parsed->at(0).path, "a");
    EXPECT_EQ(paths_in_patch(wrapped), std::vector<std::string>{"a"});
  }
  for (const std::string& other : {"rm -rf / <<'EOF'\n" + body + "EOF\n", "<<'EOF'\n" + body + "EOF\nrm -rf /\n",
                                   "<<'EOF\n" + body + "EOF\n", std::string("```"), std::string("<<A")}) {
    EXPECT_NE(problem_of(other), "none") << other;
  }
  EXPECT_EQ(problem_of("<<'EOF'\n" + patch("*** Rename File: a\n") + "EOF\n").substr(0, 34),
            "invalid_input: Line 3 of the patch")
      << "lines are counted as they were sent";
}

TEST(ParsePatch, BlanksAroundItsMarksDoNotMatterWhereNothingElseCanBeMeant) {
  const auto parsed = parse_patch(
      "  *** Begin Patch\n  *** Add File: a\n+x\n   *** Delete File: b \n *** Update File: c\n-1\n+2\n  *** End "
      "Patch ");
  ASSERT_TRUE(parsed.has_value()) << parsed.error().message;
  ASSERT_EQ(parsed->size(), 3U);
  EXPECT_EQ(parsed->at(0).content, "x\n");
  EXPECT_EQ(parsed->at(1).path, "b");
  EXPECT_EQ(parsed->at(2).path, "c");
  const auto line = parse_patch(patch("*** Update File: c\n *** Delete File: b\n-1\n+2\n"));
  ASSERT_TRUE(line.has_value()) << line.error().message;
  ASSERT_EQ(line->size(), 1U) << "in an update it is a line of the file";
  EXPECT_EQ(paths_in_patch(patch("*** Update File: c\n *** Delete File: b\n-1\n+2\n")), std::vector<std::string>{"c"});
}

TEST(ParsePatch, NamesItsPathsAlsoWhereItIsBroken) {
  EXPECT_EQ(paths_in_patch("*** Update File: a\n*** Move to: b\nnonsense\n*** Delete File:  c d \n*** Add File: /e"),
            (std::vector<std::string>{"a", "b", "c d", "/e"}));
  EXPECT_TRUE(paths_in_patch("nothing").empty());
}

TEST(ApplyChunks, ReplacesLinesBetweenThoseThatStay) {
  EXPECT_EQ(updated("a\nb\nc\nd\n", " a\n-b\n+B1\n+B2\n c\n"), "a\nB1\nB2\nc\nd\n");
  EXPECT_EQ(updated("a\nb\nc\nd\n", "@@\n-a\n@@\n c\n+x\n"), "b\nc\nx\nd\n");
  EXPECT_EQ(updated("a\nb\n\nd\n", " b\n\n-d\n+D\n"), "a\nb\n\nD\n") << "an empty line is a line that stays";
}

TEST(ApplyChunks, FindsTheRightOneOfSeveralByTheLineAbove) {
  const std::string file =
      "class A:\n    def f(self):\n        return 1\nclass B:\n    def f(self):\n        return 1\n";
  EXPECT_EQ(
      updated(file, "-        return 1\n+        return 2\n"),
      "invalid_input: What the chunk at line 3 of the patch looks for is at several lines (3, 6): add lines around "
      "it, or name a line above it with @@.");
  EXPECT_EQ(updated(file, "@@ class B:\n@@ def f(self):\n-        return 1\n+        return 2\n"),
            "class A:\n    def f(self):\n        return 1\nclass B:\n    def f(self):\n        return 2\n");
  EXPECT_EQ(updated(file, "@@ class C:\n-        return 1\n+        return 2\n"),
            "not_found: The line “class C:” that the chunk at line 3 of the patch names behind @@ is not in the file.");
  EXPECT_EQ(updated(file, "@@ -4,3 +4,3 @@ class B:\n-        return 1\n+        return 3\n"),
            "class A:\n    def f(self):\n        return 1\nclass B:\n    def f(self):\n        return 3\n")
      << "numbers of other formats say nothing";
}

TEST(ApplyChunks, BlanksAtLineEndsDoNotMatterAndStay) {
  EXPECT_EQ(updated("a  \nb\t\nc\n", " a\n-b\n+B\n c\n"), "a  \nB\nc\n");
  EXPECT_EQ(updated("  a\nb\n", " a\n-b\n+B\n"),
            "not_found: The chunk at line 3 of the patch was not found: it differs in white space (blanks, tabs, "
            "indentation) from the text at line 1; copy that exactly.")
      << "indentation does";
}

TEST(ApplyChunks, FineSignsOfTheFileAreFoundByTheirPlainForms) {
  EXPECT_EQ(updated("say “hi” – now\nb\n", " say \"hi\" - now\n-b\n+B\n"), "say “hi” – now\nB\n")
      << "and stay as they are";
  EXPECT_EQ(updated("it’s\u00A0so\n", "-it's so\n+it was so\n"), "it was so\n");
  EXPECT_EQ(updated("# “A”\nx\n# B\nx\n", "@@ # \"A\"\n-x\n+y\n"), "# “A”\ny\n# B\nx\n");
  EXPECT_EQ(updated("“a”\n\"a\"\n", "-\"a\"\n+b\n"), "“a”\nb\n") << "the exact one is meant";
  EXPECT_EQ(updated("“a”\n„a“\n", "-\"a\"\n+b\n").substr(0, 13), "invalid_input") << "two of them: which?";
}

TEST(ApplyChunks, TheLineBehindTheMarkMayBeSaidOnceMore) {
  const std::string file = "void a() {\n  x;\n}\nvoid b() {\n  x;\n}\n";
  EXPECT_EQ(updated(file, "@@ void b() {\n void b() {\n-  x;\n+  y;\n }\n"),
            "void a() {\n  x;\n}\nvoid b() {\n  y;\n}\n");
}

TEST(ApplyChunks, AnEmptyLineAtItsEndMayStandForTheLastLineEnd) {
  EXPECT_EQ(updated("a\nb\n", " a\n-b\n+c\n \n"), "a\nc\n");
  EXPECT_EQ(updated("a\nb\nd\n", " a\n-b\n+c\n \n").substr(0, 9), "not_found") << "not in the middle";
}

TEST(ApplyChunks, VeryManyLinesThatAreAlikeAreGivenUpOn) {
  std::string file;
  std::string body;
  for (int i = 0; i < 60'000; ++i) file += "x\n";
  for (int i = 0; i < 30'000; ++i) body += " x\n";
  EXPECT_EQ(updated(file, body + "-y\n"),
            "limit: The file has too many lines like those of the chunk at line 3 of the patch: give it fewer lines "
            "that stay, and name a line above it with @@.");
}

TEST(ApplyChunks, TheEndOfTheFileIsAPlace) {
  EXPECT_EQ(updated("x\ny\nx\n", "-x\n+z\n*** End of File\n"), "x\ny\nz\n");
  EXPECT_EQ(
      updated("x\ny\n", "-x\n+z\n*** End of File\n"),
      "not_found: What the chunk at line 3 of the patch looks for is at line 1, which is not the end of the file.");
  EXPECT_EQ(updated("x\n", "+y\n"), "x\ny\n") << "only new lines, and no place: at the end";
  EXPECT_EQ(updated("", "+y\n"), "y\n");
  EXPECT_EQ(updated("a\nb\n", "@@ a\n+x\n"), "a\nx\nb\n") << "below the line that is named";
}

TEST(ApplyChunks, AMissingLastLineEndStaysMissing) {
  EXPECT_EQ(updated("a\nb", " a\n-b\n+c\n"), "a\nc");
  EXPECT_EQ(updated("a\nb", "+c\n"), "a\nb\nc");
  EXPECT_EQ(updated("a\nb", "-b\n"), "a\n");
  EXPECT_EQ(updated("a\nb", "@@\n-b\n@@\n+c\n"), "a\nc");
}

TEST(ApplyChunks, KeepsLineEndsAndEncodingOfTheFile) {
  EXPECT_EQ(updated("a\r\nb\r\nc\r\n", " a\n-b\n+B\n+B\n"), "a\r\nB\r\nB\r\nc\r\n");
  EXPECT_EQ(updated("caf\xE9 \xFC"
                    "ber\nb\n",
                    " café über\n-b\n+ß\n"),
            "caf\xE9 \xFC"
            "ber\n\xDF\n");
}

TEST(ApplyChunks, ChunksAreInTheOrderOfTheFile) {
  EXPECT_EQ(
      updated("a\nb\nc\n", "@@\n-c\n+C\n@@\n-a\n+A\n"),
      "not_found: What the chunk at line 6 of the patch looks for is at line 1, above what comes before it in the "
      "patch (line 3): chunks are in the order of the file, and do not overlap.");
  EXPECT_EQ(updated("a\nb\n", "-a\n+A\n b\n@@\n b\n+c\n").substr(0, 9), "not_found");
}

TEST(ApplyChunks, SaysWhyLinesAreNotFound) {
  EXPECT_EQ(updated("int x;\nint y;\n", " int x;\n-int z;\n+int w;\n"),
            "not_found: The chunk at line 3 of the patch was not found: its first line is line 1 of the file, but then "
            "line 2 is “int y;”, not “int z;”.");
  EXPECT_EQ(updated("\tint x;\n", "-    int x;\n"),
            "not_found: The chunk at line 3 of the patch was not found: it differs in white space (blanks, tabs, "
            "indentation) from the text at line 1; copy that exactly.");
  EXPECT_EQ(updated(std::string_view("a\0b\n", 4), "-a\n"),
            "unsupported: The file is binary, not text: change it with a program that knows its format.");
}

TEST(ApplyChunks, ReportsWhereChunksWereFoundAndWhatChanged) {
  const auto parsed = parse_patch(patch("*** Update File: f\n@@\n b\n-c\n+C\n@@ e\n+new\n"));
  ASSERT_TRUE(parsed.has_value());
  const auto applied = apply_chunks("a\nb\nc\nd\ne\nf\n", parsed->at(0).chunks);
  ASSERT_TRUE(applied.has_value()) << applied.error().message;
  EXPECT_EQ(applied->bytes, "a\nb\nC\nd\ne\nnew\nf\n");
  EXPECT_EQ(applied->replaced, (std::vector<LineRange>{{2, 3}, {5, 5}}));
  EXPECT_EQ(applied->changes, (std::vector<LineChange>{{2, 1, 2, 1}, {5, 0, 5, 1}}));
}

}  // namespace
}  // namespace deft
