#include "deft/os/secrecy.h"

#include <sys/prctl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <string_view>

namespace deft {

namespace {

// How names of secrets end, in capitals. PWD alone is the working directory.
constexpr std::array<std::string_view, 10> kSecretEndings = {
    "KEY", "TOKEN", "SECRET", "PASSWORD", "PASSWD", "PASSPHRASE", "CREDENTIALS", "_PASS", "_PWD", "_PAT"};

char capital(char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 32) : c; }

bool is_secret_ending(std::string_view name, std::string_view ending) {
  return name.size() >= ending.size() &&
         std::ranges::equal(name.substr(name.size() - ending.size()), ending, {}, capital);
}

void take_secret(std::string_view entry, std::vector<std::string>& values) {
  const std::size_t equals = entry.find('=');
  if (equals == std::string_view::npos) return;
  const std::string_view name = entry.substr(0, equals);
  const bool is_secret =
      std::ranges::any_of(kSecretEndings, [&](std::string_view ending) { return is_secret_ending(name, ending); });
  if (is_secret) values.emplace_back(entry.substr(equals + 1));
}

}  // namespace

std::vector<std::string> secrets_of_environment() {
  std::vector<std::string> values;
  for (char** entry = ::environ; entry && *entry; ++entry) take_secret(*entry, values);
  return values;
}

std::vector<std::string> secrets_among(const std::vector<std::string>& environment) {
  std::vector<std::string> values;
  for (const std::string& entry : environment) take_secret(entry, values);
  return values;
}

bool hide_memory() {
#if defined(__has_feature)
#if __has_feature(address_sanitizer)
  return true;  // the leak checker debugs its own process
#endif
#endif
  return ::prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) == 0;
}

}  // namespace deft
