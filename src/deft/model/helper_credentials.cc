#include "deft/model/helper_credentials.h"

#include "deft/base/text.h"

namespace deft {

bool HelperCredentials::is_fresh() const { return !key_.empty() && parts_.clock.now() - printed_ < parts_.ttl; }

bool HelperCredentials::at_hand() const {
  const std::lock_guard lock(mutex_);
  return is_fresh();
}

Result<HttpHeaders> HelperCredentials::headers(std::stop_token stop) {
  const std::lock_guard one_at_a_time(running_);
  {
    const std::lock_guard lock(mutex_);
    if (is_fresh()) return helper_key_headers(parts_.api, key_);
  }
  const auto key = run(stop);
  if (!key) return std::unexpected(key.error());
  const std::lock_guard lock(mutex_);
  if (*key != key_) was_refused_ = false;
  key_ = *key;
  printed_ = parts_.clock.now();
  return helper_key_headers(parts_.api, key_);
}

bool HelperCredentials::refused() {
  const std::lock_guard lock(mutex_);
  printed_ = parts_.clock.now() - parts_.ttl;
  return !std::exchange(was_refused_, true);  // a command that prints the same key again will not help
}

Result<std::string> HelperCredentials::run(const std::stop_token& stop) const {
  std::string output;
  std::string errors;
  const auto collect = [&](OutputStream stream, std::string_view bytes) {
    std::string& into = stream == OutputStream::output ? output : errors;
    into += bytes.substr(0, kApiKeyCharactersMax + 2 - std::min(into.size(), kApiKeyCharactersMax + 2));
  };
  const auto end = parts_.processes.run(
      {.argv = {"/bin/sh", "-c", parts_.command}, .environment = parts_.environment, .separate_errors = true}, collect,
      {.cancel = stop, .deadline = SystemClock().now() + kKeyHelperTimeout});
  if (!end) return fail(end.error().code, "apiKeyHelper could not be run: " + end.error().message);
  if (end->cause == CommandEnd::Cause::cancel) return fail(Errc::cancelled, "apiKeyHelper was stopped");
  if (end->cause == CommandEnd::Cause::timeout) return fail(Errc::timeout, "apiKeyHelper took longer than a minute");
  if (end->signal != 0 || end->exit_code != 0) {
    return fail(Errc::failed, "apiKeyHelper failed with exit code " + std::to_string(end->exit_code) +
                                  (errors.empty() ? "" : ": " + one_line(errors, 200)));
  }
  return parse_printed_key(output);
}

}  // namespace deft
