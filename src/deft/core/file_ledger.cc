#include "deft/core/file_ledger.h"

#include <algorithm>

namespace deft {

FileSeen merge_seen(const FileSeen& before, const FileSeen& now) {
  if (before.content_hash != now.content_hash || now.whole) return now;
  FileSeen merged = now;
  if (before.whole) {
    merged.whole = true;
    merged.lines.clear();
    return merged;
  }
  merged.lines.insert(merged.lines.end(), before.lines.begin(), before.lines.end());
  std::sort(merged.lines.begin(), merged.lines.end(),
            [](const LineRange& a, const LineRange& b) { return a.first < b.first; });
  std::vector<LineRange> joined;
  for (const LineRange& range : merged.lines) {
    if (!joined.empty() && range.first <= joined.back().last + 1) {
      joined.back().last = std::max(joined.back().last, range.last);
    } else {
      joined.push_back(range);
    }
  }
  merged.lines = std::move(joined);
  return merged;
}

bool covers(const FileSeen& seen, const LineRange& lines) {
  if (seen.whole) return true;
  return std::any_of(seen.lines.begin(), seen.lines.end(),
                     [&](const LineRange& range) { return range.first <= lines.first && lines.last <= range.last; });
}

void FileLedger::record(const FileSeen& seen) {
  const auto found = files_.find(seen.path);
  if (found == files_.end()) {
    files_.emplace(seen.path, seen);
  } else {
    found->second = merge_seen(found->second, seen);
  }
}

const FileSeen* FileLedger::find(std::string_view path) const {
  const auto found = files_.find(std::string(path));
  return found == files_.end() ? nullptr : &found->second;
}

}  // namespace deft
