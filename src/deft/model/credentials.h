#pragma once

#include <memory>
#include <stop_token>
#include <string>
#include <vector>

#include "deft/base/result.h"
#include "deft/os/http_client.h"

namespace deft {

// Who we are to a model's server: headers with a key in them. From any thread.
class Credentials {
 public:
  virtual ~Credentials() = default;
  // headers() answers at once.
  virtual bool at_hand() const = 0;
  virtual Result<HttpHeaders> headers(std::stop_token stop) = 0;
  // The server did not accept what headers() gave. True: it may give something else the next time.
  virtual bool refused() { return false; }
};

// A key that stays the same.
class FixedCredentials final : public Credentials {
 public:
  explicit FixedCredentials(HttpHeaders headers) : headers_(std::move(headers)) {}
  bool at_hand() const override { return true; }
  Result<HttpHeaders> headers(std::stop_token) override { return headers_; }

 private:
  HttpHeaders headers_;
};

}  // namespace deft
