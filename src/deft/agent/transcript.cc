#include "deft/agent/transcript.h"

#include <algorithm>
#include <unordered_map>
#include <utility>
#include <vector>

#include "deft/agent/journal_branch.h"
#include "deft/agent/journal_place.h"
#include "deft/agent/journal_reader.h"
#include "deft/os/uuid.h"

namespace deft {
namespace {

class Telling {
 public:
  explicit Telling(const std::function<void(const TranscriptItem&)>& take) : take_(take) {}

  void take(std::string_view type, const Json& entry) {
    place_.take(type, entry);
    item_ = {.turn = place_.turn(), .message = place_.message(), .time_ms = find_int(entry, "time_ms").value_or(0)};
    if (type == "prompt") remember_prompt(entry);
    if (type == "prompt") tell_texts(entry, "content", TranscriptItem::Kind::prompt);
    if (type == kRewoundEntry) tell_return(entry);
    if (type == "cleared") tell_clearing();
    if (type == "compacted") tell_texts(entry, "summary", TranscriptItem::Kind::compaction);
    if (type == "message") tell_message(entry);
    if (type == "results") tell_results(entry);
    if (type == "result") results_.push_back(result_of(entry));
    if (type == "discarded") results_.clear();
  }
  void end() { tell_results(); }

 private:
  void tell_texts(const Json& entry, std::string_view key, TranscriptItem::Kind kind) {
    tell_results();
    item_.kind = kind;
    for_each_block(entry, key, [&](const Json& block) {
      if (const std::string text = text_of_block(block); !text.empty()) tell(text);
    });
  }

  void remember_prompt(const Json& entry) {
    const auto uuid = find_string(entry, "uuid");
    if (uuid) prompts_.insert_or_assign(std::string(*uuid), place_.turn());
  }

  void tell_return(const Json& entry) {
    tell_results();
    const auto to = find_string(entry, "to").value_or("");
    item_.kind = TranscriptItem::Kind::went_back;
    if (const auto prompt = prompts_.find(std::string(to)); prompt != prompts_.end()) {
      return tell("the prompt of turn " + std::to_string(prompt->second));
    }
    const auto message = std::ranges::find_if(messages_.rbegin(), messages_.rend(),
                                              [&](const auto& known) { return uuid_distance(known, to).has_value(); });
    if (message == messages_.rend()) return tell("an earlier point");
    tell("message " + std::to_string(messages_.rend() - message));
  }

  void tell_clearing() {
    tell_results();
    item_.kind = TranscriptItem::Kind::cleared;
    tell("");
  }

  void tell_message(const Json& entry) {
    item_.message = place_.message() - (is_without_calls(entry) ? 1 : 0);
    messages_.emplace_back(find_string(entry, "uuid").value_or(""));
    for_each_block(entry, "content", [&](const Json& block) {
      const auto type = find_string(block, "type");
      item_.kind = type == "tool_use"   ? TranscriptItem::Kind::call
                   : type == "thinking" ? TranscriptItem::Kind::thinking
                                        : TranscriptItem::Kind::text;
      if (type == "text") tell(find_string(block, "text").value_or(""));
      if (type == "thinking") tell(find_string(block, "thinking").value_or(""));
      if (type != "tool_use") return;
      item_.call_id = find_string(block, "id").value_or("");
      item_.tool = find_string(block, "name").value_or("");
      const Json* input = find(block, "input");
      tell(input ? to_json(*input) : "{}");
    });
  }

  static bool is_without_calls(const Json& entry) {
    return find_string(entry, "content").value_or("").find("\"tool_use\"") == std::string_view::npos;
  }

  TranscriptItem result_of(const Json& entry) {
    TranscriptItem item = item_;
    item.kind = TranscriptItem::Kind::result;
    item.text = find_string(entry, "content").value_or("");
    item.call_id = find_string(entry, "call").value_or("");
    item.tool = find_string(entry, "tool").value_or("");
    item.is_error = find_bool(entry, "is_error").value_or(false);
    return item;
  }

  void tell_results() {
    for (const TranscriptItem& item : std::exchange(results_, {})) take_(item);
  }

  // Where the process had ended, the answers were made up later and stand only here.
  void tell_results(const Json& entry) {
    for_each_block(entry, "content", [&](const Json& block) {
      const std::string call(find_string(block, "tool_use_id").value_or(""));
      const bool is_known = std::ranges::any_of(results_, [&](const auto& item) { return item.call_id == call; });
      if (call.empty() || is_known) return;
      TranscriptItem item = item_;
      item.kind = TranscriptItem::Kind::result;
      item.text = find_string(block, "content").value_or("");
      item.call_id = call;
      item.is_error = true;
      results_.push_back(std::move(item));
    });
    tell_results();
  }

  void tell(std::string_view text) {
    item_.text = text;
    take_(item_);
  }

  static void for_each_block(const Json& entry, std::string_view key, const std::function<void(const Json&)>& take) {
    const auto content = parse_json(find_string(entry, key).value_or(""));
    if (!content || !content->is_array()) return;
    for (const Json& block : content->get_array()) take(block);
  }

  const std::function<void(const TranscriptItem&)>& take_;
  JournalPlace place_;
  TranscriptItem item_;
  std::unordered_map<std::string, std::size_t> prompts_;  // turns, by their uuids
  std::vector<std::string> messages_;                     // uuids of the model's
  std::vector<TranscriptItem> results_;                   // that may belong to a message which is not there yet
};

}  // namespace

std::string_view to_string(TranscriptItem::Kind kind) {
  switch (kind) {
    case TranscriptItem::Kind::prompt: return "prompt";
    case TranscriptItem::Kind::text: return "text";
    case TranscriptItem::Kind::thinking: return "thinking";
    case TranscriptItem::Kind::call: return "call";
    case TranscriptItem::Kind::result: return "result";
    case TranscriptItem::Kind::compaction: return "compaction";
    case TranscriptItem::Kind::went_back: return "went_back";
    case TranscriptItem::Kind::cleared: return "cleared";
  }
  return "text";
}

std::string text_of_block(const Json& block) {
  const auto type = find_string(block, "type");
  if (type == "image") return "(a picture)";
  if (type == "document") return "(a document)";
  return std::string(find_string(block, "text").value_or(""));
}

Result<void> read_transcript(const std::string& journal, const std::function<void(const TranscriptItem&)>& take) {
  Telling telling(take);
  const auto read = read_journal(journal, [&](std::string_view type, const Json& entry) { telling.take(type, entry); });
  if (!read) return std::unexpected(read.error());
  telling.end();
  return {};
}

}  // namespace deft
