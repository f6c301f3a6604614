#include "deft/os/http_client.h"

#include <algorithm>
#include <condition_variable>
#include <mutex>

#include "deft/base/check.h"

namespace deft {
namespace {

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

bool equal_but_case(std::string_view a, std::string_view b) {
  return std::ranges::equal(a, b, [](char x, char y) { return lower(x) == lower(y); });
}

class WholeResponse final : public HttpReceiver {
 public:
  void began(HttpHead head) override {
    response_.status = head.status;
    response_.headers = std::move(head.headers);
  }
  void received(std::string_view bytes) override { response_.body += bytes; }
  void ended(Result<void> result) override {
    const std::lock_guard lock(mutex_);
    result_ = std::move(result);
    over_.notify_all();
  }

  Result<HttpResponse> wait() {
    std::unique_lock lock(mutex_);
    over_.wait(lock, [this] { return result_.has_value(); });
    if (!*result_) return std::unexpected(result_->error());
    return std::move(response_);
  }

 private:
  HttpResponse response_;  // the client's, until it has ended
  std::mutex mutex_;
  std::condition_variable over_;
  std::optional<Result<void>> result_;  // under mutex_
};

}  // namespace

std::optional<std::string_view> find_header(const HttpHeaders& headers, std::string_view name) {
  for (const auto& [key, value] : headers) {
    if (equal_but_case(key, name)) return value;
  }
  return std::nullopt;
}

Result<HttpResponse> fetch(HttpClient& client, HttpRequest request, std::stop_token stop) {
  DEFT_CHECK(request.body_bytes_max.has_value());
  const auto response = std::make_shared<WholeResponse>();
  const auto transfer = client.start(std::move(request), response);
  const std::stop_callback cancel(stop, [&] { transfer->cancel(); });
  return response->wait();
}

}  // namespace deft
