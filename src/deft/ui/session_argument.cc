#include "deft/ui/session_argument.h"

#include <filesystem>

#include "deft/agent/session_index.h"
#include "deft/base/path.h"

namespace deft {

std::string current_directory() {
  std::error_code ec;
  const std::filesystem::path here = std::filesystem::canonical(".", ec);
  return ec ? "" : here.string();
}

Result<SessionPlace> session_argument(const std::string& word) {
  const SessionStore store(SessionStore::default_folder());
  const std::string here = current_directory();
  if (word.empty() && here.empty()) {
    return fail(Errc::not_found, "the current folder is gone: name the session, or go to another folder");
  }
  if (word.empty()) return store.latest(here);
  if (word.find('/') == std::string::npos) return find_session(store, word);
  const std::string folder = absolute_path(word, here);
  return SessionPlace{.id = std::string(file_name(folder)), .folder = folder};
}

}  // namespace deft
