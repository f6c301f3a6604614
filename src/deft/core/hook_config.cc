#include "deft/core/hook_config.h"

#include <algorithm>

namespace deft {
namespace {

constexpr std::array<std::string_view, 6> kTypes = {"command", "http", "mcp_tool", "prompt", "agent", "callback"};

bool takes_type(HookEvent event, HookType type) {
  const bool is_model = type == HookType::prompt || type == HookType::agent;
  switch (event) {
    case HookEvent::session_start: return !is_model && type != HookType::http;
    case HookEvent::notification:
    case HookEvent::subagent_start:
    case HookEvent::pre_compact:
    case HookEvent::post_compact:
    case HookEvent::session_end:
    case HookEvent::directory_added:
    case HookEvent::config_change: return !is_model;
    default: return true;
  }
}

// Reads one handler. The first wrong field is remembered; what follows is read all the same.
class HandlerReader {
 public:
  HandlerReader(const Json& json, Hook& hook) : json_(json), hook_(hook) {}

  std::optional<std::string> read() {
    if (!json_.is_object()) return "it must be an object, not " + shown(json_);
    read_common();
    switch (hook_.type) {
      case HookType::command: read_command(); break;
      case HookType::http: read_http(); break;
      case HookType::mcp_tool: read_mcp_tool(); break;
      case HookType::prompt:
      case HookType::agent: read_prompt(); break;
      case HookType::callback: problem("only a host can offer callbacks"); break;
    }
    if (!problem_ && !takes_type(hook_.event, hook_.type)) {
      problem("hooks of this event cannot have the type " + std::string(to_string(hook_.type)));
    }
    return problem_;
  }

 private:
  static std::string shown(const Json& value) { return to_json(value).substr(0, 100); }
  void problem(std::string text) {
    if (!problem_) problem_ = std::move(text);
  }

  void text(std::string_view key, std::string& into, bool is_needed = false) {
    const Json* value = find(json_, key);
    if (!value) {
      if (is_needed) problem(std::string(key) + " is missing");
      return;
    }
    const bool is_usable = value->is_string() && !(is_needed && value->get_string().empty());
    if (!is_usable) return problem(std::string(key) + " must be a text, not " + shown(*value));
    into = view(value->get_string());
    if (into.find('\0') != std::string::npos) problem(std::string(key) + " must not hold a NUL");
  }
  void flag(std::string_view key, bool& into) {
    const Json* value = find(json_, key);
    if (!value) return;
    if (!value->is_bool()) return problem(std::string(key) + " must be true or false, not " + shown(*value));
    into = value->get_bool();
  }
  std::vector<std::string> texts(std::string_view key) {
    const Json* value = find(json_, key);
    std::vector<std::string> list;
    if (!value) return list;
    const bool is_list = value->is_array() && std::ranges::all_of(value->get_array(), [](const Json& entry) {
                           return entry.is_string() && view(entry.get_string()).find('\0') == std::string_view::npos;
                         });
    if (!is_list) return problem(std::string(key) + " must be a list of texts, not " + shown(*value)), list;
    for (const Json& entry : value->get_array()) list.emplace_back(view(entry.get_string()));
    return list;
  }

  void read_common() {
    std::string type;
    text("type", type, true);
    const auto* const found = std::ranges::find(kTypes, type);
    if (found == kTypes.end()) {
      problem("type must be command, http, mcp_tool, prompt or agent, not " + json_quote(type));
    } else {
      hook_.type = static_cast<HookType>(found - kTypes.begin());
    }
    text("statusMessage", hook_.status_message);
    read_timeout();
    std::string on_failure = "continue";
    text("onFailure", on_failure);
    if (on_failure != "continue" && on_failure != "block") {
      problem("onFailure must be continue or block, not " + json_quote(on_failure));
    }
    hook_.blocks_on_failure = on_failure == "block";
    std::string condition;
    text("if", condition);
    if (condition.empty()) return;
    auto rule = parse_rule(condition);
    if (!rule) return problem("if: " + rule.error().message);
    hook_.condition = std::move(*rule);
  }

  void read_timeout() {
    const Json* value = find(json_, "timeout");
    if (!value) return;
    const auto seconds = find_number(json_, "timeout");
    if (!seconds || !(*seconds > 0)) return problem("timeout must be a number of seconds, not " + shown(*value));
    const double most = std::chrono::duration<double>(kHookTimeoutMax).count();
    hook_.timeout = std::chrono::duration_cast<Duration>(std::chrono::duration<double>(std::min(*seconds, most)));
  }

