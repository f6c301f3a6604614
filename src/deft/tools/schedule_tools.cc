#include "deft/tools/schedule_tools.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <string>
#include <string_view>
#include <utility>

#include "deft/base/text.h"

namespace deft {
namespace {

constexpr std::size_t kPromptShownCharacters = 60;
constexpr std::size_t kReasonCharactersMax = 500;

std::string text_of(const Json& input, std::string_view key) {
  return std::string(find_string(input, key).value_or(""));
}

// RFC 3339, as hosts read it.
std::string utc_text(UtcSeconds at) {
  const std::chrono::sys_seconds time{std::chrono::seconds(at)};
  const auto date = std::chrono::floor<std::chrono::days>(time);
  const std::chrono::year_month_day day(date);
  const auto seconds = (time - date).count();
  std::array<char, 64> text{};
  std::snprintf(text.data(), text.size(), "%04d-%02u-%02uT%02d:%02d:%02dZ", static_cast<int>(day.year()),
                static_cast<unsigned>(day.month()), static_cast<unsigned>(day.day()), static_cast<int>(seconds / 3600),
                static_cast<int>(seconds / 60 % 60), static_cast<int>(seconds % 60));
  return text.data();
}

// A model may say any number; one that no integer holds is as good as a large one.
std::int64_t delay_of(const Json& input) {
  const double seconds = find_number(input, "delaySeconds").value_or(0);
  return static_cast<std::int64_t>(std::clamp(seconds, 0.0, 10.0 * kWakeupSecondsMax));
}

JsonObject entry_json(const SharedSchedule::Entry& entry) {
  JsonObject json{{"id", entry.prompt.id},
                  {"humanSchedule", entry.prompt.cron.describe()},
                  {"recurring", entry.prompt.recurring},
                  {"durable", entry.durable}};
  if (entry.next) json["nextFireAt"] = utc_text(*entry.next);
  return json;
}

std::string how(const SharedSchedule::Entry& entry) {
  std::string text = entry.prompt.cron.describe() + (entry.prompt.recurring ? "" : ", once");
  if (entry.durable) text += ", durable";
  return entry.next ? text + ", next at " + utc_text(*entry.next) : text;
}

Json schema(JsonObject properties, JsonArray required) {
  return JsonObject{{"type", "object"},
                    {"properties", std::move(properties)},
                    {"required", std::move(required)},
                    {"additionalProperties", false}};
}

class ScheduleTool : public Tool {
 public:
  ScheduleTool(ToolSpec spec, std::shared_ptr<SharedSchedule> schedule)
      : spec_(std::move(spec)), schedule_(std::move(schedule)) {}
  const ToolSpec& spec() const final { return spec_; }
  std::optional<Footprint> footprint(const Json& input, const SessionView& session) const final {
    return Footprint::uses_session(is_read_only(input, session) ? Footprint::Use::read : Footprint::Use::write);
  }

 protected:
  SharedSchedule& schedule() const { return *schedule_; }

