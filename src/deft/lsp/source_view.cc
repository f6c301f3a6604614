#include "deft/lsp/source_view.h"

#include <algorithm>

#include "deft/base/path.h"
#include "deft/base/text.h"
#include "deft/core/file_text.h"
#include "deft/lsp/documents.h"
#include "deft/os/files.h"

namespace deft::lsp {
namespace {

constexpr std::size_t kPathCharactersMax = 1'000;

}  // namespace

void SourceView::know(const std::string& canonical, std::string_view bytes) {
  canonical_.emplace(canonical, canonical);
  known_path_ = canonical;
  known_bytes_ = bytes;
}

const std::optional<std::string>& SourceView::canonical_of(const std::string& path) {
  const auto known = canonical_.find(path);
  if (known != canonical_.end()) return known->second;
  auto canonical = io_.os.files.canonical(path);
  return canonical_.emplace(path, canonical ? std::optional(std::move(*canonical)) : std::nullopt).first->second;
}

bool SourceView::is_hidden(const ServerPlace& place) {
  if (!io_.permissions || place.path.empty()) return false;
  const auto [known, is_new] = hidden_.try_emplace(place.path, io_.permissions->hides(place.path));
  if (!is_new || known->second) return known->second;
  const auto& canonical = canonical_of(place.path);
  known->second = canonical && *canonical != place.path && io_.permissions->hides(*canonical);
  return known->second;
}

std::string SourceView::shown_path(const ServerPlace& place) const {
  if (place.path.empty()) return one_line(place.uri, kPathCharactersMax);
  const std::string_view folder = io_.session.working_directory();
  std::string_view shown = place.path;
  if (folder != "/" && shown.size() > folder.size() && is_at_or_below(shown, folder)) {
    shown.remove_prefix(folder.size() + 1);
  }
  return one_line(shown, kPathCharactersMax);
}

std::string SourceView::place(const ServerPlace& place) { return shown_path(place) + ":" + line_and_column(place); }

std::string SourceView::line_and_column(const ServerPlace& place) {
  const SourceLines* lines = place.path.empty() ? nullptr : lines_of(place.path);
  const std::size_t column = lines ? lines->column_after(place.line, place.units, unit_) : place.units + 1;
  return std::to_string(place.line) + ":" + std::to_string(column);
}

std::string SourceView::with_line(const ServerPlace& place) {
  const SourceLines* lines = place.path.empty() ? nullptr : lines_of(place.path);
  const std::string line = lines ? one_line(lines->line(place.line), kQuotedLineCharactersMax) : "";
  return this->place(place) + (line.empty() ? "" : ": " + line);
}

std::string SourceView::shown(const std::string& path, const Diagnostic& diagnostic) {
  std::string text = place({.path = path, .line = diagnostic.line, .units = diagnostic.units}) + ": " +
                     std::string(to_string(diagnostic.severity)) + ": " + diagnostic.message;
  if (!diagnostic.code.empty()) text += " [" + diagnostic.code + "]";
  return text;
}

const SourceLines* SourceView::lines_of(const std::string& path) {
  const auto known = files_.find(path);
  if (known != files_.end()) return known->second.lines ? &*known->second.lines : nullptr;
  if (files_.size() >= kQuotedFilesMax) return nullptr;
  File& file = files_[path];
  const auto& canonical = canonical_of(path);
  if (!canonical || !may_quote(*canonical)) return nullptr;
  Result<FileContent> content = FileContent{};
  const bool is_known = *canonical == known_path_;
  if (!is_known) content = io_.os.files.read(*canonical, std::min(kDocumentBytesMax, kQuotedBytesMax - bytes_));
  if (!content) return nullptr;
  const auto text = FileText::of(is_known ? known_bytes_ : std::string_view(content->bytes), FileText::LineEnds::exact);
  if (!text) return nullptr;
  file.text = text->text();
  bytes_ += file.text.size();
  file.lines.emplace(file.text);
  return &*file.lines;
}

bool SourceView::may_quote(const std::string& canonical) const {
  if (!io_.permissions) {
    return std::ranges::any_of(io_.session.directories(),
                               [&](const std::string& folder) { return is_at_or_below(canonical, folder); });
  }
  const PermissionQuestion question{.tool = "Read",
                                    .working_directory = std::string(io_.session.working_directory()),
                                    .read_only = true,
                                    .paths = {canonical},
                                    .all_paths_known = true};
  return io_.permissions->decide(question).verdict == Verdict::allow;
}

}  // namespace deft::lsp
