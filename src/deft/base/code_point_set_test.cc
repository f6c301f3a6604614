#include "deft/base/code_point_set.h"

#include <gtest/gtest.h>

#include "deft/base/unicode_property.h"

namespace deft {
namespace {

using Ranges = std::vector<CodePointRange>;

CodePointSet set_of(Ranges ranges) { return CodePointSet(std::move(ranges)); }

TEST(CodePointSet, KeepsItsRangesSortedAndApart) {
  EXPECT_EQ(set_of({{'x', 'z'}, {'a', 'c'}, {'d', 'f'}, {'b', 'b'}}).ranges(), (Ranges{{'a', 'f'}, {'x', 'z'}}));
  EXPECT_EQ(set_of({{'a', 'z'}, {'b', 'c'}}).ranges(), (Ranges{{'a', 'z'}}));
  EXPECT_EQ(set_of({{'a', 'c'}, {'x', 'x'}}).size(), 4U);
  EXPECT_TRUE(set_of({}).is_empty());
}

TEST(CodePointSet, KnowsItsMembers) {
  const CodePointSet set = set_of({{'a', 'c'}, {'x', 'x'}});
  for (const char32_t c : {U'a', U'b', U'c', U'x'}) EXPECT_TRUE(set.contains(c));
  for (const char32_t c : {U'`', U'd', U'w', U'y', U'\0', U'\U0010FFFF'}) EXPECT_FALSE(set.contains(c));
}

TEST(CodePointSet, UnitesIntersectsSubtractsAndNegates) {
  const CodePointSet letters = set_of({{'a', 'm'}});
  const CodePointSet others = set_of({{'f', 'z'}});
  EXPECT_EQ((letters | others).ranges(), (Ranges{{'a', 'z'}}));
  EXPECT_EQ((letters & others).ranges(), (Ranges{{'f', 'm'}}));
  EXPECT_EQ((letters - others).ranges(), (Ranges{{'a', 'e'}}));
  EXPECT_EQ(letters.complement().ranges(), (Ranges{{0, '`'}, {'n', kCodePointMax}}));
  EXPECT_EQ(letters.complement().complement(), letters);
  EXPECT_TRUE(CodePointSet::everything().complement().is_empty());
}

TEST(CodePointSet, FindsAllThatDiffersOnlyInCase) {
  EXPECT_EQ(CodePointSet::of('a').with_other_cases().ranges(), (Ranges{{'A', 'A'}, {'a', 'a'}}));
  // K, k and the Kelvin sign; S, s and the long s; the three sigmas.
  EXPECT_EQ(CodePointSet::of('k').with_other_cases().ranges(), (Ranges{{'K', 'K'}, {'k', 'k'}, {0x212A, 0x212A}}));
  EXPECT_EQ(CodePointSet::of(0x17F).with_other_cases().ranges(), (Ranges{{'S', 'S'}, {'s', 's'}, {0x17F, 0x17F}}));
  EXPECT_EQ(CodePointSet::of(0x3C2).with_other_cases().ranges(), (Ranges{{0x3A3, 0x3A3}, {0x3C2, 0x3C3}}));
  EXPECT_EQ(set_of({{'0', '9'}}).with_other_cases().ranges(), (Ranges{{'0', '9'}}));
  EXPECT_EQ(set_of({{'a', 'z'}}).with_other_cases().ranges(),
            (Ranges{{'A', 'Z'}, {'a', 'z'}, {0x17F, 0x17F}, {0x212A, 0x212A}}));
}

// The tables are made from perl's data; PCRE2 brings its own.
TEST(CodePointSet, TheTablesAgreeWithPcre2) {
  const auto property = [](std::string_view name) { return unicode_property(name).value(); };
  EXPECT_EQ(unicode_set(CharacterKind::word),
            property("Alphabetic") | property("M") | property("Nd") | property("Pc") | property("Join_Control"));
  EXPECT_EQ(unicode_set(CharacterKind::digit), property("Nd"));
  EXPECT_EQ(unicode_set(CharacterKind::space), property("White_Space"));
  EXPECT_EQ(ascii_set(CharacterKind::word).size(), 63U);

  for (const FoldRun& run : unicode_fold()) {
    for (char32_t c = run.low; c <= run.high; c += run.step) {
      EXPECT_GT(CodePointSet::of(c).with_other_cases().size(), 1U) << std::hex << static_cast<unsigned>(c);
    }
  }
  std::size_t alone = 0;
  const CodePointSet cased = property("Changes_When_Casefolded");
  for (const CodePointRange& range : cased.ranges()) {
    for (char32_t c = range.low; c <= range.high; ++c) {
      if (CodePointSet::of(c).with_other_cases().size() == 1) ++alone;
    }
  }
  EXPECT_LT(alone, 110U);  // ligatures and their like, which only full folding unites with others
}

TEST(UnicodeProperty, KnowsCategoriesScriptsAndBinaryProperties) {
  for (const char* name : {"Lu", "lu", "Uppercase_Letter", "uppercase letter", "gc=Lu", "General_Category=Lu"}) {
    EXPECT_EQ(unicode_property(name), unicode_property("Lu")) << name;
  }
  EXPECT_TRUE(unicode_property("Greek")->contains(U'Ω'));
  EXPECT_FALSE(unicode_property("Greek")->contains('O'));
  EXPECT_EQ(unicode_property("sc=Greek"), unicode_property("Greek"));
  EXPECT_TRUE(unicode_property("scx=Greek")->contains(0x342));
  EXPECT_TRUE(unicode_property("Emoji")->contains(0x1F600));
  EXPECT_EQ(unicode_property("any")->size(), kCodePointMax + 1);
  EXPECT_EQ(unicode_property("ASCII")->size(), 128U);
  EXPECT_EQ(*unicode_property("Assigned"), unicode_property("Cn")->complement());
}

TEST(UnicodeProperty, WhatDoesNotExistIsNothing) {
  for (const char* name : {"", "Klingon", "L}", "sc=", "gc=Greek", "x=y", "L u\n"}) {
    EXPECT_FALSE(unicode_property(name)) << name;
  }
  EXPECT_FALSE(unicode_property(std::string(100, 'L')));
}

}  // namespace
}  // namespace deft
