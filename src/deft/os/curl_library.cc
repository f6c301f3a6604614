#include "deft/os/curl_library.h"

#include <dlfcn.h>

#include <string>

namespace deft {
namespace {

constexpr const char* kLibraryName = "libcurl.so.4";
constexpr unsigned kVersionMin = 0x075700;  // 7.87: a cancel need not wait for a name to be resolved

template <class Function>
bool look_up(void* library, const char* name, Function& into) {
  into = reinterpret_cast<Function>(::dlsym(library, name));
  return into != nullptr;
}

Result<CurlLibrary> load() {
  void* library = ::dlopen(kLibraryName, RTLD_NOW | RTLD_LOCAL);
  if (!library) {
    return fail(Errc::unsupported,
                std::string("HTTP needs ") + kLibraryName + ", which cannot be loaded: apt-get install libcurl4");
  }
  CurlLibrary curl;
  decltype(&::curl_global_init) global_init = nullptr;
  decltype(&::curl_version_info) version_info = nullptr;
  const bool found =
      look_up(library, "curl_global_init", global_init) && look_up(library, "curl_version_info", version_info) &&
      look_up(library, "curl_easy_init", curl.easy_init) && look_up(library, "curl_easy_cleanup", curl.easy_cleanup) &&
      look_up(library, "curl_easy_setopt", curl.easy_setopt) &&
      look_up(library, "curl_easy_getinfo", curl.easy_getinfo) &&
      look_up(library, "curl_easy_perform", curl.easy_perform) && look_up(library, "curl_easy_send", curl.easy_send) &&
      look_up(library, "curl_easy_recv", curl.easy_recv) &&
      look_up(library, "curl_easy_strerror", curl.easy_strerror) &&
      look_up(library, "curl_slist_append", curl.slist_append) &&
      look_up(library, "curl_slist_free_all", curl.slist_free_all) &&
      look_up(library, "curl_multi_init", curl.multi_init) &&
      look_up(library, "curl_multi_cleanup", curl.multi_cleanup) &&
      look_up(library, "curl_multi_add_handle", curl.multi_add_handle) &&
      look_up(library, "curl_multi_remove_handle", curl.multi_remove_handle) &&
      look_up(library, "curl_multi_perform", curl.multi_perform) &&
      look_up(library, "curl_multi_poll", curl.multi_poll) &&
      look_up(library, "curl_multi_wakeup", curl.multi_wakeup) &&
      look_up(library, "curl_multi_info_read", curl.multi_info_read);
  if (!found || version_info(CURLVERSION_NOW)->version_num < kVersionMin) {
    return fail(Errc::unsupported,
                "HTTP needs libcurl 7.87 or later, and the one installed is older: upgrade libcurl4");
  }
  if (global_init(CURL_GLOBAL_DEFAULT) != CURLE_OK) return fail(Errc::unsupported, "libcurl cannot be initialised");
  return curl;
}

}  // namespace

Result<const CurlLibrary*> load_curl() {
  static const Result<CurlLibrary> library = load();
  if (!library) return std::unexpected(library.error());
  return &*library;
}

}  // namespace deft
