#include "deft/os/environment.h"

#include <algorithm>
#include <array>
#include <unordered_set>

#include "deft/os/secret_variables.h"

namespace deft {

namespace {

using std::string_view_literals::operator""sv;

constexpr std::size_t kSecretBytesMin = 8;  // a shorter value stands in others by chance
constexpr std::string_view kPathDefault = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

constexpr std::array kChangesBash = {
    "ENV"sv,      "SHELLOPTS"sv, "POSIXLY_CORRECT"sv, "PROMPT_COMMAND"sv, "PS0"sv,        "PS1"sv, "PS2"sv,
    "PS3"sv,      "PS4"sv,       "CDPATH"sv,          "GLOBIGNORE"sv,     "EXECIGNORE"sv, "IFS"sv, "TMOUT"sv,
    "FUNCNEST"sv, "FIGNORE"sv,   "CHILD_MAX"sv,       "TIMEFORMAT"sv,     "LINENO"sv,
};
constexpr std::array kBelongsElsewhere = {
    "PWD"sv,        "OLDPWD"sv,      "SHLVL"sv,          "_"sv,           "COLUMNS"sv,      "LINES"sv,
    "COLORTERM"sv,  "FORCE_COLOR"sv, "CLICOLOR_FORCE"sv, "SSH_ASKPASS"sv, "SUDO_ASKPASS"sv, "HGEDITOR"sv,
    "SVN_EDITOR"sv, "KUBE_EDITOR"sv, "SUDO_EDITOR"sv,    "FCEDIT"sv,
};
constexpr std::array kSettings = {
    "PAGER=cat"sv,
    "GIT_PAGER=cat"sv,
    "MANPAGER=cat"sv,
    "GH_PAGER=cat"sv,
    "SYSTEMD_PAGER=cat"sv,
    "AWS_PAGER="sv,
    "EDITOR=/bin/false"sv,
    "VISUAL=/bin/false"sv,
    "GIT_EDITOR=/bin/false"sv,
    "GIT_SEQUENCE_EDITOR=/bin/false"sv,
    "GIT_TERMINAL_PROMPT=0"sv,
    "SSH_ASKPASS_REQUIRE=never"sv,
    "DEBIAN_FRONTEND=noninteractive"sv,
    "PIP_NO_INPUT=1"sv,
    "TERM=dumb"sv,
};
constexpr std::array kReadOnlySettings = {"GIT_OPTIONAL_LOCKS=0"sv};
constexpr std::array kReadOnlyNames = {
    "HOME"sv, "USER"sv, "LOGNAME"sv, "LANG"sv, "LANGUAGE"sv, "TZ"sv, "TMPDIR"sv, "PATH"sv,
};

constexpr std::array kModelVendors = {
    "ANTHROPIC_"sv,    "CLAUDE_"sv,    "OPENAI_"sv,      "AZURE_OPENAI_"sv, "GEMINI_"sv,   "GOOGLE_AI_"sv,
    "GOOGLE_GENAI_"sv, "MISTRAL_"sv,   "COHERE_"sv,      "GROQ_"sv,         "DEEPSEEK_"sv, "OPENROUTER_"sv,
    "XAI_"sv,          "TOGETHER_"sv,  "FIREWORKS_"sv,   "CEREBRAS_"sv,     "MOONSHOT_"sv, "DASHSCOPE_"sv,
    "PERPLEXITY_"sv,   "REPLICATE_"sv, "HUGGINGFACE_"sv, "HUGGING_FACE_"sv, "VOYAGE_"sv,   "OLLAMA_"sv,
    "LITELLM_"sv,      "NVIDIA_"sv,    "DEFT_"sv,
};
constexpr std::array kSecretWords = {"KEY"sv,        "TOKEN"sv, "SECRET"sv, "PASSWORD"sv,
                                     "CREDENTIAL"sv, "AUTH"sv,  "HEADERS"sv};
constexpr std::array kOtherSecrets = {"GOOGLE_API_KEY"sv, "HF_TOKEN"sv, "AWS_BEARER_TOKEN_BEDROCK"sv,
                                      "BRAVE_API_KEY"sv};

bool contains(const auto& list, std::string_view name) { return std::ranges::find(list, name) != list.end(); }

struct Variable {
  std::string_view name;
  std::string_view value;
};

bool is_identifier(std::string_view name) {
  const auto is_letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; };
  const auto is_part = [&](char c) { return is_letter(c) || (c >= '0' && c <= '9'); };
  return !name.empty() && is_letter(name.front()) && std::ranges::all_of(name, is_part);
}

// The well-formed ones, each name once: the first, as getenv() sees it.
std::vector<Variable> split(std::span<const std::string> own) {
  std::vector<Variable> variables;
  std::unordered_set<std::string_view> seen;
  for (const std::string_view entry : own) {
    const auto equals = entry.find('=');
    if (equals == entry.npos || entry.find('\0') != entry.npos) continue;
    const Variable variable{.name = entry.substr(0, equals), .value = entry.substr(equals + 1)};
    if (is_identifier(variable.name) && seen.insert(variable.name).second) variables.push_back(variable);
  }
  return variables;
}

bool changes_bash(const Variable& variable) {
  return variable.name.starts_with("BASH") || contains(kChangesBash, variable.name) || variable.value.starts_with("()");
}

std::string_view name_of(std::string_view setting) { return setting.substr(0, setting.find('=')); }

bool is_set_by_us(std::string_view name) {
  const auto is_it = [name](std::string_view setting) { return name_of(setting) == name; };
  return std::ranges::any_of(kSettings, is_it) || std::ranges::any_of(kReadOnlySettings, is_it);
}

// Drops the secrets, and whatever holds one of them under another name.
void drop_secrets(std::vector<Variable>& variables, std::span<const std::string> secret_names) {
  const auto is_secret = [&](const Variable& variable) {
    return is_secret_name(variable.name) || contains(secret_names, variable.name);
  };
  std::vector<std::string_view> secrets;
  for (const Variable& variable : variables) {
    if (is_secret(variable) && variable.value.size() >= kSecretBytesMin) secrets.push_back(variable.value);
  }
  std::erase_if(variables, [&](const Variable& variable) {
    return is_secret(variable) || std::ranges::any_of(secrets, [&](std::string_view secret) {
             return variable.value.find(secret) != variable.value.npos;
           });
  });
}

std::string absolute_directories(std::string_view path) {
  std::string kept;
  while (!path.empty()) {
    const std::string_view directory = path.substr(0, path.find(':'));
    path.remove_prefix(std::min(path.size(), directory.size() + 1));
    if (!directory.starts_with('/')) continue;
    if (!kept.empty()) kept += ':';
    kept += directory;
  }
  return kept;
}

std::string joined(std::string_view name, std::string_view value) {
  return std::string(name).append("=").append(value);
}

bool may_be_read_only(const Variable& variable) {
  // A locale with a slash is a path, to data that somebody prepared.
  if (variable.name.starts_with("LC_")) return variable.value.find('/') == variable.value.npos;
  return contains(kReadOnlyNames, variable.name);
}

}  // namespace

