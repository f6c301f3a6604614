#include "deft/agent/call_ids.h"

#include "deft/core/message_content.h"

namespace deft {

std::string CallIds::take(const std::string& id_of_provider) {
  const std::string plain = call_id_word(id_of_provider);
  std::string id = plain;
  const std::lock_guard lock(mutex_);
  for (std::size_t number = 2; !used_.insert(id).second; ++number) id = plain + "-" + std::to_string(number);
  return id;
}

void CallIds::use(const std::string& id) {
  const std::lock_guard lock(mutex_);
  used_.insert(id);
}

void CallIds::release(const std::string& id) {
  const std::lock_guard lock(mutex_);
  used_.erase(id);
}

}  // namespace deft
