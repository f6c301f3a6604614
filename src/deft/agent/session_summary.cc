#include "deft/agent/session_summary.h"

#include "deft/agent/journal_reader.h"
#include "deft/agent/transcript.h"
#include "deft/base/text.h"
#include "deft/base/utf8.h"
#include "deft/core/token_use.h"

namespace deft {
namespace {

// The texts of a content, which is an array of blocks as text.
std::string texts_in(std::string_view content) {
  std::string texts;
  const auto blocks = parse_json(content);
  if (!blocks || !blocks->is_array()) return texts;
  for (const Json& block : blocks->get_array()) {
    if (find_string(block, "type") != "text") continue;
    if (!texts.empty()) texts += '\n';
    texts += find_string(block, "text").value_or("");
  }
  return texts;
}

// Of a prompt without words: "(a picture)".
std::string first_thing_in(std::string_view content) {
  const auto blocks = parse_json(content);
  const JsonArray* list = blocks ? blocks->if_array() : nullptr;
  return list && !list->empty() ? text_of_block(list->front()) : "";
}

class Summarising {
 public:
  Summarising(SessionSummary& summary, std::string* searched) : summary_(summary), searched_(searched) {}

  void take(std::string_view type, const Json& entry) {
    summary_.changed_ms = std::max(summary_.changed_ms, find_int(entry, "time_ms").value_or(0));
    if (type == "turn") ++summary_.turns;
    if (type == "intent") ++summary_.effects;
    if (type == "prompt") take_prompt(entry);
    if (type == "message") take_message(entry);
    if (type == "compacted") take_usage(entry);
    if (type == "used") take_usage_of_others(entry);
    if (type == "state" && find_string(entry, "key") == "title")
      summary_.title = find_string(entry, "value").value_or("");
  }

 private:
  void take_prompt(const Json& entry) {
    if (!searched_ && has_text_) return;
    const std::string texts = texts_in(find_string(entry, "content").value_or(""));
    if (!has_text_) summary_.prompt = one_line(texts, kSummaryPromptCharactersMax);
    has_text_ = has_text_ || !texts.empty();
    if (summary_.prompt.empty()) summary_.prompt = first_thing_in(find_string(entry, "content").value_or(""));
    add_searched(texts);
  }

  void take_message(const Json& entry) {
    ++summary_.messages;
    if (const auto model = find_string(entry, "model"); model && !model->empty()) summary_.model = *model;
    take_usage(entry);
    if (searched_) add_searched(texts_in(find_string(entry, "content").value_or("")));
  }

  void take_usage(const Json& entry) {
    if (const Json* usage = find(entry, "usage")) count_tokens(*usage);
    summary_.cost += find_number(entry, "cost").value_or(0);
  }

  // Subagents, side questions: what they cost is the session's, too.
  void take_usage_of_others(const Json& entry) {
    if (const JsonObject* models = find_object(entry, "models")) {
      for (const auto& [model, usage] : *models) count_tokens(usage);
    }
    summary_.cost += find_number(entry, "cost").value_or(0);
  }

  void count_tokens(const Json& usage) { summary_.tokens += static_cast<std::int64_t>(token_use(usage).total()); }

  void add_searched(std::string_view texts) {
    if (!searched_ || searched_->size() >= kSearchedBytesMax) return;
    *searched_ += utf8_prefix(texts, kSearchedBytesMax - searched_->size());
    *searched_ += '\n';
  }

  SessionSummary& summary_;
  std::string* searched_;
  bool has_text_ = false;  // the prompt that stands for the session: one with words, if there is one
};

}  // namespace

Result<SessionSummary> summarise_session(const SessionPlace& place, std::string* searched) {
  SessionSummary summary{.place = place};
  Summarising summarising(summary, searched);
  const auto opening =
      read_journal(place.journal(), [&](std::string_view type, const Json& entry) { summarising.take(type, entry); });
  if (!opening) return std::unexpected(opening.error());
  summary.directory = opening->header.directory;
  summary.forked_from = opening->header.forked_from;
  summary.began_ms = opening->time_ms;
  summary.changed_ms = std::max(summary.changed_ms, summary.began_ms);
  return summary;
}

JsonObject summary_json(const SessionSummary& summary) {
  return {{"id", summary.place.id},
          {"directory", summary.directory},
          {"title", summary.title.empty() ? Json() : Json(summary.title)},
          {"prompt", summary.prompt},
          {"model", summary.model},
          {"began_ms", summary.began_ms},
          {"changed_ms", summary.changed_ms},
          {"turns", summary.turns},
          {"messages", summary.messages},
          {"effects", summary.effects},
          {"tokens", summary.tokens},
          {"cost", summary.cost},
          {"forked_from", summary.forked_from.empty() ? Json() : Json(summary.forked_from)},
          {"folder", summary.place.folder}};
}

}  // namespace deft
