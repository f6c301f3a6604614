#include "deft/agent/undo_plan.h"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <map>
#include <set>
#include <utility>

#include "deft/agent/journal_place.h"
#include "deft/agent/journal_reader.h"
#include "deft/base/json.h"
#include "deft/base/path.h"
#include "deft/base/stable_sort.h"
#include "deft/base/text.h"
#include "deft/core/patch.h"
#include "deft/os/temporary_file.h"

namespace deft {
namespace {

constexpr std::size_t kFileBytesMax = std::size_t{1} << 30;
constexpr std::size_t kPatchBytesMax = std::size_t{1} << 20;
constexpr std::size_t kOthersNamedMax = 5;

std::optional<std::size_t> parse_number(std::string_view text) {
  std::size_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  const bool is_number = error == std::errc() && end == text.data() + text.size() && number > 0;
  return is_number ? std::optional(number) : std::nullopt;
}

bool is_same(const std::optional<ContentId>& a, const std::optional<ContentId>& b) {
  if (!a || !b) return !a && !b;
  return a->size == b->size && a->hash == b->hash;
}

std::string octal(std::uint32_t mode) {
  std::string digits;
  for (int shift = 9; shift >= 0; shift -= 3) digits += static_cast<char>('0' + ((mode >> shift) & 7U));
  return digits;
}

std::string hunk_header(const Json& hunk) {
  const auto range = [&](std::string_view start_key, std::string_view lines_key) {
    const auto lines = find_int(hunk, lines_key).value_or(0);
    const auto start = find_int(hunk, start_key).value_or(0);
    return std::to_string(lines == 0 ? start - 1 : start) + "," + std::to_string(lines);  // none: behind that line
  };
  return "@@ -" + range("oldStart", "oldLines") + " +" + range("newStart", "newLines") + " @@\n";
}

std::string unified(const std::string& path, const std::optional<std::string>& content,
                    const std::optional<std::string>& before) {
  const std::string name = path_on_one_line(path);
  std::string text = "--- " + (content ? name : "/dev/null") + "\n+++ " + (before ? name : "/dev/null") + "\n";
  const std::string_view now = content ? std::string_view(*content) : std::string_view();
  const std::string_view after_undo = before ? std::string_view(*before) : std::string_view();
  if (now.find('\0') != std::string_view::npos || after_undo.find('\0') != std::string_view::npos) {
    return text + "(not a text: " + human_bytes(now.size()) + " become " + human_bytes(after_undo.size()) + ")\n";
  }
  const Lines old_lines = split_lines(now);
  const Lines new_lines = split_lines(after_undo);
  for (const Json& hunk : structured_patch(old_lines, new_lines, diff_lines(old_lines, new_lines), kPatchBytesMax)) {
    text += hunk_header(hunk);
    for (const Json& line : *find_array(hunk, "lines")) text += std::string(view(line.get_string())) + "\n";
  }
  return text;
}

struct Selection {
  std::string title;
  std::set<std::string> calls;
};

// What was called since a prompt: by the main agent, as its journal has it, and by those that worked for it.
Result<Selection> calls_since(const std::string& folder, std::string_view uuid) {
  Selection selection{.title = "everything since the prompt " + std::string(uuid)};
  std::optional<std::int64_t> since_ms;
  const auto read = read_journal(folder + "/" + std::string(kJournalFile), [&](std::string_view type, const Json& it) {
    if (type == "prompt" && find_string(it, "uuid") == uuid) since_ms = find_int(it, "time_ms").value_or(0);
    if (type == "intent" && since_ms) selection.calls.emplace(find_string(it, "call").value_or(""));
  });
  if (!read) return std::unexpected(read.error());
  if (!since_ms) return fail(Errc::not_found, "No file checkpoint found for this message.");
  std::error_code ec;
  for (const auto& file : std::filesystem::directory_iterator(folder + "/subagents", ec)) {
    if (file.path().extension() != ".jsonl") continue;
    const auto its = read_journal(file.path().string(), [&](std::string_view type, const Json& entry) {
      const bool is_since = find_int(entry, "time_ms").value_or(0) >= *since_ms;
      if (type == "intent" && is_since) selection.calls.emplace(find_string(entry, "call").value_or(""));
    });
    if (!its) return std::unexpected(its.error());
  }
  return selection;
}

// What is left of it cannot be taken back, and that is said by name.
std::string nothing_left(const std::vector<EffectOfCall>& effects, const std::vector<RecordedChange>& changes) {
  std::set<std::string_view> with_changes;
  for (const RecordedChange& change : changes) with_changes.insert(change.change.call_id);
  std::vector<std::string> others;
  for (const EffectOfCall& effect : effects) {
    if (!effect.starts_agents && !with_changes.contains(effect.call_id)) others.push_back(effect.title);
  }
  std::string text = "No change of this session is left to be undone.";
  if (others.empty()) return text;
  const std::size_t left_out = others.size() - std::min(others.size(), kOthersNamedMax);
  others.erase(others.begin(), others.begin() + static_cast<std::ptrdiff_t>(left_out));
  text += " What no file tool did cannot be taken back: " + join(others, "; ");
  return text + (left_out > 0 ? ", and " + std::to_string(left_out) + " calls before." : ".");
}

// The calls that the target means.
Result<Selection> select(const std::vector<EffectOfCall>& effects, const std::vector<RecordedChange>& changes,
                         const UndoTarget& target) {
  const auto number_of = [&](const EffectOfCall& effect) {
    return target.what == UndoTarget::What::message ? effect.message : effect.turn;
  };
  std::set<std::string> can_be_undone;
  for (const RecordedChange& change : changes) {
    if (!change.is_undone) can_be_undone.insert(change.change.call_id);
  }
  const EffectOfCall* meant = nullptr;
  for (const EffectOfCall& effect : effects) {
    const bool is_meant = !target.call_id.empty() ? effect.call_id == target.call_id
                          : target.number         ? number_of(effect) == *target.number
                                                  : can_be_undone.contains(effect.call_id);
    if (is_meant) meant = &effect;
  }
  if (!meant && !target.call_id.empty()) {
    return fail(Errc::not_found, "No call " + json_quote(target.call_id) + " of this session had an effect.");
  }
  if (!meant && target.number) {
    return fail(Errc::not_found, "Nothing in " +
                                     std::string(target.what == UndoTarget::What::turn ? "turn " : "message ") +
                                     std::to_string(*target.number) + " had an effect.");
  }
  if (!meant) return fail(Errc::not_found, nothing_left(effects, changes));
  Selection selection;
  if (target.what == UndoTarget::What::call) {
    for (const EffectOfCall& effect : effects) {
      const bool is_within = std::ranges::find(effect.within, meant->call_id) != effect.within.end();
      if (is_within || effect.call_id == meant->call_id) selection.calls.insert(effect.call_id);
    }
    selection.title = "the call " + meant->call_id + " (" + meant->title + ")";
    return selection;
  }
  for (const EffectOfCall& effect : effects) {
    if (number_of(effect) == number_of(*meant)) selection.calls.insert(effect.call_id);
  }
  const bool is_of_no_turn = target.what == UndoTarget::What::turn && meant->turn == 0;
  selection.title = is_of_no_turn ? "the whole session"
                                  : (target.what == UndoTarget::What::turn ? "turn " : "message ") +
                                        std::to_string(number_of(*meant));
  return selection;
}

// One file: its changes, oldest first, of which some are to be undone.
class FileUndo {
 public:
  FileUndo(std::string path, UndoPlan& plan, FileChanges& changes, Files& files)
      : path_(std::move(path)), plan_(plan), changes_(changes), files_(files) {}

