#include "deft/agent/session_log.h"

#include <utility>

#include "deft/core/message_content.h"

namespace deft {

void SessionLog::write(const JournalEntry& entry) { look_at(journal_.append(entry)); }

void SessionLog::sync() {
  if (const auto synced = journal_.sync(); !synced) look_at(synced);
}

void SessionLog::look_at(const Result<void>& written) {
  if (!written && !std::exchange(is_broken_, true)) {
    frontend_.show(Notice{"What happens now cannot be resumed later: " + written.error().message});
  }
  if (written) is_broken_ = false;
}

void SessionLog::turn_began() { write(JournalEntry("turn")); }

void SessionLog::prompt(std::string_view content, std::string_view uuid, std::string_view source) {
  JournalEntry entry("prompt");
  entry.text("content", content);
  if (!uuid.empty()) entry.text("uuid", uuid);
  if (!source.empty()) entry.text("source", source);
  write(entry);
}

void SessionLog::draft(std::vector<Block> blocks, std::string uuid) {
  journal_.append_before_intent([blocks = std::move(blocks), uuid = std::move(uuid)] {
    return JournalEntry("draft").text("content", assistant_content(blocks)).text("uuid", uuid);
  });
}

void SessionLog::message(const Said& said) {
  JournalEntry entry("message");
  entry.text("content", said.content).text("how", said.how).text("model", said.model);
  if (!said.uuid.empty()) entry.text("uuid", said.uuid);
  if (!said.message.id.empty()) entry.text("id", said.message.id);
  if (!said.message.stop_reason.empty()) entry.text("stop_reason", said.message.stop_reason);
  if (!said.message.usage.is_null()) entry.json("usage", said.message.usage);
  if (said.cost > 0) entry.json("cost", said.cost);
  look_at(journal_.append_for_what_waits(entry));
}

void SessionLog::results(const std::vector<CallAnswered>& answers, const std::vector<bool>& changed,
                         std::string_view after) {
  std::string given = "[";
  for (std::size_t i = 0; i < answers.size(); ++i) {
    given += i > 0 ? ",{\"call\":" : "{\"call\":";
    append_json_string(given, answers[i].call_id);
    if (changed[i]) {
      given += ",\"block\":";
      append_json_string(given, result_block(answers[i].call_id, answers[i].result));
    }
    given += '}';
  }
  JournalEntry entry("results");
  entry.raw("given", given += ']');
  if (!after.empty()) entry.text("after", after);
  write(entry);
  sync();
}

void SessionLog::used(const SessionUsage& usage) {
  JsonObject models;
  for (const auto& [model, use] : usage.by_model) {
    models[model] = JsonObject{{"input_tokens", use.input},
                               {"output_tokens", use.output},
                               {"cache_read_input_tokens", use.cache_read},
                               {"cache_creation_input_tokens", use.cache_write},
                               {"cache_creation", JsonObject{{"ephemeral_1h_input_tokens", use.cache_write_hour}}}};
  }
  if (models.empty() && usage.cost <= 0) return;
  JournalEntry entry("used");
  entry.json("models", models);
  if (usage.cost > 0) entry.json("cost", usage.cost);
  write(entry);
}

void SessionLog::cleared() { write(JournalEntry("cleared")); }

void SessionLog::compacted(const Compacted& how) {
  JournalEntry entry("compacted");
  entry.text("summary", how.summary).number("kept_messages", static_cast<std::int64_t>(how.kept_messages));
  entry.text("trigger", how.trigger);
  if (!how.model.empty()) entry.text("model", how.model);
  if (!how.usage.is_null()) entry.json("usage", how.usage);
  if (how.cost > 0) entry.json("cost", how.cost);
  write(entry);
}

}  // namespace deft
