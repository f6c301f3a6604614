#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "deft/base/mailbox.h"
#include "deft/os/http_client.h"

namespace deft::testing {

// A receiver that keeps what happens, for a test to take one by one.
class HttpRecord final : public HttpReceiver {
 public:
  using Entry = std::variant<HttpHead, std::string, Result<void>>;

  void began(HttpHead head) override { entries_.push(std::move(head)); }
  void received(std::string_view bytes) override { entries_.push(std::string(bytes)); }
  void ended(Result<void> result) override { entries_.push(std::move(result)); }

  // Waits for what comes next.
  Entry next() { return *entries_.pop(); }
  HttpHead next_head() { return std::get<HttpHead>(next()); }
  std::string next_piece() { return std::get<std::string>(next()); }
  // How it ended, whatever came before.
  Result<void> wait_for_end() {
    while (true) {
      Entry entry = next();
      if (auto* result = std::get_if<Result<void>>(&entry)) return std::move(*result);
    }
  }
  // The code of the error it ended in; nothing: it ended well.
  std::optional<Errc> wait_for_error() {
    const auto result = wait_for_end();
    return result ? std::nullopt : std::optional(result.error().code);
  }
  bool is_silent() { return !entries_.pop(TimePoint{}).has_value(); }

 private:
  Mailbox<Entry> entries_;
};

}  // namespace deft::testing
