#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace deft {

// Why a call was stopped. If several reasons apply, the text names the first in this order.
enum class CancelReason : std::uint8_t { discard, sibling_error, abort, interrupt };

struct Cancellation {
  CancelReason reason = CancelReason::abort;
  std::string cause;  // for a sibling error, the call that failed: "Bash(mkdir x…)"
};

// Scopes form a tree: turn → message → calls. Cancelling a scope cancels everything below it and never its parent.
// A scope lives at least as long as its children; it is neither copied nor moved.
class CancelScope {
 public:
  CancelScope() = default;
  explicit CancelScope(CancelScope& parent);
  CancelScope(const CancelScope&) = delete;
  CancelScope& operator=(const CancelScope&) = delete;

  void cancel(const Cancellation& cancellation);
  // The first reason, in their order, that applies here or above.
  const std::optional<Cancellation>& cancelled() const { return cancelled_; }

 private:
  std::optional<Cancellation> cancelled_;
  std::vector<CancelScope*> children_;
};

}  // namespace deft
