#include "deft/mcp/http_exchange.h"

#include <algorithm>
#include <cctype>
#include <condition_variable>
#include <mutex>
#include <utility>

#include "deft/base/text.h"

namespace deft {

class HttpExchange::Inbox final : public HttpReceiver {
 public:
  void began(HttpHead head) override {
    const std::lock_guard lock(mutex_);
    head_ = std::move(head);
    changed_.notify_all();
  }
  void received(std::string_view bytes) override {
    const std::lock_guard lock(mutex_);
    if (flooded_ || bytes_.size() + bytes.size() > kHttpUnreadBytesMax) {
      flooded_ = true;
    } else {
      bytes_ += bytes;
    }
    changed_.notify_all();
  }
  void ended(Result<void> result) override {
    const std::lock_guard lock(mutex_);
    end_ = std::move(result);
    changed_.notify_all();
  }

  Result<HttpHead> head(const std::stop_token& stop) {
    std::unique_lock lock(mutex_);
    if (!changed_.wait(lock, stop, [this] { return head_ || end_; })) return stopped();
    if (head_) return *std::move(head_);
    if (!*end_) return std::unexpected(end_->error());
    return fail(Errc::io, "the server answered nothing");
  }

  Result<std::optional<std::string>> next(const std::stop_token& stop) {
    std::unique_lock lock(mutex_);
    if (!changed_.wait(lock, stop, [this] { return !bytes_.empty() || flooded_ || end_; })) return stopped();
    if (flooded_) {
      return fail(Errc::limit, "the server sends more than " + human_bytes(kHttpUnreadBytesMax) + " at once");
    }
    if (!bytes_.empty()) return std::exchange(bytes_, {});
    if (!*end_) return std::unexpected(end_->error());
    return std::nullopt;
  }

 private:
  static std::unexpected<Error> stopped() { return fail(Errc::cancelled, "cancelled"); }

  std::mutex mutex_;
  std::condition_variable_any changed_;
  std::optional<HttpHead> head_;     // this and all below under mutex_
  std::string bytes_;                // that nobody has read yet
  std::optional<Result<void>> end_;  // set: no more comes
  bool flooded_ = false;
};

HttpExchange::HttpExchange(HttpClient& client, HttpRequest request)
    : inbox_(std::make_shared<Inbox>()), transfer_(client.start(std::move(request), inbox_)) {}

HttpExchange::~HttpExchange() = default;

Result<HttpHead> HttpExchange::head(std::stop_token stop) { return inbox_->head(stop); }
Result<std::optional<std::string>> HttpExchange::next(std::stop_token stop) { return inbox_->next(stop); }

Result<std::string> HttpExchange::rest(std::size_t bytes_max, std::stop_token stop) {
  std::string body;
  while (true) {
    auto bytes = next(stop);
    if (!bytes) return std::unexpected(std::move(bytes.error()));
    if (!*bytes) return body;
    if (body.size() + (*bytes)->size() > bytes_max) {
      return fail(Errc::limit, "the answer is longer than " + human_bytes(bytes_max));
    }
    body += **bytes;
  }
}

bool has_content_type(const HttpHeaders& headers, std::string_view type) {
  const auto value = find_header(headers, "content-type");
  if (!value) return false;
  std::string_view given = value->substr(0, value->find(';'));
  while (!given.empty() && given.back() == ' ') given.remove_suffix(1);
  return std::ranges::equal(given, type, [](char a, char b) {
    return std::tolower(static_cast<unsigned char>(a)) == std::tolower(static_cast<unsigned char>(b));
  });
}

}  // namespace deft
