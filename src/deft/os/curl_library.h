#pragma once

// The checks that these macros add need the functions themselves, and they are looked up at run time.
#define CURL_DISABLE_TYPECHECK
#include <curl/curl.h>

#include "deft/base/result.h"

namespace deft {

// libcurl, loaded when the first transfer needs it: it and what it brings cost milliseconds that a start without a
// request should not pay.
struct CurlLibrary {
  decltype(&::curl_easy_init) easy_init = nullptr;
  decltype(&::curl_easy_cleanup) easy_cleanup = nullptr;
  decltype(&::curl_easy_setopt) easy_setopt = nullptr;
  decltype(&::curl_easy_getinfo) easy_getinfo = nullptr;
  decltype(&::curl_easy_perform) easy_perform = nullptr;
  decltype(&::curl_easy_send) easy_send = nullptr;
  decltype(&::curl_easy_recv) easy_recv = nullptr;
  decltype(&::curl_easy_strerror) easy_strerror = nullptr;
  decltype(&::curl_slist_append) slist_append = nullptr;
  decltype(&::curl_slist_free_all) slist_free_all = nullptr;
  decltype(&::curl_multi_init) multi_init = nullptr;
  decltype(&::curl_multi_cleanup) multi_cleanup = nullptr;
  decltype(&::curl_multi_add_handle) multi_add_handle = nullptr;
  decltype(&::curl_multi_remove_handle) multi_remove_handle = nullptr;
  decltype(&::curl_multi_perform) multi_perform = nullptr;
  decltype(&::curl_multi_poll) multi_poll = nullptr;
  decltype(&::curl_multi_wakeup) multi_wakeup = nullptr;
  decltype(&::curl_multi_info_read) multi_info_read = nullptr;
};

// Loads it once for the process; error `unsupported` says what to install. From any thread.
Result<const CurlLibrary*> load_curl();

}  // namespace deft