  void look_at(const std::vector<const RecordedChange*>& all, const std::set<std::string>& calls) {
    auto content = files_.read(path_, kFileBytesMax);
    if (!content && content.error().code != Errc::not_found) return refuse(content.error().message);
    UndoOfFile undo{.path = path_, .bytes_now = content ? std::move(content->bytes) : ""};
    undo.now = content ? std::optional(content_id(undo.bytes_now)) : std::nullopt;
    std::optional<ContentId> at = undo.now;
    if (is_undone_already(all, calls, at)) return;
    const RecordedChange* first = nullptr;
    // From the newest back: each must have led to what there is.
    for (auto change = all.rbegin(); change != all.rend(); ++change) {
      const RecordedChange& recorded = **change;
      if (recorded.is_undone) continue;
      const bool is_meant = calls.contains(recorded.change.call_id);
      if (is_same(at, recorded.change.before) && !is_same(at, recorded.change.after)) {
        if (is_meant) never_made(recorded);
        continue;
      }
      if (!is_meant) {
        if (std::ranges::none_of(change, all.rend(), [&](const RecordedChange* earlier) {
              return !earlier->is_undone && calls.contains(earlier->change.call_id);
            })) {
          break;  // all that is meant lies behind us
        }
        return refuse("it was changed again by the call " + recorded.change.call_id + ", which is not undone with it");
      }
      if (!is_same(at, recorded.change.after)) return refuse("it has been changed since by someone else");
      if (!recorded.has_before_image) return refuse("its old content was not kept");
      // An edit keeps the mode, so another one is somebody else's.
      if (!first && content && recorded.change.before && content->status.mode != recorded.change.mode) {
        return refuse("its permissions have been changed since, from " + octal(recorded.change.mode) + " to " +
                      octal(content->status.mode) + ": set them back first");
      }
      undo.changes.push_back(recorded.number);
      if (!recorded.change.after) remember_removed(recorded.change, undo);
      at = recorded.change.before;
      first = &recorded;
    }
    if (!first) return;
    if (first->change.before) {
      auto before = changes_.before_image(*first->change.before);
      if (!before) return refuse(before.error().message);
      undo.before = std::move(*before);
      if (!undo.was_removed) undo.mode = first->change.mode;
    }
    undo.folder_made = first->change.folder_made;
    undo.patch = unified(path_, content ? std::optional(undo.bytes_now) : std::nullopt, undo.before);
    plan_.files.push_back(std::move(undo));
  }