  void read_command() {
    text("command", hook_.command, true);
    if (find(json_, "args")) hook_.args = texts("args");
    flag("async", hook_.is_async);
    flag("asyncRewake", hook_.wakes_model);
    hook_.is_async = hook_.is_async || hook_.wakes_model;
    std::string shell = "bash";
    text("shell", shell);
    if (shell != "bash") problem("shell must be bash here, not " + json_quote(shell));
    hook_.name = hook_.command;
    for (const std::string& arg : hook_.args.value_or(std::vector<std::string>())) hook_.name += " " + arg;
  }
  void read_http() {
    text("url", hook_.url, true);
    if (!problem_ && !hook_.url.starts_with("http://") && !hook_.url.starts_with("https://")) {
      problem("url must begin with http:// or https://");
    }
    hook_.allowed_variables = texts("allowedEnvVars");
    hook_.name = hook_.url;
    const Json* headers = find(json_, "headers");
    if (!headers) return;
    if (!headers->is_object()) return problem("headers must be an object of texts, not " + shown(*headers));
    for (const auto& header : headers->get_object()) {
      if (!header.value().is_string()) return problem("headers must be an object of texts, not " + shown(*headers));
      hook_.headers.emplace_back(header.key(), view(header.value().get_string()));
    }
  }
  void read_mcp_tool() {
    text("server", hook_.server, true);
    text("tool", hook_.tool, true);
    hook_.name = hook_.server + "/" + hook_.tool;
    const Json* input = find(json_, "input");
    if (!input) return;
    if (!input->is_object()) return problem("input must be an object, not " + shown(*input));
    hook_.input = input->get_object();
  }
  void read_prompt() {
    text("prompt", hook_.prompt, true);
    text("model", hook_.model);
    flag("continueOnBlock", hook_.continue_on_block);
    hook_.name = std::string(to_string(hook_.type)) + " hook";
  }

  const Json& json_;
  Hook& hook_;
  std::optional<std::string> problem_;
};

// Two handlers that differ only in how long they may take or how they are announced do the same.
std::string identity_of(const Json& json) {
  JsonObject rest = json.get_object();
  for (const char* key : {"timeout", "statusMessage", "onFailure"}) {
    if (rest.if_contains(key)) rest.stable_erase(rest.find(key));
  }
  return to_json(rest);
}

// The hooks of one file, with where we are in it.
class FileReader {
 public:
  FileReader(SettingSource source, std::string_view origin, HookConfig& config)
      : source_(source), origin_(origin), config_(config) {}

  void read(const Json& hooks) {
    if (!hooks.is_object()) return refuse(HookEvent::pre_tool_use, {}, "hooks", "must be an object", is_managed());
    for (const auto& member : hooks.get_object()) {
      const std::string name(member.key());
      const auto event = parse_hook_event(name);
      if (!event) {
        config_.problems.push_back(std::string(origin_) + ": hooks." + name + ": there is no such event here");
        continue;
      }
      read_event(*event, member.value());
    }
  }

 private:
  bool is_managed() const { return source_ == SettingSource::managed; }

  void read_event(HookEvent event, const Json& groups) {
    const std::string place = "hooks." + std::string(to_string(event));
    if (!groups.is_array()) return refuse(event, {}, place, "must be a list", is_managed());
    for (std::size_t i = 0; i < groups.get_array().size(); ++i) {
      read_group(event, groups.get_array()[i], place + "[" + std::to_string(i) + "]");
    }
  }

  void read_group(HookEvent event, const Json& group, const std::string& place) {
    const JsonArray* handlers = find_array(group, "hooks");
    if (!handlers) return refuse(event, {}, place, "must be an object with a list \"hooks\"", is_managed());
    const Json* given = find(group, "matcher");
    const bool is_text = !given || given->is_null() || given->is_string();
    auto matcher = !is_text ? Result<HookMatcher>(fail(Errc::invalid_input, "the matcher must be a text"))
                            : HookMatcher::parse(given && given->is_string() ? view(given->get_string()) : "");
    for (std::size_t i = 0; i < handlers->size(); ++i) {
      const Json& handler = (*handlers)[i];
      const std::string its_place = place + ".hooks[" + std::to_string(i) + "]";
      const bool must_hold = is_managed() || find_string(handler, "onFailure") == "block";
      if (!matcher) {
        refuse(event, {}, its_place, matcher.error().message, must_hold);
        continue;
      }
      read_handler(event, *matcher, handler, its_place, must_hold);
    }
  }

  void read_handler(HookEvent event, const HookMatcher& matcher, const Json& json, const std::string& place,
                    bool must_hold) {
    Hook hook{.event = event, .matcher = matcher, .source = source_, .origin = std::string(origin_)};
    if (auto problem = HandlerReader(json, hook).read()) return refuse(event, matcher, place, *problem, must_hold);
    if (++counts_[static_cast<std::size_t>(event)] > kHooksPerEventMax) {
      return refuse(event, matcher, place, "there are more than " + std::to_string(kHooksPerEventMax) + " hooks",
                    must_hold);
    }
    if (hook.condition && !is_tool_event(event)) {
      config_.problems.push_back(where(place) +
                                 "it has an \"if\", which only hooks about tools can have: it never runs");
    }
    hook.identity = identity_of(json);
    config_.of(event).push_back(std::move(hook));
  }

