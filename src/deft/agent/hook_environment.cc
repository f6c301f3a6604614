#include "deft/agent/hook_environment.h"

#include <unistd.h>

#include <algorithm>
#include <functional>
#include <optional>

#include "deft/os/environment.h"

namespace deft {
namespace {

bool is_name_character(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

// Replaces each ${…}; what `value` does not know stays as it is.
using Value = std::function<std::optional<std::string>(std::string_view name)>;
std::string replace_braces(std::string_view text, const Value& value) {
  std::string out;
  while (!text.empty()) {
    const std::size_t open = std::min(text.find("${"), text.size());
    out += text.substr(0, open);
    text.remove_prefix(open);
    if (text.empty()) break;
    const std::size_t close = text.find('}');
    const auto known = close == text.npos ? std::nullopt : value(text.substr(2, close - 2));
    const std::size_t taken = known ? close + 1 : 2;
    out += known ? std::string_view(*known) : text.substr(0, taken);
    text.remove_prefix(taken);
  }
  return out;
}

bool is_project_name(std::string_view name) { return name == "CLAUDE_PROJECT_DIR" || name == "DEFT_PROJECT_DIR"; }

// Means itself to a shell, quoted or not.
bool is_plain(std::string_view path) {
  return std::ranges::all_of(path,
                             [](char c) { return is_name_character(c) || std::string_view("/.-+@:,%").contains(c); });
}

void set(std::vector<std::string>& environment, std::string_view name, std::string_view value) {
  if (value.find('\0') != value.npos) return;
  std::erase_if(environment, [&](const std::string& entry) {
    return entry.size() > name.size() && entry[name.size()] == '=' && entry.starts_with(name);
  });
  environment.push_back(std::string(name) + "=" + std::string(value));
}

std::optional<std::string_view> variable(std::span<const std::string> own, std::string_view name) {
  for (const std::string& entry : own) {
    if (entry.size() > name.size() && entry[name.size()] == '=' && entry.starts_with(name)) {
      return std::string_view(entry).substr(name.size() + 1);
    }
  }
  return std::nullopt;
}

// scheme://authority, and what follows.
struct Address {
  std::string_view scheme, authority, rest;
};
std::optional<Address> address_of(std::string_view url) {
  const std::size_t colon = url.find("://");
  if (colon == url.npos) return std::nullopt;
  Address address{.scheme = url.substr(0, colon), .authority = url.substr(colon + 3), .rest = {}};
  const std::size_t end = std::min(address.authority.find_first_of("/?#\\"), address.authority.size());
  address.rest = address.authority.substr(end);
  address.authority = address.authority.substr(0, end);
  return address;
}

bool has_wildcards_for(std::string_view pattern, std::string_view text) {
  // Two-pointer matching: linear in practice, quadratic at worst, and both texts are short.
  std::size_t p = 0, t = 0, star = pattern.npos, after_star = 0;
  while (t < text.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      after_star = t;
    } else if (p < pattern.size() && pattern[p] == text[t]) {
      ++p, ++t;
    } else if (star != pattern.npos) {
      p = star + 1;
      t = ++after_star;
    } else {
      return false;
    }
  }
  return pattern.find_first_not_of('*', p) == pattern.npos;
}

bool matches_url(std::string_view pattern, std::string_view url) {
  if (pattern == "*") return true;
  const auto want = address_of(pattern);
  const auto got = address_of(url);
  if (!want || !got) return false;
  // "http://localhost:*": any port, and any path there.
  const bool takes_any_path = want->rest.empty() && want->authority.ends_with('*');
  // user@host: what stands before the @ looks like a host to a pattern.
  const bool hides_its_host = got->authority.contains('@') && !want->authority.contains('@');
  if (hides_its_host || !has_wildcards_for(want->scheme, got->scheme)) return false;
  if (!has_wildcards_for(want->authority, got->authority)) return false;
  return takes_any_path ||
         has_wildcards_for(want->rest.empty() ? "/" : want->rest, got->rest.empty() ? "/" : got->rest);
}

std::string text_of(const Json* value) {
  if (!value || value->is_null()) return {};
  return value->is_string() ? std::string(view(value->get_string())) : to_json(*value);
}

const Json* field_at(const Json& value, std::string_view path) {
  const Json* at = &value;
  while (at && !path.empty()) {
    const std::size_t dot = std::min(path.find('.'), path.size());
    at = find(*at, path.substr(0, dot));
    path.remove_prefix(std::min(dot + 1, path.size()));
  }
  return at;
}

Json filled(const Json& value, const Json& hook_input) {
  if (value.is_string()) {
    return Json(replace_braces(view(value.get_string()),
                               [&](std::string_view path) { return text_of(field_at(hook_input, path)); }));
  }
  if (value.is_array()) {
    JsonArray list;
    for (const Json& entry : value.get_array()) list.push_back(filled(entry, hook_input));
    return list;
  }
  return value.is_object() ? Json(with_fields(value.get_object(), hook_input)) : value;
}

}  // namespace

std::vector<std::string> hook_environment(std::span<const std::string> own, const HookSession& session,
                                          HookEvent event) {
  std::vector<std::string> environment = command_environment(own);
  std::erase_if(environment, [](const std::string& entry) { return entry.starts_with("OTEL_"); });
  const auto set_both = [&](std::string_view claude, std::string_view deft, std::string_view value) {
    set(environment, claude, value);
    set(environment, deft, value);
  };
  set_both("CLAUDE_PROJECT_DIR", "DEFT_PROJECT_DIR", session.project);
  set_both("CLAUDE_CODE_SESSION_ID", "DEFT_SESSION_ID", session.id);
  set_both("CLAUDECODE", "DEFT", "1");
  set_both("CLAUDE_CODE_CHILD_SESSION", "DEFT_CHILD_SESSION", "1");
  set_both("CLAUDE_PID", "DEFT_PID", std::to_string(::getpid()));
  if (!session.effort.empty()) set_both("CLAUDE_EFFORT", "DEFT_EFFORT", session.effort);
  if (event == HookEvent::session_start && !session.environment_file.empty()) {
    set_both("CLAUDE_ENV_FILE", "DEFT_ENV_FILE", session.environment_file);
  }
  return environment;
}

std::string with_placeholders(std::string_view text, const HookSession& session) {
  return replace_braces(text, [&](std::string_view name) -> std::optional<std::string> {
    if (!is_project_name(name)) return std::nullopt;
    return session.project;
  });
}

std::string with_shell_placeholders(std::string_view text, const HookSession& session) {
  return is_plain(session.project) ? with_placeholders(text, session) : std::string(text);
}

std::string with_variables(std::string_view text, std::span<const std::string> own, const Hook& hook,
                           const HookConfig& config) {
  const auto is_among = [](const std::vector<std::string>& names, std::string_view name) {
    return std::ranges::find(names, name) != names.end();
  };
  const auto value_of = [&](std::string_view name) -> std::string {
    const bool is_allowed = is_among(hook.allowed_variables, name) && !is_secret_name(name) &&
                            (!config.http_variables || is_among(*config.http_variables, name));
    return is_allowed ? std::string(variable(own, name).value_or("")) : std::string();
  };
  std::string out;
  while (!text.empty()) {
    const std::size_t dollar = std::min(text.find('$'), text.size());
    out += text.substr(0, dollar);
    text.remove_prefix(dollar);
    if (text.empty()) break;
    const bool is_braced = text.starts_with("${");
    const std::size_t begin = is_braced ? 2 : 1;
    std::size_t end = begin;
    while (end < text.size() && is_name_character(text[end])) ++end;
    const bool is_name = end > begin && (!is_braced || (end < text.size() && text[end] == '}'));
    if (!is_name) {
      out += '$';
      text.remove_prefix(1);
      continue;
    }
    out += value_of(text.substr(begin, end - begin));
    text.remove_prefix(is_braced ? end + 1 : end);
  }
  return out;
}

bool is_allowed_url(std::string_view url, const HookConfig& config) {
  if (!config.http_urls) return true;
  return std::ranges::any_of(*config.http_urls, [&](const std::string& pattern) { return matches_url(pattern, url); });
}

JsonObject with_fields(const JsonObject& input, const Json& hook_input) {
  JsonObject filled_in;
  for (const auto& field : input) filled_in[field.key()] = filled(field.value(), hook_input);
  return filled_in;
}

}  // namespace deft
