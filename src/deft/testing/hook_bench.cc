#include "deft/testing/hook_bench.h"

#include "deft/base/check.h"

namespace deft {

HookBench::HookBench(std::string_view hooks_json, SettingSource source) {
  const auto json = parse_json(hooks_json);
  DEFT_CHECK(json.has_value());
  add_hooks(*json, source, "settings.json", config);
  session = {.id = "session-1",
             .transcript_path = folder / "transcript.jsonl",
             .folder = folder / "session",
             .project = folder.path()};
}

std::string HookBench::one_command(HookEvent event, std::string_view command, std::string_view more) {
  return R"({")" + std::string(to_string(event)) + R"(":[{"hooks":[{"type":"command","command":)" +
         json_quote(command) + std::string(more) + "}]}]}";
}

UserHooks& HookBench::hooks() {
  if (!hooks_) {
    hooks_ = std::make_unique<UserHooks>(UserHooks::Parts{.processes = processes_,
                                                          .clock = clock_,
                                                          .http = http,
                                                          .services = services,
                                                          .environment = environment,
                                                          .home = "/nowhere"},
                                         config);
    hooks_->begin_session(session);
  }
  return *hooks_;
}

HookOutcome HookBench::run(HookEvent event, std::stop_token stop) {
  const HookSample sample = sample_of(event, {.directory = folder.path()});
  return hooks().run(sample.moment, std::move(stop));
}

HookOutcome HookBench::run(HookEvent event, std::string_view fields_json, std::stop_token stop) {
  const auto fields = parse_json(fields_json);
  DEFT_CHECK(fields.has_value());
  const auto sample = sample_of(event, {.directory = folder.path()}, *fields);
  DEFT_CHECK(sample.has_value());
  return hooks().run(sample->moment, std::move(stop));
}

}  // namespace deft
