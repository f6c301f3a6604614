#include "deft/core/file_ledger.h"

#include <algorithm>

namespace deft {

namespace {

std::vector<LineRange> join(std::vector<LineRange> ranges, const std::vector<LineRange>& more) {
  ranges.insert(ranges.end(), more.begin(), more.end());
  std::sort(ranges.begin(), ranges.end(), [](const LineRange& a, const LineRange& b) { return a.first < b.first; });
  std::vector<LineRange> joined;
  for (const LineRange& range : ranges) {
    if (!joined.empty() && range.first <= joined.back().last + 1) {
      joined.back().last = std::max(joined.back().last, range.last);
    } else {
      joined.push_back(range);
    }
  }
  return joined;
}

bool holds(const std::vector<LineRange>& ranges, const LineRange& lines) {
  return std::any_of(ranges.begin(), ranges.end(),
                     [&](const LineRange& range) { return range.first <= lines.first && lines.last <= range.last; });
}

}  // namespace

FileSeen merge_seen(const FileSeen& before, const FileSeen& now) {
  if (before.content_hash != now.content_hash) return now;
  FileSeen merged = now;
  merged.whole = before.whole || now.whole;
  merged.lines = merged.whole ? std::vector<LineRange>() : join(now.lines, before.lines);
  merged.read = join(now.read, before.read);
  return merged;
}

bool covers(const FileSeen& seen, const LineRange& lines) { return seen.whole || holds(seen.lines, lines); }

bool was_read(const FileSeen& seen, const LineRange& lines) { return holds(seen.read, lines); }

void FileLedger::record(const FileSeen& seen) {
  FileSeen now = seen;
  if (!seen.read.empty()) read_in_message_.push_back(seen);
  now.read.clear();
  const auto found = files_.find(seen.path);
  if (found == files_.end()) {
    files_.emplace(seen.path, std::move(now));
  } else {
    found->second = merge_seen(found->second, now);
  }
}

void FileLedger::end_message() {
  for (const FileSeen& read : read_in_message_) {
    const auto found = files_.find(read.path);
    if (found == files_.end() || found->second.content_hash != read.content_hash) continue;
    found->second.read = join(read.read, found->second.read);
  }
  read_in_message_.clear();
}

void FileLedger::forget(std::string_view path) {
  files_.erase(std::string(path));
  std::erase_if(read_in_message_, [&](const FileSeen& read) { return read.path == path; });
}

void FileLedger::forget_read() {
  for (auto& [path, seen] : files_) seen.read.clear();
  read_in_message_.clear();
}

void FileLedger::looked_at(std::string_view path, std::int64_t modified_ns) {
  const auto found = files_.find(std::string(path));
  if (found != files_.end()) found->second.looked_at_ns = modified_ns;
}

const FileSeen* FileLedger::find(std::string_view path) const {
  const auto found = files_.find(std::string(path));
  return found == files_.end() ? nullptr : &found->second;
}

}  // namespace deft
