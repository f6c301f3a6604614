#include "deft/tools/file_change_tool.h"

#include "deft/os/file_changes.h"

namespace deft {

namespace {

// Why it cannot be undone later, or nothing.
std::string keep_for_undo(const PlannedChange& plan, ToolIo& io) {
  if (!io.changes) return "";
  FileChange change{.path = plan.path, .after = content_id(plan.bytes), .call_id = std::string(io.call_id)};
  std::string_view before;
  if (plan.target) {
    change.before = ContentId{plan.target->seen.size, plan.target->seen.content_hash};
    change.mode = plan.target->file.content.status.mode;
    before = plan.target->file.content.bytes;
  }
  return io.changes->keep(change, before);
}

void add_sentence(std::string& note, const std::string& sentence) {
  if (!note.empty() && !sentence.empty()) note += ' ';
  note += sentence;
}

}  // namespace

Result<void> FileChangeTool::validate(const Json& input, ToolIo& io) const {
  if (auto planned = plan(input, io); !planned) return std::unexpected(planned.error());
  return {};
}

Result<ToolResult> FileChangeTool::run(const Json& input, ToolIo& io) {
  const auto planned = plan(input, io);
  if (!planned) return std::unexpected(planned.error());
  if (io.stop.stop_requested()) return fail(Errc::cancelled, "Cancelled; the file was not changed.");

  const std::string cannot_undo = keep_for_undo(*planned, io);
  std::optional<ContentId> expected;
  if (planned->target) expected = ContentId{planned->target->seen.size, planned->target->seen.content_hash};
  const auto replaced = io.os.files.replace(planned->path, planned->bytes, expected);
  if (!replaced) return std::unexpected(replaced.error());

  JsonObject details = planned->details();
  std::string note = in_place_note(*replaced);
  add_sentence(note, planned->note);
  if (!cannot_undo.empty()) add_sentence(note, "It cannot be undone: " + cannot_undo + ".");
  if (!note.empty()) details["note"] = note;
  if (observer_) {
    const std::string paths[] = {planned->path};
    if (std::string findings = observer_->look_at(paths, io); !findings.empty()) details["diagnostics"] = findings;
  }
  FileSeen seen = seen_wholly(planned->path, replaced->status, planned->bytes);
  seen.whole = planned->whole_was_seen;
  seen.lines = planned->lines_seen;
  return ToolResult{.details = std::move(details), .modifiers = {FileWasSeen{std::move(seen)}}};
}

Result<PlaceForFile> find_place(std::string_view path, ToolIo& io) {
  auto canonical = allowed_path(io, path);
  if (!canonical) return std::unexpected(canonical.error());
  const auto status = io.os.files.status(*canonical);
  if (!status) return std::unexpected(status.error());
  if (status->kind != FileKind::missing && status->kind != FileKind::regular) {
    return std::unexpected(not_a_regular_file(*canonical, status->kind));
  }
  return PlaceForFile{std::move(*canonical), status->kind == FileKind::regular};
}

std::string note_of(const ToolResult& result) {
  const auto note = find_string(result.details, "note");
  return note ? " " + std::string(*note) : "";
}

std::string findings_of(const ToolResult& result) {
  const auto findings = find_string(result.details, "diagnostics");
  return findings ? "\n" + std::string(*findings) : "";
}

}  // namespace deft
