#include "deft/core/schedule.h"

#include <algorithm>
#include <utility>

#include "deft/base/utf8.h"

namespace deft {
namespace {

constexpr std::int64_t kDay = 86'400;
constexpr std::int64_t kClockCorrectionMax = 3'600;  // set back by more, the clock was wrong before
constexpr std::size_t kTimesCountedMax = 1'000;

UtcSeconds last_moment(const ScheduledPrompt& prompt) { return prompt.created + kScheduleDaysMax * kDay; }

}  // namespace

Result<ScheduledPrompt> Schedule::create(std::string id, std::string_view cron, std::string prompt, bool recurring,
                                         UtcSeconds now, const UtcOffset& offset) {
  auto parsed = Cron::parse(cron);
  if (!parsed) return std::unexpected(parsed.error());
  if (prompt.find_first_not_of(" \t\r\n") == std::string::npos) {
    return fail(Errc::invalid_input, "The prompt is empty: say what is to be done at that time.");
  }
  if (count_characters(prompt) > kScheduledPromptCharactersMax) {
    return fail(Errc::limit, "A scheduled prompt has at most " + std::to_string(kScheduledPromptCharactersMax) +
                                 " characters: write more into a file and name that.");
  }
  if (prompts_.size() >= kSchedulesMax) {
    return fail(Errc::limit, "There are " + std::to_string(kSchedulesMax) +
                                 " scheduled prompts already: remove one with CronDelete.");
  }
  ScheduledPrompt made{.id = std::move(id),
                       .cron = std::move(*parsed),
                       .prompt = std::move(prompt),
                       .recurring = recurring,
                       .created = now,
                       .done_until = now};
  if (!made.cron.next(now, offset)) {
    return fail(Errc::invalid_input, "The time " + made.cron.text() + " never comes.");
  }
  if (recurring && !next_due(made, offset)) {
    return fail(Errc::invalid_input,
                "A prompt that repeats ends after " + std::to_string(kScheduleDaysMax) +
                    " days, and this one would not come before that: set recurring to false to have it once.");
  }
  prompts_.push_back(made);
  return made;
}

bool Schedule::remove(std::string_view id) {
  return std::erase_if(prompts_, [&](const ScheduledPrompt& prompt) { return prompt.id == id; }) > 0;
}

const ScheduledPrompt* Schedule::find(std::string_view id) const {
  const auto found = std::ranges::find(prompts_, id, &ScheduledPrompt::id);
  return found == prompts_.end() ? nullptr : &*found;
}

std::optional<UtcSeconds> Schedule::next_due(const ScheduledPrompt& prompt, const UtcOffset& offset) {
  const auto next = prompt.cron.next(prompt.done_until, offset);
  if (next && prompt.recurring && *next > last_moment(prompt)) return std::nullopt;
  return next;
}

std::optional<UtcSeconds> Schedule::next_due(const UtcOffset& offset) const {
  std::optional<UtcSeconds> first;
  for (const ScheduledPrompt& prompt : prompts_) {
    const auto next = next_due(prompt, offset);
    if (next && (!first || *next < *first)) first = next;
  }
  return first;
}

std::vector<DuePrompt> Schedule::take_due(UtcSeconds now, UtcSeconds since, const UtcOffset& offset) {
  std::vector<DuePrompt> all;
  for (ScheduledPrompt& prompt : prompts_) {
    // Else nothing would be due until the clock is where it was.
    if (prompt.done_until > now + kClockCorrectionMax) prompt.done_until = now;
    DuePrompt due{.id = prompt.id, .prompt = prompt.prompt};
    for (auto next = next_due(prompt, offset); next && *next <= now; next = next_due(prompt, offset)) {
      due.due = *next;
      prompt.done_until = *next;
      *next < since ? ++due.missed : ++due.times;
      if (!prompt.recurring || due.missed + due.times >= kTimesCountedMax) break;
    }
    if (due.missed + due.times == 0) continue;
    prompt.done_until = std::max(prompt.done_until, now);
    due.runs_now = due.times > 0 || !prompt.recurring;
    due.is_last = !prompt.recurring || !next_due(prompt, offset);
    all.push_back(std::move(due));
  }
  std::erase_if(prompts_, [&](const ScheduledPrompt& prompt) {
    const bool is_given = !prompt.recurring && std::ranges::find(all, prompt.id, &DuePrompt::id) != all.end();
    return is_given || (prompt.recurring && !next_due(prompt, offset));
  });
  return all;
}

Json Schedule::to_json_value() const {
  JsonArray prompts;
  for (const ScheduledPrompt& prompt : prompts_) {
    prompts.push_back(JsonObject{{"id", prompt.id},
                                 {"cron", prompt.cron.text()},
                                 {"prompt", prompt.prompt},
                                 {"recurring", prompt.recurring},
                                 {"created", prompt.created},
                                 {"doneUntil", prompt.done_until}});
  }
  return JsonObject{{"version", 1}, {"prompts", std::move(prompts)}};
}

Schedule Schedule::from_json(const Json& json) {
  Schedule schedule;
  const JsonArray* prompts = find_array(json, "prompts");
  for (std::size_t i = 0; prompts && i < prompts->size() && schedule.prompts_.size() < kSchedulesMax; ++i) {
    const Json& one = (*prompts)[i];
    auto cron = Cron::parse(find_string(one, "cron").value_or(""));
    const auto id = find_string(one, "id");
    const auto prompt = find_string(one, "prompt");
    const auto created = find_int(one, "created");
    const auto done_until = find_int(one, "doneUntil");
    constexpr std::int64_t kFarFuture = std::int64_t{1} << 40;  // what is later cannot be counted with
    const auto is_time = [](const auto& time) { return time && *time >= 0 && *time < kFarFuture; };
    const bool is_good = cron && id && !id->empty() && prompt && is_time(created) && is_time(done_until) &&
                         count_characters(*prompt) <= kScheduledPromptCharactersMax && !schedule.find(*id);
    if (!is_good) continue;
    schedule.prompts_.push_back({.id = std::string(*id),
                                 .cron = std::move(*cron),
                                 .prompt = std::string(*prompt),
                                 .recurring = deft::find_bool(one, "recurring").value_or(true),
                                 .created = *created,
                                 .done_until = *done_until});
  }
  return schedule;
}

}  // namespace deft