  // A hook that somebody relies on blocks what it is for; any other is left out.
  void refuse(HookEvent event, const HookMatcher& matcher, const std::string& place, const std::string& why,
              bool must_hold) {
    const std::string text = where(place) + why;
    if (!must_hold) return config_.problems.push_back(text + "; this hook does not run");
    config_.problems.push_back(text + "; until this is repaired, what it is for is blocked");
    const auto is_broken = [&](const Hook& other) { return other.broken && other.origin == origin_; };
    const auto& others = config_.of(event);
    if (std::ranges::count_if(others, is_broken) >= static_cast<std::ptrdiff_t>(kHooksPerEventMax)) return;
    config_.of(event).push_back({.event = event,
                                 .matcher = matcher,
                                 .source = source_,
                                 .origin = std::string(origin_),
                                 .identity = text,
                                 .name = place,
                                 .blocks_on_failure = true,
                                 .broken = text});
  }
  std::string where(const std::string& place) const { return std::string(origin_) + ": " + place + ": "; }

  SettingSource source_;
  std::string_view origin_;
  HookConfig& config_;
  std::array<std::size_t, kHookEventCount> counts_ = {};
};

}  // namespace

std::string_view to_string(HookType type) { return kTypes[static_cast<std::size_t>(type)]; }

bool HookConfig::empty() const {
  return std::ranges::all_of(by_event, [](const std::vector<Hook>& hooks) { return hooks.empty(); });
}

void add_hooks(const Json& hooks, SettingSource source, std::string_view origin, HookConfig& config) {
  FileReader(source, origin, config).read(hooks);
}

void add_host_hooks(const Json& hooks, HookConfig& config) {
  const auto problem = [&](std::string_view event, std::string_view what) {
    config.problems.push_back("hooks of the host, " + std::string(event) + ": " + std::string(what));
  };
  if (!hooks.is_object()) return;
  for (const auto& [key, groups] : hooks.get_object()) {
    const std::string name(key.data(), key.size());
    const auto event = parse_hook_event(name);
    if (!event || !groups.is_array()) {
      problem(name, event ? "they must be a list" : "there is no such event here");
      continue;
    }
    for (const Json& group : groups.get_array()) {
      const JsonArray* ids = find_array(group, "hookCallbackIds");
      const auto matcher = HookMatcher::parse(find_string(group, "matcher").value_or(""));
      if (!ids || !matcher) {
        problem(name, ids ? matcher.error().message : "hookCallbackIds are missing");
        continue;
      }
      for (const Json& id : *ids) {
        if (!id.is_string() || config.of(*event).size() >= 2 * kHooksPerEventMax) {
          problem(name, id.is_string() ? "there are too many" : "an id must be a text");
          continue;
        }
        Hook hook{.event = *event, .matcher = *matcher, .source = SettingSource::session, .origin = "the host"};
        hook.type = HookType::callback;
        hook.callback = view(id.get_string());
        hook.identity = "callback " + hook.callback;
        hook.name = hook.callback;
        hook.blocks_on_failure = *event == HookEvent::pre_tool_use || *event == HookEvent::user_prompt_submit;
        if (const auto seconds = find_number(group, "timeout"); seconds && *seconds > 0) {
          const std::chrono::duration<double> wanted(std::min(*seconds, 24.0 * 3600));
          hook.timeout = std::chrono::duration_cast<Duration>(wanted);
        }
        config.of(*event).push_back(std::move(hook));
      }
    }
  }
}

Duration timeout_of(const Hook& hook, const HookConfig& config) {
  if (hook.event == HookEvent::session_end) {
    Duration budget = kSessionEndBudgetMin;
    for (const Hook& other : config.of(HookEvent::session_end)) {
      budget = std::max(budget, other.timeout.value_or(Duration::zero()));
    }
    budget = std::min(config.session_end_budget.value_or(budget), kSessionEndBudgetMax);
    return std::min(hook.timeout.value_or(budget), budget);
  }
  if (hook.timeout) return *hook.timeout;
  if (hook.type == HookType::prompt) return kPromptHookTimeoutDefault;
  if (hook.type == HookType::agent) return kAgentHookTimeoutDefault;
  if (hook.type == HookType::callback) return kCallbackHookTimeoutDefault;
  return hook.event == HookEvent::user_prompt_submit ? kPromptSubmitTimeoutDefault : kHookTimeoutDefault;
}

bool can_block_on_failure(const Hook& hook) {
  const bool means_to_go_on = hook.event == HookEvent::stop || hook.event == HookEvent::subagent_stop ||
                              hook.event == HookEvent::task_completed;
  return hook.blocks_on_failure && !hook.is_async && !means_to_go_on;
}

}  // namespace deft
