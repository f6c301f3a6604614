#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <optional>
#include <string_view>

#include "deft/os/curl_library.h"
#include "deft/os/http_client.h"
#include "deft/os/http_network.h"

namespace deft {

// One exchange: what libcurl is told, and what it tells. Made on any thread; from begin() on only the client's own
// thread touches it.
class CurlTransfer {
 public:
  // Without a receiver only the connection is made.
  CurlTransfer(HttpRequest request, std::shared_ptr<HttpReceiver> receiver)
      : request_(std::move(request)), receiver_(std::move(receiver)) {}
  ~CurlTransfer();
  CurlTransfer(const CurlTransfer&) = delete;
  CurlTransfer& operator=(const CurlTransfer&) = delete;

  // Ready for curl_multi_add_handle, or why it cannot be made.
  Result<CURL*> begin(const CurlLibrary& curl, const HttpNetwork& network);
  CURL* handle() const { return easy_; }

  // When to look at it again, if nothing arrives.
  std::optional<TimePoint> next_deadline() const;
  // Which limit in time has passed, if any.
  std::optional<Error> overdue(TimePoint now);

  // The last thing that happens to it; tells the receiver.
  void finish(Result<void> result);
  // What libcurl said at its end, in our words.
  Result<void> outcome(CURLcode code) const;

 private:
  static std::size_t on_header(char* bytes, std::size_t size, std::size_t count, void* self);
  static std::size_t on_body(char* bytes, std::size_t size, std::size_t count, void* self);
  static int on_connected(void* self, char*, char*, int, int);
  static curl_socket_t open_socket(void*, curlsocktype, curl_sockaddr* address);

  Result<void> set_options(const HttpNetwork& network);
  void set_method();
  void set_headers();
  void set_route(const HttpNetwork& network);
  void set_trust(const HttpNetwork& network);
  bool add_to_list(curl_slist*& list, const std::string& text);
  bool take_header(std::string_view line);
  bool take_body(std::string_view bytes);
  bool refuse(std::string_view what, std::size_t bytes_max);
  const std::optional<Duration>& patience() const;
  template <class Value>
  void set(CURLoption option, Value value);

  HttpRequest request_;
  std::shared_ptr<HttpReceiver> receiver_;
  const CurlLibrary* curl_ = nullptr;
  CURL* easy_ = nullptr;
  curl_slist* header_list_ = nullptr;
  curl_slist* connect_to_ = nullptr;
  std::array<char, CURL_ERROR_SIZE> error_text_{};
  bool options_taken_ = true;

  HttpHead head_;
  std::size_t head_bytes_ = 0;
  bool head_passed_on_ = false;
  std::size_t body_bytes_ = 0;
  std::optional<Error> refused_;  // why we ended it
  bool was_sent_ = false;         // at least in part

  std::optional<TimePoint> last_activity_;  // nothing: not connected
  curl_off_t uploaded_ = 0;
};

}  // namespace deft
