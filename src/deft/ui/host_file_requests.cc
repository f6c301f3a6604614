#include <algorithm>
#include <utility>

#include "deft/agent/undo_plan.h"
#include "deft/base/base64.h"
#include "deft/base/path.h"
#include "deft/base/utf8.h"
#include "deft/ui/host_requests.h"

// What a host wants of files: taken back, read, known to have been read.

namespace deft {
namespace {

struct LineCounts {
  std::uint64_t added = 0;
  std::uint64_t removed = 0;
};

// Of a unified diff: lines that come and lines that go, without its two headings.
LineCounts count_lines(std::string_view patch) {
  LineCounts counts;
  std::size_t number = 0;
  while (!patch.empty()) {
    const auto end = std::min(patch.find('\n'), patch.size() - 1);
    if (++number > 2 && patch.front() == '+') ++counts.added;
    if (number > 2 && patch.front() == '-') ++counts.removed;
    patch.remove_prefix(end + 1);
  }
  return counts;
}

std::string reasons(const std::vector<NotUndone>& refused) {
  std::string text;
  for (const NotUndone& one : refused) text += (text.empty() ? "" : "; ") + one.what + ": " + one.why;
  return text;
}

JsonObject rewound(const UndoPlan& plan, const std::vector<std::string>& paths) {
  JsonArray changed;
  LineCounts sum;
  for (const UndoOfFile& file : plan.files) {
    if (std::ranges::find(paths, file.path) == paths.end()) continue;
    const LineCounts counts = count_lines(file.patch);
    sum.added += counts.added;
    sum.removed += counts.removed;
    changed.emplace_back(file.path);
  }
  JsonObject answer{
      {"canRewind", true}, {"filesChanged", std::move(changed)}, {"insertions", sum.added}, {"deletions", sum.removed}};
  // Whoever has changed a file since keeps it: that is told, and the others are taken back all the same.
  if (!plan.refused.empty()) answer["error"] = "left as they are: " + reasons(plan.refused);
  return answer;
}

}  // namespace

// Files get the content again that they had when the prompt was given; the conversation stays as it is. Between turns:
// nothing changes them meanwhile.
HostRequests::Answer HostRequests::rewind_files(const Json& wanted) {
  const auto uuid = find_string(wanted, "user_message_id");
  if (!uuid || uuid->empty()) return fail(Errc::invalid_input, "\"user_message_id\" is missing");
  const bool dry_run = find_bool(wanted, "dry_run").value_or(false);
  const auto cannot = [&](const std::string& why) -> Answer {
    if (dry_run) return JsonObject{{"canRewind", false}, {"error", why}};
    return fail(Errc::failed, why);
  };
  if (!parts_.session.settings().agent.file_checkpointing) {
    return cannot("File checkpointing is not enabled: the setting fileCheckpointingEnabled is false.");
  }
  Agent& agent = parts_.session.agent();
  Workshop& workshop = agent.engine().workshop();
  Files& files = workshop.os().files;
  auto plan = plan_rewind(workshop.folder(), *uuid, workshop.changes(), files);
  if (!plan) return cannot(plan.error().message);
  std::vector<std::string> paths;
  for (const UndoOfFile& file : plan->files) paths.push_back(file.path);
  if (paths.empty() && !plan->refused.empty()) return cannot(reasons(plan->refused));
  if (dry_run) return rewound(*plan, paths);
  const auto undone = deft::carry_out(*plan, workshop.changes(), files);
  if (!undone) return cannot(undone.error().message);
  if (undone->empty() && !plan->refused.empty()) return cannot(reasons(plan->refused));
  if (!undone->empty()) {
    std::string told =
        "<system-reminder>The user has taken back changes of this session. These files have the content again that "
        "they had before:";
    for (const std::string& path : *undone) told += "\n" + path;
    agent.add_context(told + "</system-reminder>");
  }
  return rewound(*plan, *undone);
}

// As the Read tool would be allowed to.
HostRequests::Answer HostRequests::read_file(const Json& wanted) {
  const auto path = find_string(wanted, "path");
  if (!path || path->empty()) return fail(Errc::invalid_input, "\"path\" is missing");
  const auto most = find_int(wanted, "max_bytes").value_or(kHostFileBytesDefault);
  if (most < 0) return fail(Errc::invalid_input, "max_bytes must be at least 0");
  const std::size_t bytes_max = std::min(static_cast<std::size_t>(most), kHostFileBytesMax);
  Engine& engine = parts_.session.agent().engine();
  const auto permissions = engine.permissions();
  Files& files = engine.workshop().os().files;
  const std::string absolute = absolute_path(*path, permissions->setup().directory);
  const auto canonical = files.canonical(absolute);
  if (!canonical) return std::unexpected(canonical.error());
  const Json input = JsonObject{{"file_path", absolute}};
  const Decision decision = permissions->decide(
      {.tool = "Read", .input = &input, .read_only = true, .paths = {*canonical}, .all_paths_known = true});
  if (decision.verdict != Verdict::allow) return fail(Errc::denied, "it may not be read: " + decision.reason);
  auto content = files.read(*canonical, kHostFileBytesMax);
  if (!content) return std::unexpected(content.error());
  const bool is_cut = content->bytes.size() > bytes_max;
  if (is_cut) content->bytes.resize(bytes_max);
  JsonObject answer{{"absPath", *canonical}};
  if (find_string(wanted, "encoding") == "base64") {
    answer["contents"] = to_base64(content->bytes);
    answer["encoding"] = "base64";
  } else {
    answer["contents"] = to_valid_utf8(content->bytes);
    answer["lossy"] = !is_utf8(content->bytes);
  }
  if (is_cut) answer["truncated"] = true;
  return answer;
}

// The host has seen the model read it. What has changed since must be read again; that is no error here.
HostRequests::Answer HostRequests::seed_read_state(const Json& wanted) {
  const auto path = find_string(wanted, "path");
  const auto mtime = find_number(wanted, "mtime");
  if (!path || path->empty() || !mtime) return fail(Errc::invalid_input, "\"path\" and \"mtime\" are needed");
  Engine& engine = parts_.session.agent().engine();
  Files& files = engine.workshop().os().files;
  const auto permissions = engine.permissions();
  const auto canonical = files.canonical(absolute_path(*path, permissions->setup().directory));
  if (!canonical) return std::unexpected(canonical.error());
  if (permissions->hides(*canonical)) return fail(Errc::denied, "it may not be read");
  const auto content = files.read(*canonical, kHostFileBytesMax);
  if (!content) return std::unexpected(content.error());
  constexpr std::int64_t kNanosecondsPerMillisecond = 1'000'000;
  const bool is_same = content->status.modified_ns / kNanosecondsPerMillisecond == static_cast<std::int64_t>(*mtime);
  if (!is_same) return JsonObject{};
  const ContentId id = content_id(content->bytes);
  FileLedger& ledger = engine.session().files;
  ledger.record({.path = *canonical,
                 .modified_ns = content->status.modified_ns,
                 .size = id.size,
                 .content_hash = id.hash,
                 .whole = true});
  return JsonObject{};
}

// A folder of the project that the model is to know as one of its roots. Only one that is inside of what the session
// may work in anyway: a host adds nothing that the command line has not given.
HostRequests::Answer HostRequests::register_root(const Json& wanted) {
  const auto directory = find_string(wanted, "directory");
  if (!directory || directory->empty()) return fail(Errc::invalid_input, "\"directory\" is missing");
  const auto wants = [&](std::string_view key) { return find_bool(wanted, key).value_or(false); };
  auto added = parts_.session.add_directory(std::string(*directory));
  if (!added) return std::unexpected(added.error());
  if (wants("reload_skills")) parts_.session.look_for_skills();
  if (wants("reload_claude_md")) parts_.session.tell_memory_of(*added);
  return JsonObject{{"directory", *added}};
}

}  // namespace deft
