#include "deft/tools/grep_file.h"

#include <fcntl.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>

#include "deft/os/unique_fd.h"
#include "deft/testing/temp_folder.h"

namespace deft {
namespace {

using namespace std::string_literals;

// A second passes whenever somebody looks.
class ImpatientClock final : public Clock {
 public:
  TimePoint now() const override { return TimePoint(std::chrono::seconds(++looks_)); }
  WallTime wall_time() const override { return {}; }

 private:
  mutable std::atomic<int> looks_ = 0;
};

class GrepFileTest : public ::testing::Test {
 protected:
  GrepFinding search(std::string_view bytes, GrepQuery query, const Clock& clock, Duration time_max) {
    const TempFolder folder;
    const UniqueFd fd(::open(folder.put("f", bytes).c_str(), O_RDONLY | O_CLOEXEC));
    SearchStop stop({}, clock, time_max);
    std::mutex large_file;
    const auto pattern = compile_grep_pattern(query);
    GrepFile worker(query, *pattern, stop, large_file);
    const GrepFormat format{.path = "f",
                            .lines_before = query.lines_before,
                            .lines_after = query.lines_after,
                            .lines_max = 1'000'000,
                            .bytes_max = 100'000'000};
    GrepFinding finding = worker.search(fd.get(), bytes.size(), format, GrepFile::Origin::found);
    timed_out = stop.timed_out();
    return finding;
  }
  GrepFinding search(std::string_view bytes, const GrepQuery& query) {
    return search(bytes, query, SystemClock(), std::chrono::hours(1));
  }
  bool timed_out = false;
};

// Blocks are 64 kB: wherever a block ends, the lines around a match are those of the file.
TEST_F(GrepFileTest, LinesAroundAMatchAreTheSameWhereverABlockEnds) {
  for (std::size_t before = 65'500; before < 65'560; ++before) {
    std::string bytes(before, 'x');
    for (std::size_t i = 99; i < bytes.size(); i += 100) bytes[i] = '\n';
    const auto number = static_cast<std::size_t>(std::count(bytes.begin(), bytes.end(), '\n')) + 2;
    bytes += "\nbefore\nfoo\nafter\n" + std::string(500, 'y') + "\n";
    const auto finding =
        search(bytes, {.pattern = "foo", .mode = GrepMode::content, .lines_before = 1, .lines_after = 1});
    const std::string first = std::to_string(number);
    const std::string second = std::to_string(number + 1);
    const std::string third = std::to_string(number + 2);
    ASSERT_EQ(finding.text, "f-" + first + "-before\nf:" + second + ":foo\nf-" + third + "-after\n") << before;
  }
}

TEST_F(GrepFileTest, OfABinaryFileOnlyWhatStandsBeforeTheFirstZeroByteCounts) {
  const std::string plain(200'000, '\n');
  EXPECT_EQ(search("foo\0foo\n"s, {.pattern = "foo"}).matches, 0U);
  EXPECT_EQ(search("foo\n" + plain + "\0foo\n"s, {.pattern = "foo"}).matches, 1U);
  EXPECT_EQ(search("foo\n" + plain + "\0foo\n"s, {.pattern = "foo", .mode = GrepMode::count}).matches, 0U);
  const auto lines = search("foo\n" + plain + "\0foo\n"s, {.pattern = "foo", .mode = GrepMode::content});
  EXPECT_EQ(lines.text, "f:1:foo\nf: binary from here on, not searched further (zero byte at offset 200004)\n");
}

TEST_F(GrepFileTest, MillionsOfMatchesInALineAreAllCounted) {
  const std::string line(300'000, 'x');
  const auto finding = search(line, {.pattern = "x", .mode = GrepMode::count, .only_matching = true});
  EXPECT_EQ(finding.matches, line.size());
  EXPECT_EQ(search(line, {.pattern = "x", .mode = GrepMode::content, .only_matching = true}).lines, line.size());
}

TEST_F(GrepFileTest, ASearchEndsWhenItsTimeIsUp) {
  std::string many;
  for (int i = 0; i < 200'000; ++i) many += "x foo x foo\n";
  const GrepQuery query{.pattern = "foo", .mode = GrepMode::count};
  const std::size_t all = search(many, query).matches;
  EXPECT_EQ(all, 200'000U);
  EXPECT_FALSE(timed_out);
  for (GrepQuery asked : {query, GrepQuery{.pattern = "foo", .mode = GrepMode::count, .only_matching = true},
                          GrepQuery{.pattern = "foo\\s", .mode = GrepMode::count, .multiline = true}}) {
    EXPECT_LT(search(many, asked, ImpatientClock(), std::chrono::seconds(5)).matches, all);
    EXPECT_TRUE(timed_out);
  }
}

}  // namespace
}  // namespace deft