 private:
  const ToolSpec spec_;
  const std::shared_ptr<SharedSchedule> schedule_;
};

class CronCreateTool final : public ScheduleTool {
 public:
  using ScheduleTool::ScheduleTool;
  // What outlives the session is more than the session's own.
  bool is_session_only(const Json& input) const override { return !find_bool(input, "durable").value_or(false); }
  Result<void> validate(const Json& input, ToolIo&) const override {
    if (auto cron = Cron::parse(text_of(input, "cron")); !cron) return std::unexpected(cron.error());
    if (!schedule().gives_prompts() && !find_bool(input, "durable").value_or(false)) {
      return fail(Errc::unsupported,
                  "This run ends with your last answer: nobody would give you the prompt. Use Sleep to wait for "
                  "something now; if the user wants it in later sessions, say durable: true.");
    }
    return {};
  }
  Result<ToolResult> run(const Json& input, ToolIo&) override {
    const auto made =
        schedule().create(text_of(input, "cron"), text_of(input, "prompt"),
                          find_bool(input, "recurring").value_or(true), find_bool(input, "durable").value_or(false));
    if (!made) return std::unexpected(made.error());
    std::string text = "Scheduled " + made->prompt.id + ": " + how(*made) + ".";
    if (made->prompt.recurring) text += " It ends by itself after " + std::to_string(kScheduleDaysMax) + " days.";
    if (!made->durable) text += " It lasts as long as this session.";
    if (!schedule().gives_prompts()) {
      text +=
          " It is kept, and given in a session of this folder that stays open then; this run ends with your answer. "
          "Tell the user so.";
    }
    return ToolResult{.text = std::move(text), .details = entry_json(*made)};
  }
  std::string render_use(const Json& input) const override {
    return "CronCreate(" + one_line(text_of(input, "cron"), 30) + ": " +
           one_line(text_of(input, "prompt"), kPromptShownCharacters) + ")";
  }
};

class CronDeleteTool final : public ScheduleTool {
 public:
  using ScheduleTool::ScheduleTool;
  bool is_session_only(const Json& input) const override { return !schedule().is_durable(text_of(input, "id")); }
  Result<ToolResult> run(const Json& input, ToolIo&) override {
    const std::string id = text_of(input, "id");
    const auto removed = schedule().remove(id);
    if (!removed) return std::unexpected(removed.error());
    if (!*removed) {
      return fail(Errc::not_found,
                  "Nothing is scheduled as " + json_quote(one_line(id, 50)) + ": see CronList for what is.");
    }
    return ToolResult{.text = "Removed " + id + ".", .details = JsonObject{{"id", id}}};
  }
  std::string render_use(const Json& input) const override {
    return "CronDelete(" + one_line(text_of(input, "id"), 50) + ")";
  }
};

class CronListTool final : public ScheduleTool {
 public:
  using ScheduleTool::ScheduleTool;
  bool is_session_only(const Json&) const override { return true; }
  bool is_read_only(const Json&, const SessionView&) const override { return true; }
  Result<ToolResult> run(const Json&, ToolIo&) override {
    const auto entries = schedule().list();
    if (!entries) return std::unexpected(entries.error());
    std::vector<std::string> lines;
    JsonArray jobs;
    for (const SharedSchedule::Entry& entry : *entries) {
      lines.push_back(entry.prompt.id + "  " + how(entry) + ": " +
                      one_line(entry.prompt.prompt, kPromptShownCharacters));
      JsonObject job = entry_json(entry);
      job["cron"] = entry.prompt.cron.text();
      job["prompt"] = entry.prompt.prompt;
      jobs.push_back(std::move(job));
    }
    return ToolResult{.text = lines.empty() ? "Nothing is scheduled." : join(lines, "\n"),
                      .details = JsonObject{{"jobs", std::move(jobs)}}};
  }
  std::string render_use(const Json&) const override { return "CronList()"; }
};

class ScheduleWakeupTool final : public ScheduleTool {
 public:
  using ScheduleTool::ScheduleTool;
  std::optional<std::string> disabled() const override {
    if (schedule().gives_prompts()) return std::nullopt;
    return "this run ends with your last answer, so nobody would wake you; use Sleep to wait";
  }
  bool is_session_only(const Json&) const override { return true; }
  Result<void> validate(const Json& input, ToolIo&) const override {
    const bool needs_nothing = find_bool(input, "stop").value_or(false) || find_bool(input, "noop").value_or(false);
    if (needs_nothing) return {};
    if (!find_number(input, "delaySeconds") || text_of(input, "prompt").empty()) {
      return fail(Errc::invalid_input, "InputValidationError: give delaySeconds and prompt, or stop: true.");
    }
    if (text_of(input, "prompt").size() > kScheduledPromptCharactersMax) {
      return fail(Errc::limit, "The prompt is too long: write it into a file and name that.");
    }
    return {};
  }
  Result<ToolResult> run(const Json& input, ToolIo&) override {
    if (find_bool(input, "stop").value_or(false)) {
      const bool was_set = schedule().cancel_wakeup();
      return ToolResult{.text = was_set ? "The wake-up is cancelled." : "No wake-up was set.",
                        .details = JsonObject{{"stopped", was_set}}};
    }
    if (find_bool(input, "noop").value_or(false)) {
      return ToolResult{.text = "Nothing was changed.", .details = JsonObject{{"noop", true}}};
    }
    const std::int64_t asked = delay_of(input);
    const std::string reason = one_line(text_of(input, "reason"), kReasonCharactersMax);
    const std::int64_t delay = schedule().set_wakeup(asked, reason, text_of(input, "prompt"));
    std::string text = "You will be woken in " + std::to_string(delay) + " seconds";
    if (delay != asked) {
      text +=
          " (from " + std::to_string(kWakeupSecondsMin) + " to " + std::to_string(kWakeupSecondsMax) + " are possible)";
    }
    return ToolResult{.text = text + ". End your turn now: nothing else needs to be done for it.",
                      .details = JsonObject{{"delaySeconds", delay}, {"reason", reason}}};
  }
  std::string render_use(const Json& input) const override {
    if (find_bool(input, "stop").value_or(false)) return "ScheduleWakeup(stop)";
    return "ScheduleWakeup(" + std::to_string(delay_of(input)) + " s: " + one_line(text_of(input, "reason"), 60) + ")";
  }
};

Json text_field(std::string_view description) { return JsonObject{{"type", "string"}, {"description", description}}; }
Json flag_field(std::string_view description) { return JsonObject{{"type", "boolean"}, {"description", description}}; }

ToolSpec create_spec() {
  return {.name = "CronCreate",
          .aliases = {},
          .description =
              "Schedules a prompt: at those times it is given to you as if the user had written it, when no turn is "
              "under way.\n"
              "- cron: five fields in local time: minute, hour, day of the month, month, day of the week. \"0 9 * * "
              "1-5\" is nine o'clock from Monday to Friday, \"*/10 * * * *\" every ten minutes.\n"
              "- recurring: false for something that is to happen once. What repeats ends by itself after 7 days.\n"
              "- durable: true lets it outlive this session; only if the user wants that.\n"
              "- Where nothing needs to be exactly then, choose a minute other than 0 and 30.\n"
              "- To wait for a command, use Monitor or a background task instead.",
          .input_schema = schema({{"cron", text_field("When: five fields, local time.")},
                                  {"prompt", text_field("What you are told then.")},
                                  {"recurring", flag_field("Every time (true, if not given), or only the next one.")},
                                  {"durable", flag_field("Also after this session has ended.")}},
                                 {"cron", "prompt"}),
          .search_hint = "schedule remind repeat later timer every day",
          .should_defer = true};
}

ToolSpec delete_spec() {
  return {.name = "CronDelete",
          .aliases = {},
          .description = "Removes a scheduled prompt.",
          .input_schema = schema({{"id", text_field("Which one; CronCreate and CronList name it.")}}, {"id"}),
          .search_hint = "unschedule cancel reminder repeating prompt",
          .should_defer = true};
}

ToolSpec list_spec() {
  return {.name = "CronList",
          .aliases = {},
          .description = "Lists the prompts that are scheduled, with the next time of each.",
          .input_schema = schema({}, {}),
          .search_hint = "show schedule reminders timers",
          .should_defer = true,
          .on_interrupt = OnInterrupt::cancel};
}

ToolSpec wakeup_spec() {
  return {
      .name = "ScheduleWakeup",
      .aliases = {},
      .description =
          "Wakes you once after a while with a prompt of your own: for work that goes on elsewhere and that you look "
          "at from time to time. A later call takes the place of an earlier one; stop: true cancels it.",
      .input_schema =
          schema({{"delaySeconds",
                   JsonObject{{"type", "number"},
                              {"description", "In how many seconds; from 60 to 3600, others are moved there."}}},
                  {"reason", text_field("Why, in a few words, for the user.")},
                  {"prompt", text_field("What you are told then.")},
                  {"stop", flag_field("Cancel the wake-up that is set.")},
                  {"noop", flag_field("Leave everything as it is.")}},
                 {}),
      .search_hint = "wait later look again timer loop poll",
      .should_defer = true};
}

}  // namespace

std::vector<std::shared_ptr<Tool>> make_schedule_tools(const std::shared_ptr<SharedSchedule>& schedule) {
  return {std::make_shared<CronCreateTool>(create_spec(), schedule),
          std::make_shared<CronDeleteTool>(delete_spec(), schedule),
          std::make_shared<CronListTool>(list_spec(), schedule),
          std::make_shared<ScheduleWakeupTool>(wakeup_spec(), schedule)};
}

}  // namespace deft