 private:
  // Somebody was killed between undoing it and writing that down.
  bool is_undone_already(const std::vector<const RecordedChange*>& all, const std::set<std::string>& calls,
                         const std::optional<ContentId>& at) {
    std::vector<const RecordedChange*> meant;
    for (const RecordedChange* change : all) {
      if (!change->is_undone && calls.contains(change->change.call_id)) meant.push_back(change);
    }
    const bool is_back = meant.size() > 1 && is_same(at, meant.front()->change.before) &&
                         !is_same(at, meant.back()->change.after) && meant.back() == last_of(all);
    for (const RecordedChange* change : meant) {
      if (is_back) never_made(*change);
    }
    return is_back;
  }
  static const RecordedChange* last_of(const std::vector<const RecordedChange*>& all) {
    const auto last = std::find_if(all.rbegin(), all.rend(), [](const auto* change) { return !change->is_undone; });
    return last == all.rend() ? nullptr : *last;
  }

  // The oldest one counts: it was the file that comes back.
  static void remember_removed(const FileChange& removal, UndoOfFile& undo) {
    undo.was_removed = true;
    undo.mode = removal.mode;
    undo.owner = removal.owner;
  }
  void never_made(const RecordedChange& recorded) {
    plan_.never_made.push_back({recorded.number, path_, recorded.change.before ? "" : recorded.change.folder_made});
  }
  void refuse(std::string why) { plan_.refused.push_back({path_, std::move(why)}); }

