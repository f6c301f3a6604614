#include "deft/lsp/documents.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "deft/base/text.h"
#include "deft/core/file_text.h"
#include "deft/lsp/file_uri.h"
#include "deft/lsp/server_table.h"

namespace deft::lsp {
namespace {

constexpr int kFileChanged = 2;
constexpr int kFileDeleted = 3;

Result<std::string> text_of(const std::string& path, std::string_view bytes) {
  if (bytes.size() > kDocumentBytesMax) {
    return fail(Errc::limit,
                path + " is larger than " + human_bytes(kDocumentBytesMax) + ": language servers are not shown it.");
  }
  const auto text = FileText::of(bytes, FileText::LineEnds::exact);
  if (!text) return fail(Errc::unsupported, path + " is binary, not text: language servers read source files only.");
  return std::string(text->text());
}

Json watched_change(const std::string& path, int type) {
  return JsonObject{{"changes", JsonArray{JsonObject{{"uri", file_uri(path)}, {"type", type}}}}};
}

}  // namespace

Result<Documents::Document> Documents::show(const std::string& path, Files& files, const ServerAbilities& abilities) {
  const auto found = open_.find(path);
  if (found != open_.end()) {
    const auto status = files.status(path);
    if (status && is_unchanged(found->second, *status)) {
      found->second.last_use = ++uses_;
      return Document{found->second.version, found->second.told_at};
    }
  }
  const auto content = files.read(path, kDocumentBytesMax);
  if (content) return show(path, *content, abilities);
  if (found != open_.end()) close(path, content.error());
  return std::unexpected(content.error());
}

Result<Documents::Document> Documents::show(const std::string& path, const FileContent& content,
                                            const ServerAbilities& abilities) {
  const auto found = open_.find(path);
  if (found == open_.end()) return open(path, content);
  found->second.last_use = ++uses_;
  if (!is_unchanged(found->second, content.status)) {
    if (auto taken = take(path, found->second, content, abilities); !taken) {
      close(path, taken.error());
      return std::unexpected(taken.error());
    }
  }
  return Document{found->second.version, found->second.told_at};
}

Result<Documents::Document> Documents::open(const std::string& path, const FileContent& content) {
  const auto language = language_of(path, spec_);
  if (!language) return fail(Errc::unsupported, path + " is no file of a language that " + spec_.name + " knows.");
  auto text = text_of(path, content.bytes);
  if (!text) return std::unexpected(text.error());
  Open document{.status = content.status, .content = content_id(content.bytes), .last_use = ++uses_};
  document.is_settled = is_settled(content.status);
  document.told_at = moment_();
  tell_("textDocument/didOpen", JsonObject{{"textDocument", JsonObject{{"uri", file_uri(path)},
                                                                       {"languageId", *language},
                                                                       {"version", document.version},
                                                                       {"text", std::move(*text)}}}});
  const Document shown{document.version, document.told_at};
  open_.emplace(path, std::move(document));
  close_oldest();
  return shown;
}

void Documents::refresh(Files& files, const ServerAbilities& abilities, std::string_view but_not) {
  std::vector<std::pair<std::string, Error>> gone;
  for (auto& [path, document] : open_) {
    if (path == but_not) continue;
    if (auto read = read_again(path, document, files, abilities); !read) gone.emplace_back(path, read.error());
  }
  for (const auto& [path, why] : gone) close(path, why);
}

bool Documents::is_settled(const FileStatus& status) const {
  return clock_.wall_time() - WallTime(std::chrono::nanoseconds(status.modified_ns)) > kTimeGranularity;
}

bool Documents::is_unchanged(const Open& document, const FileStatus& now) const {
  return document.is_settled && now.kind == FileKind::regular && now.modified_ns == document.status.modified_ns &&
         now.size == document.status.size && now.inode == document.status.inode;
}

Result<void> Documents::read_again(const std::string& path, Open& document, Files& files,
                                   const ServerAbilities& abilities) {
  const auto status = files.status(path);
  if (status && is_unchanged(document, *status)) return {};
  const auto content = files.read(path, kDocumentBytesMax);
  if (!content) return std::unexpected(content.error());
  return take(path, document, *content, abilities);
}

Result<void> Documents::take(const std::string& path, Open& document, const FileContent& content,
                             const ServerAbilities& abilities) {
  document.status = content.status;
  document.is_settled = is_settled(content.status);
  ContentId id = content_id(content.bytes);
  if (id.size == document.content.size && id.hash == document.content.hash) return {};
  auto text = text_of(path, content.bytes);
  if (!text) return std::unexpected(text.error());
  document.content = std::move(id);
  ++document.version;
  document.told_at = moment_();
  const std::string uri = file_uri(path);
  JsonObject saved{{"textDocument", JsonObject{{"uri", uri}}}};
  if (abilities.wants_saved_text) saved["text"] = *text;
  tell_("textDocument/didChange", JsonObject{{"textDocument", JsonObject{{"uri", uri}, {"version", document.version}}},
                                             {"contentChanges", JsonArray{JsonObject{{"text", std::move(*text)}}}}});
  if (abilities.wants_saves) tell_("textDocument/didSave", std::move(saved));
  tell_("workspace/didChangeWatchedFiles", watched_change(path, kFileChanged));
  return {};
}

void Documents::close(const std::string& path, const Error& why) {
  tell_("textDocument/didClose", JsonObject{{"textDocument", JsonObject{{"uri", file_uri(path)}}}});
  tell_("workspace/didChangeWatchedFiles",
        watched_change(path, why.code == Errc::not_found ? kFileDeleted : kFileChanged));
  open_.erase(path);
}

void Documents::close_oldest() {
  if (open_.size() <= kOpenDocumentsMax) return;
  const auto oldest = std::ranges::min_element(open_, {}, [](const auto& entry) { return entry.second.last_use; });
  tell_("textDocument/didClose", JsonObject{{"textDocument", JsonObject{{"uri", file_uri(oldest->first)}}}});
  open_.erase(oldest);
}

}  // namespace deft::lsp
