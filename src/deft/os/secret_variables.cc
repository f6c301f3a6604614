#include "deft/os/secret_variables.h"

#include <mutex>
#include <set>
#include <utility>

namespace deft {
namespace {

// The environment is one for the whole process, and so is what is secret in it.
struct SecretVariables {
  std::mutex mutex;
  std::set<std::string, std::less<>> names;  // under mutex
};

SecretVariables& secret_variables() {
  static SecretVariables all;
  return all;
}

}  // namespace

void count_as_secret(std::string name) {
  SecretVariables& all = secret_variables();
  const std::lock_guard lock(all.mutex);
  all.names.insert(std::move(name));
}

bool was_counted_as_secret(std::string_view name) {
  SecretVariables& all = secret_variables();
  const std::lock_guard lock(all.mutex);
  return all.names.contains(name);
}

}  // namespace deft