  const std::string path_;
  UndoPlan& plan_;
  FileChanges& changes_;
  Files& files_;
};

// `with_changes`: which of the calls have changed a file.
UndoPlan plan_of(const Selection& selection, const std::vector<RecordedChange>& recorded,
                 std::set<std::string>& with_changes, const std::optional<std::string>& inside, FileChanges& changes,
                 Files& files) {
  UndoPlan plan{.title = selection.title};
  std::map<std::string, std::vector<const RecordedChange*>> by_path;
  std::set<std::string> paths;
  for (const RecordedChange& change : recorded) {
    by_path[change.change.path].push_back(&change);
    if (!selection.calls.contains(change.change.call_id)) continue;
    with_changes.insert(change.change.call_id);
    if (!change.is_undone) paths.insert(change.change.path);
  }
  for (const std::string& path : paths) {
    if (inside && !is_at_or_below(path, *inside)) {
      plan.refused.push_back({path, "it is outside of " + *inside + ": run deft undo there"});
    } else {
      FileUndo(path, plan, changes, files).look_at(by_path[path], selection.calls);
    }
  }
  return plan;
}

Result<void> undo_one(const UndoOfFile& file, Files& files) {
  if (!file.before && !file.now) return {};  // made and removed again
  if (!file.before) return files.remove(file.path, *file.now);
  if (file.now && !file.was_removed) {
    const auto replaced = files.replace(file.path, *file.before, file.now);
    return replaced ? Result<void>() : std::unexpected(replaced.error());
  }
  // Who is killed between these two goes on: without its file, the change that made it anew was never made.
  if (file.now) {
    if (auto removed = files.remove(file.path, *file.now); !removed) return removed;
  }
  if (const auto made = files.create(file.path, *file.before, file.mode); !made) {
    return std::unexpected(made.error());
  }
  if (file.owner) give_back_owner(file.path, *file.owner, file.mode);
  return {};
}

// As it was before undo_one(), which may have come to its middle.
void put_back(const UndoOfFile& file, std::uint32_t mode, Files& files) {
  if (!file.before && !file.now) return;
  if (!file.before) return static_cast<void>(files.create(file.path, file.bytes_now, mode));
  const ContentId restored = content_id(*file.before);
  if (file.now && !file.was_removed) return static_cast<void>(files.replace(file.path, file.bytes_now, restored));
  static_cast<void>(files.remove(file.path, restored));
  if (file.now) static_cast<void>(files.create(file.path, file.bytes_now, mode));
}

// What somebody who was killed has left beside the files.
void remove_leftovers(const UndoPlan& plan) {
  for (const UndoOfFile& file : plan.files) remove_leftovers_of(file.path);
  for (const NeverMade& change : plan.never_made) remove_leftovers_of(change.path);
}

// Those that were made for files that are not there any more; of one within another the inner one first.
void remove_folders_made(const UndoPlan& plan) {
  std::vector<std::pair<std::string, std::string>> folders;  // with the topmost one
  for (const UndoOfFile& file : plan.files) {
    if (!file.before) folders.emplace_back(parent_path(file.path), file.folder_made);
  }
  for (const NeverMade& change : plan.never_made) folders.emplace_back(parent_path(change.path), change.folder_made);
  stable_sort_by(folders, [](const auto& one) { return -static_cast<std::ptrdiff_t>(one.first.size()); });
  for (const auto& [folder, topmost] : folders) remove_empty_folders(folder, topmost);
}

}  // namespace

std::string path_on_one_line(const std::string& path) {
  const bool has_controls = std::ranges::any_of(path, [](char c) { return (c >= 0 && c < ' ') || c == 0x7F; });
  return has_controls ? json_quote(path) : path;
}

Result<UndoTarget> parse_undo_target(const std::vector<std::string>& words) {
  if (words.empty()) return UndoTarget{};
  if (words.size() > 2) return fail(Errc::invalid_input, "Too many words: give a call, a message or a turn.");
  const std::string& word = words[0];
  const bool is_turn = word == "turn";
  if (is_turn || word == "message") {
    UndoTarget target{.what = is_turn ? UndoTarget::What::turn : UndoTarget::What::message};
    if (words.size() == 1) return target;
    target.number = parse_number(words[1]);
    if (!target.number)
      return fail(Errc::invalid_input, json_quote(words[1]) + " is not the number of a " + word + ".");
    return target;
  }
  if (word == "call") return UndoTarget{.what = UndoTarget::What::call, .call_id = words.size() == 2 ? words[1] : ""};
  if (words.size() == 2) return fail(Errc::invalid_input, "Say call, message or turn, not " + json_quote(word) + ".");
  return UndoTarget{.what = UndoTarget::What::call, .call_id = word};
}

Result<UndoPlan> plan_undo(const std::string& journal, const UndoTarget& target, FileChanges& changes, Files& files,
                           const std::optional<std::string>& inside) {
  const auto effects = effects_of_session(journal);
  if (!effects) return std::unexpected(effects.error());
  const auto recorded = changes.all();
  if (!recorded) return std::unexpected(recorded.error());
  const auto selection = select(*effects, *recorded, target);
  if (!selection) return std::unexpected(selection.error());

  std::set<std::string> with_changes;
  UndoPlan plan = plan_of(*selection, *recorded, with_changes, inside, changes, files);
  for (const EffectOfCall& effect : *effects) {
    const bool is_own = selection->calls.contains(effect.call_id) && !effect.starts_agents;
    if (!is_own || with_changes.contains(effect.call_id)) continue;
    plan.cannot.push_back({effect.title, "only what file tools have changed can be taken back"});
  }
  if (plan.is_for_nobody() && plan.never_made.empty()) {
    return fail(Errc::not_found, "Nothing of " + plan.title + " is left to be undone.");
  }
  return plan;
}

Result<UndoPlan> plan_rewind(const std::string& folder, std::string_view uuid, FileChanges& changes, Files& files) {
  const auto selection = calls_since(folder, uuid);
  if (!selection) return std::unexpected(selection.error());
  const auto recorded = changes.all();
  if (!recorded) return std::unexpected(recorded.error());
  std::set<std::string> with_changes;
  return plan_of(*selection, *recorded, with_changes, std::nullopt, changes, files);
}

Result<std::vector<std::string>> carry_out(UndoPlan& plan, FileChanges& changes, Files& files) {
  std::vector<std::string> undone;
  std::vector<std::uint32_t> modes;
  remove_leftovers(plan);
  for (const UndoOfFile& file : plan.files) {
    modes.push_back(files.status(file.path).value_or(FileStatus{}).mode);
    const Result<void> done = undo_one(file, files);
    if (done) {
      undone.push_back(file.path);
      continue;
    }
    if (file.now && file.was_removed) put_back(file, modes.back(), files);
    for (std::size_t i = undone.size(); i-- > 0;) put_back(plan.files[i], modes[i], files);
    for (const UndoOfFile& other : plan.files) {
      const bool is_it = &other == &file;
      plan.refused.push_back({other.path, is_it ? done.error().message : file.path + " could not be undone"});
    }
    return std::vector<std::string>();
  }
  remove_folders_made(plan);
  for (const UndoOfFile& file : plan.files) {
    for (const std::uint64_t number : file.changes) {
      if (auto marked = changes.mark_undone(number); !marked) return std::unexpected(marked.error());
    }
  }
  for (const NeverMade& change : plan.never_made) {
    if (auto marked = changes.mark_undone(change.number); !marked) return std::unexpected(marked.error());
  }
  return undone;
}

}  // namespace deft
