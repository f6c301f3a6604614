#include "deft/tools/grep_answer.h"

#include "deft/base/text.h"
#include "deft/tools/grep.h"

namespace deft {
namespace {

constexpr std::size_t kNoticeCharacters = 1'000;  // room for what is said beside the lines

std::string_view mode_name(GrepMode mode) {
  switch (mode) {
    case GrepMode::content: return "content";
    case GrepMode::count: return "count";
    case GrepMode::files: break;
  }
  return "files_with_matches";
}

std::string head(const GrepQuery& query, const GrepResults::Totals& totals) {
  if (query.mode == GrepMode::content) return totals.lines == 0 ? "No matches found" : "";
  if (totals.files == 0) return query.mode == GrepMode::count ? "No matches found" : "No files found";
  if (query.mode == GrepMode::count) {
    return "Found " +
           counted(totals.matches, query.only_matching || query.multiline ? "match" : "matching line",
                   query.only_matching || query.multiline ? "es" : "s") +
           " in " + counted(totals.files, "file");
  }
  return "Found " + counted(totals.files, "file");
}

std::string window_notice(const GrepQuery& query, const GrepResults::Totals& totals,
                          const GrepResults::Window& window) {
  const std::string what = query.mode == GrepMode::content ? "lines" : "files";
  if (window.lines == 0 && query.offset > 0 && totals.lines > 0) {
    return "[There are only " + std::to_string(totals.lines) + " " + what + ": use a smaller offset.]";
  }
  const std::size_t next = query.offset + window.lines;
  if (next >= totals.lines || window.lines == 0) return {};
  return "[" + what + " " + std::to_string(query.offset + 1) + " to " + std::to_string(next) + " of " +
         std::to_string(totals.lines) + " are shown. To go on, set offset to " + std::to_string(next) +
         "; or narrow the search by path, glob or type.]";
}

JsonObject details(const GrepQuery& query, const GrepResults::Totals& totals, const GrepResults::Window& window,
                   bool timed_out) {
  JsonArray names;
  for (const std::string& file : window.files) names.emplace_back(file);
  JsonObject out{{"mode", mode_name(query.mode)}, {"numFiles", window.files.size()}, {"filenames", std::move(names)}};
  if (query.mode != GrepMode::files) out["content"] = window.text;
  if (query.mode == GrepMode::content) {
    out["numLines"] = window.lines;
    out["totalLines"] = totals.lines;
  }
  if (query.mode != GrepMode::files) out["numMatches"] = totals.matches;
  out["totalFiles"] = totals.files;
  const bool limited =
      query.head_limit > 0 && window.lines == query.head_limit && query.offset + window.lines < totals.lines;
  if (limited) out["appliedLimit"] = query.head_limit;
  if (query.offset > 0) out["appliedOffset"] = query.offset;
  if (timed_out) out["timedOut"] = true;
  return out;
}

}  // namespace

Result<ToolResult> grep_answer(const GrepQuery& query, GrepResults& results, const WalkReport& walked, bool timed_out) {
  GrepResults::Window window = results.take_window(kGrepResultCharactersMax - kNoticeCharacters);
  const GrepResults::Totals totals = results.totals();
  if (window.out_of_reach) {
    return fail(Errc::limit,
                "The offset lies behind more lines than can be held: narrow the search by path, glob or type.");
  }
  ToolResult result{.details = details(query, totals, window, timed_out)};
  if (window.text.ends_with('\n')) window.text.pop_back();
  add_line(result.text, head(query, totals));
  add_line(result.text, window.text);
  add_line(result.text, window_notice(query, totals, window));
  add_line(result.text, unreadable_notice(walked.unreadable, walked.first_unreadable, totals.unreadable));
  if (totals.too_large > 0) {
    add_line(result.text, "[" + counted(totals.too_large, "file") + " larger than " +
                              human_bytes(kGrepWholeFileBytesMax) +
                              " left out: such files can be searched only without multiline.]");
  }
  if (timed_out) {
    const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(kGrepTimeMax).count();
    add_line(result.text, "[Stopped after " + std::to_string(seconds) +
                              " s, so matches may be missing: narrow the search by path, glob or type.]");
  }
  return result;
}

}  // namespace deft
