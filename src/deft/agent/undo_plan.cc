#include "deft/agent/undo_plan.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <set>
#include <unordered_map>
#include <utility>

#include "deft/agent/journal_place.h"
#include "deft/agent/journal_reader.h"
#include "deft/base/text.h"
#include "deft/core/patch.h"

namespace deft {
namespace {

constexpr std::size_t kFileBytesMax = std::size_t{1} << 30;
constexpr std::size_t kPatchBytesMax = std::size_t{1} << 20;
constexpr std::size_t kTitleCharactersMax = 100;

std::optional<std::size_t> parse_number(std::string_view text) {
  std::size_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  const bool is_number = error == std::errc() && end == text.data() + text.size() && number > 0;
  return is_number ? std::optional(number) : std::nullopt;
}

// What the call is about, by the input that says most.
std::string title_of(std::string_view tool, const Json& entry) {
  const Json* input = find(entry, "input");
  for (const char* key : {"command", "file_path", "notebook_path", "path", "url", "query", "description"}) {
    const auto value = input ? find_string(*input, key) : std::nullopt;
    if (value) return std::string(tool) + ": " + one_line(*value, kTitleCharactersMax);
  }
  return std::string(tool);
}

bool is_same(const std::optional<ContentId>& a, const std::optional<ContentId>& b) {
  if (!a || !b) return !a && !b;
  return a->size == b->size && a->hash == b->hash;
}

std::string hunk_header(const Json& hunk) {
  const auto number = [&](std::string_view key) { return std::to_string(find_int(hunk, key).value_or(0)); };
  return "@@ -" + number("oldStart") + "," + number("oldLines") + " +" + number("newStart") + "," + number("newLines") +
         " @@\n";
}

std::string unified(const std::string& path, const std::optional<std::string>& content,
                    const std::optional<std::string>& before) {
  std::string text = "--- " + (content ? path : "/dev/null") + "\n+++ " + (before ? path : "/dev/null") + "\n";
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
  if (!meant) return fail(Errc::not_found, "No change of this session is left to be undone.");
  Selection selection;
  if (target.what == UndoTarget::What::call) {
    selection.calls.insert(meant->call_id);
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
    const auto content = files_.read(path_, kFileBytesMax);
    if (!content && content.error().code != Errc::not_found) return refuse(content.error().message);
    const std::string now = content ? content->bytes : "";
    std::optional<ContentId> at = content ? std::optional(content_id(now)) : std::nullopt;
    const RecordedChange* first = nullptr;
    UndoOfFile undo{.path = path_};
    undo.now = at;
    // From the newest back: each must have led to what there is.
    for (auto change = all.rbegin(); change != all.rend(); ++change) {
      const RecordedChange& recorded = **change;
      if (recorded.is_undone) continue;
      const bool is_meant = calls.contains(recorded.change.call_id);
      if (is_same(at, recorded.change.before) && !is_same(at, recorded.change.after)) {
        if (is_meant) plan_.never_made.push_back(recorded.number);
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
      undo.changes.push_back(recorded.number);
      at = recorded.change.before;
      first = &recorded;
    }
    if (!first) return;
    if (first->change.before) {
      auto before = changes_.before_image(*first->change.before);
      if (!before) return refuse(before.error().message);
      undo.before = std::move(*before);
      undo.mode = first->change.mode;
    }
    undo.patch = unified(path_, content ? std::optional(now) : std::nullopt, undo.before);
    plan_.files.push_back(std::move(undo));
  }

 private:
  void refuse(std::string why) { plan_.refused.push_back({path_, std::move(why)}); }

  const std::string path_;
  UndoPlan& plan_;
  FileChanges& changes_;
  Files& files_;
};

Result<void> undo_one(const UndoOfFile& file, Files& files) {
  if (!file.before && !file.now) return {};  // made and removed again
  if (!file.before) return files.remove(file.path, *file.now);
  const auto put_back =
      file.now ? files.replace(file.path, *file.before, file.now) : files.create(file.path, *file.before, file.mode);
  if (!put_back) return std::unexpected(put_back.error());
  return {};
}

}  // namespace

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

Result<std::vector<EffectOfCall>> effects_of_session(const std::string& journal) {
  std::vector<EffectOfCall> effects;
  std::unordered_map<std::string, std::size_t> by_call;
  JournalPlace place;
  const auto read = read_journal(journal, [&](std::string_view type, const Json& entry) {
    place.take(type, entry);
    const std::string call(find_string(entry, "call").value_or(""));
    if (type == "intent") {
      const std::string tool(find_string(entry, "tool").value_or(""));
      by_call[call] = effects.size();
      effects.push_back({.call_id = call,
                         .tool = tool,
                         .title = title_of(tool, entry),
                         .message = place.message(),
                         .turn = place.turn()});
    }
    const auto known = by_call.find(call);
    if (type == "result" && known != by_call.end()) effects[known->second].is_finished = true;
  });
  if (!read) return std::unexpected(read.error());
  return effects;
}

Result<UndoPlan> plan_undo(const std::string& journal, const UndoTarget& target, FileChanges& changes, Files& files) {
  const auto effects = effects_of_session(journal);
  if (!effects) return std::unexpected(effects.error());
  const auto recorded = changes.all();
  if (!recorded) return std::unexpected(recorded.error());
  const auto selection = select(*effects, *recorded, target);
  if (!selection) return std::unexpected(selection.error());

  UndoPlan plan{.title = selection->title};
  std::map<std::string, std::vector<const RecordedChange*>> by_path;
  std::set<std::string> with_changes;
  std::set<std::string> paths;
  for (const RecordedChange& change : *recorded) {
    by_path[change.change.path].push_back(&change);
    if (!selection->calls.contains(change.change.call_id)) continue;
    with_changes.insert(change.change.call_id);
    if (!change.is_undone) paths.insert(change.change.path);
  }
  for (const std::string& path : paths) FileUndo(path, plan, changes, files).look_at(by_path[path], selection->calls);
  for (const EffectOfCall& effect : *effects) {
    if (!selection->calls.contains(effect.call_id) || with_changes.contains(effect.call_id)) continue;
    plan.cannot.push_back({effect.title, "only what file tools have changed can be taken back"});
  }
  if (plan.files.empty() && plan.refused.empty() && plan.cannot.empty()) {
    return fail(Errc::not_found, "Nothing of " + plan.title + " is left to be undone.");
  }
  return plan;
}

Result<std::vector<std::string>> carry_out(UndoPlan& plan, FileChanges& changes, Files& files) {
  std::vector<std::string> undone;
  for (const std::uint64_t number : plan.never_made) {
    if (auto marked = changes.mark_undone(number); !marked) return std::unexpected(marked.error());
  }
  for (const UndoOfFile& file : plan.files) {
    const Result<void> done = undo_one(file, files);
    if (!done) {
      plan.refused.push_back({file.path, done.error().message});
      continue;
    }
    undone.push_back(file.path);
    for (const std::uint64_t number : file.changes) {
      if (auto marked = changes.mark_undone(number); !marked) return std::unexpected(marked.error());
    }
  }
  return undone;
}

}  // namespace deft