bool is_secret_name(std::string_view name) {
  if (contains(kOtherSecrets, name) || was_counted_as_secret(name)) return true;
  return std::ranges::any_of(kModelVendors, [name](std::string_view vendor) {
    if (!name.starts_with(vendor)) return false;
    const std::string_view rest = name.substr(vendor.size());
    return std::ranges::any_of(kSecretWords, [rest](std::string_view word) { return rest.find(word) != rest.npos; });
  });
}

std::vector<std::string> command_environment(std::span<const std::string> own,
                                             std::span<const std::string> secret_names) {
  std::vector<Variable> variables = split(own);
  drop_secrets(variables, secret_names);
  std::vector<std::string> environment;
  bool has_path = false;
  for (const Variable& variable : variables) {
    if (changes_bash(variable) || contains(kBelongsElsewhere, variable.name) || is_set_by_us(variable.name)) continue;
    has_path = has_path || variable.name == "PATH";
    environment.push_back(joined(variable.name, variable.value));
  }
  if (!has_path) environment.push_back(joined("PATH", kPathDefault));
  environment.insert(environment.end(), kSettings.begin(), kSettings.end());
  return environment;
}

std::vector<std::string> read_only_environment(std::span<const std::string> own,
                                               std::span<const std::string> secret_names) {
  std::vector<Variable> variables = split(own);
  drop_secrets(variables, secret_names);
  std::vector<std::string> environment;
  std::string path;
  for (const Variable& variable : variables) {
    if (changes_bash(variable) || !may_be_read_only(variable)) continue;
    if (variable.name == "PATH") {
      path = absolute_directories(variable.value);
    } else {
      environment.push_back(joined(variable.name, variable.value));
    }
  }
  environment.push_back(joined("PATH", path.empty() ? kPathDefault : path));
  environment.insert(environment.end(), kSettings.begin(), kSettings.end());
  environment.insert(environment.end(), kReadOnlySettings.begin(), kReadOnlySettings.end());
  return environment;
}

}  // namespace deft
