#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "deft/agent/background_hooks.h"
#include "deft/agent/hook_environment.h"
#include "deft/agent/hook_runner.h"
#include "deft/agent/hook_services.h"
#include "deft/core/hook_choice.h"
#include "deft/core/hook_config.h"
#include "deft/core/hook_fold.h"
#include "deft/os/http_client.h"
#include "deft/os/processes.h"

namespace deft {

inline constexpr std::size_t kHooksAtOnceMax = 32;  // of one moment; the others wait for them

// The hooks of the user's settings, run for real. Programs belong to `processes`: nothing of a hook outlives it, those
// in the background end with this object. Whatever goes wrong with a hook is an outcome with a report, never an allow.
class UserHooks final : public HookRunner {
 public:
  struct Parts {
    Processes& processes;
    const Clock& clock;
    HttpClient* http = nullptr;  // nothing: http hooks fail
    HookServices services = {};
    std::vector<std::string> environment = {};  // deft's own, NAME=VALUE
    std::string home = {};
    ResolvePath resolve = nullptr;
  };
  UserHooks(Parts parts, HookConfig config);

  // From the next moment on; what runs keeps the settings that it began with. From any thread.
  void use(HookConfig config);
  // Beside those of the settings, until end_turn(): the hooks of a skill at work. The error says what is wrong with
  // them. Where only managed hooks count, nothing happens.
  Result<void> add_beside(const Json& hooks, SettingSource source, std::string_view origin);
  void end_turn() override;
  // The same for one agent, until it has ended: only what happens to it is told to them. "": the main agent.
  Result<void> add_for_agent(const std::string& agent_id, const Json& hooks, SettingSource source,
                             std::string_view origin);
  void end_agent(const std::string& agent_id);
  void begin_session(HookSession session);
  std::shared_ptr<const HookConfig> config() const;  // all that are in force

  bool listens(HookEvent event) const override;
  HookOutcome run(const HookMoment& moment, std::stop_token stop) override;
  std::vector<LateHookWord> take_late_words() override { return background_.take(); }
  void when_a_late_word_comes(std::function<void()> tell) override { background_.when_a_word_comes(std::move(tell)); }

 private:
  struct Asking;  // one moment, as all its hooks see it
  AnsweredHook ask(const Asking& asking, const ChosenHook& chosen);
  HookAnswer ask_by_type(const Asking& asking, const ChosenHook& chosen, const HookLife& life, HookReport& report);
  HookAnswer ask_program(const Asking& asking, const ChosenHook& chosen, const HookLife& life, HookReport& report);
  HookAnswer ask_http(const Asking& asking, const ChosenHook& chosen, HookReport& report);
  HookAnswer ask_mcp_tool(const Asking& asking, const ChosenHook& chosen, HookReport& report);
  HookAnswer ask_model(const Asking& asking, const ChosenHook& chosen, HookReport& report);
  HookAnswer ask_host(const Asking& asking, const ChosenHook& chosen, HookReport& report);
  HookAnswer go_on_in_background(const Asking& asking, const ChosenHook& chosen, const HookLife& life,
                                 std::shared_ptr<class HookProgram> program, Duration timeout);
  HookLife begin(const HookMoment& moment) const;
  void tell_end(HookLife life, const HookAnswer& answer, HookReport report) const;
  void put_together();
  void bound(HookAnswer& answer, const Asking& asking, const Hook& hook);
  std::shared_ptr<const HookSession> session() const;
  std::shared_ptr<const HookConfig> of_agent(const std::string& agent_id) const;  // null: it has none

  Parts parts_;
  std::atomic<std::uint32_t> listens_ = 0;  // a bit for each event
  std::atomic<std::size_t> texts_kept_ = 0;
  mutable std::mutex mutex_;
  HookConfig of_settings_;                                              // under mutex_
  HookConfig beside_;                                                   // under mutex_
  std::map<std::string, std::shared_ptr<const HookConfig>> of_agents_;  // under mutex_
  std::shared_ptr<const HookConfig> config_;                            // both; under mutex_
  std::shared_ptr<const HookSession> session_;                          // under mutex_
  BackgroundHooks background_;                                          // last: its threads use the rest
};

}  // namespace deft
