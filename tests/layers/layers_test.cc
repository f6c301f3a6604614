#include "layers.h"
#include "defined_types.h"
#include "deft/testing/places.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace deft {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(Layers, TheProjectKeepsItsOwnRules) {
  const SourceTree tree = check_tree(DEFT_SOURCE_DIR);
  EXPECT_GT(tree.files, 10U) << "the sources were not found";
  EXPECT_THAT(tree.violations, IsEmpty());
}

TEST(Layers, AnIncludeAgainstTheDirectionIsNamedWithItsFileAndLine) {
  const std::string source =
      "#include \"deft/core/made_up.h\"\n"
      "#include <vector>\n"
      "#include \"deft/base/json.h\"\n"
      "\n"
      "  #  include \"deft/os/files.h\"  // needed\n";
  EXPECT_THAT(check_source("src/deft/core/made_up.cc", source),
              ElementsAre(Violation{"src/deft/core/made_up.cc", 5, "core must not include \"deft/os/files.h\""}));
}

TEST(Layers, EveryLayerIncludesOnlyWhatIsBelowIt) {
  const auto allowed = [](const std::string& from, const std::string& to) {
    return check_source("src/deft/" + from + "/x.cc", "#include \"deft/" + to + "/y.h\"\n").empty();
  };
  EXPECT_TRUE(allowed("ui", "agent"));
  EXPECT_TRUE(allowed("agent", "tools"));
  EXPECT_TRUE(allowed("mcp", "tools"));
  EXPECT_TRUE(allowed("base", "base"));
  EXPECT_TRUE(allowed("testing", "ui"));
  EXPECT_FALSE(allowed("base", "core"));
  EXPECT_FALSE(allowed("os", "core"));
  EXPECT_FALSE(allowed("shell", "core"));
  EXPECT_FALSE(allowed("model", "tools"));
  EXPECT_FALSE(allowed("agent", "ui"));
  EXPECT_FALSE(allowed("core", "made_up"));
}

TEST(Layers, OnlyTestsIncludeWhatIsFake) {
  const std::string source = "#include \"deft/testing/fake_files.h\"\n";
  EXPECT_THAT(check_source("src/deft/tools/read_test.cc", source), IsEmpty());
  EXPECT_EQ(check_source("src/deft/tools/read.cc", source).size(), 1U);
  EXPECT_EQ(check_source("src/main.cc", source).size(), 1U);
}

TEST(Layers, TheWardenStandsAloneAndOnlyItsProtocolIsKnownOutside) {
  EXPECT_THAT(check_source("src/warden/launch.cc", "#include \"warden/system.h\"\n"), IsEmpty());
  EXPECT_EQ(check_source("src/warden/launch.cc", "#include \"deft/base/json.h\"\n").size(), 1U);
  EXPECT_THAT(check_source("src/deft/os/warden_link.cc", "#include \"warden/protocol.h\"\n"), IsEmpty());
  EXPECT_EQ(check_source("src/deft/os/warden_link.cc", "#include \"warden/launch.h\"\n").size(), 1U);
  EXPECT_EQ(check_source("src/deft/core/x.cc", "#include \"warden/protocol.h\"\n").size(), 1U);
}

TEST(Layers, NoSpellingOfAnIncludePassesByTheTable) {
  const auto findings = [](const std::string& line) { return check_source("src/deft/core/x.cc", line).size(); };
  EXPECT_EQ(findings("#include <deft/os/files.h>"), 1U);
  EXPECT_EQ(findings("#include \"../os/files.h\""), 1U);
  EXPECT_EQ(findings("#include \"x.h\""), 1U);
  EXPECT_EQ(findings("#include FILES_HEADER"), 1U);
  EXPECT_EQ(findings("#include\"deft/os/files.h\"\r"), 1U);
  EXPECT_EQ(findings("// #include \"deft/os/files.h\""), 0U);
}

TEST(Layers, AFolderThatIsNoLayerIsRefused) {
  EXPECT_THAT(check_source("src/deft/helpers/x.cc", ""),
              ElementsAre(Violation{"src/deft/helpers/x.cc", 1, "helpers is not a layer in tests/layers/layers.cc"}));
}

TEST(Layers, APureLayerHasNoThreadsNoFilesAndNoClock) {
  const std::string source =
      "#include <mutex>\n"
      "#include <sys/stat.h>\n"
      "const auto now = std::chrono::steady_clock::now();\n"
      "// steady_clock::now() is read by the caller\n";
  EXPECT_EQ(check_source("src/deft/core/x.cc", source).size(), 3U);
  EXPECT_EQ(check_source("src/deft/shell/x.h", source).size(), 3U);
  EXPECT_THAT(check_source("src/deft/os/x.cc", source), IsEmpty());
  EXPECT_THAT(check_source("src/deft/core/x_test.cc", source), IsEmpty());
}

TEST(Layers, NoTwoFilesDefineATypeOfTheSameName) {
  TypeNames names;
  const std::string source = "namespace deft {\nstruct Found { int a; };\n}\n";
  EXPECT_THAT(names.check("src/deft/core/a.h", source), IsEmpty());
  EXPECT_THAT(names.check("src/deft/core/b.h", "namespace deft { struct Found; class Other; }"), IsEmpty());
  EXPECT_THAT(names.check("src/deft/core/c.h", "namespace deft { namespace { struct Found {}; } }"), IsEmpty());
  EXPECT_THAT(names.check("src/deft/core/d.h", "namespace deft { struct D { struct Found {}; }; }"), IsEmpty());
  EXPECT_THAT(
      names.check("src/deft/ui/e.cc", source),
      ElementsAre(Violation{"src/deft/ui/e.cc", 2, "deft::Found is the name of another type, in src/deft/core/a.h"}));
}

TEST(DefinedTypes, AreFoundHoweverTheyAreWritten) {
  const std::string source = R"cc(
#define BRACE {
    namespace deft {  // struct Comment {
    enum class Color : std::uint8_t { red };
    template <class T, class V = std::vector<std::vector<T>>>
    class Pair final : public Base<T> {
      struct Inner {};
    };
    template <>
    struct hash<Color> {};
    struct [[nodiscard]] Marked {};
    class Pair<int>::Outer {};
    class Owner::Watch final : public Frontend {
      void f() {
        struct Local {};
      }
    };
    const char* text = "struct Quoted {";
    char c = '{';
    auto n = 1'000'000;
    auto raw = R"x(struct Raw { " ) )x";
    struct Declared;
    struct Declared make() { return {}; }
    Declared value{.a = 1};
    namespace testing::inner {
    union Both {
      int a;
    };
    }
    namespace {
    struct Hidden {};
    }
    }
    struct Outside {};
  )cc";
  std::vector<std::string> names;
  for (const DefinedType& type : types_defined_in(source)) names.push_back(type.name);
  EXPECT_THAT(names, ElementsAre("deft::Color", "deft::Pair", "deft::Marked", "deft::Owner::Watch",
                                 "deft::testing::inner::Both"));
}

TEST(Layers, AFileMayHaveSixHundredLinesAndNotOneMore) {
  std::string source;
  for (std::size_t i = 0; i < kSourceLinesMax; ++i) source += "\n";
  EXPECT_THAT(check_source("src/deft/core/x.cc", source), IsEmpty());
  EXPECT_THAT(check_source("tests/e2e/x.cc", source + "one more"),
              ElementsAre(Violation{"tests/e2e/x.cc", 601, "the file has 601 lines; split it by subject"}));
}

}  // namespace
}  // namespace deft
