#pragma once

#include <cstdint>
#include <optional>
#include <string>

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
  ~CancelScope();

  void cancel(const Cancellation& cancellation);
  // The first reason, in their order, that applies here or above.
  const std::optional<Cancellation>& cancelled() const { return cancelled_; }

 private:
  bool take(const Cancellation& cancellation);
  CancelScope* next_after_subtree(const CancelScope* top);

  std::optional<Cancellation> cancelled_;
  // The children are a list through themselves: a turn outlives its messages, and ten thousand calls leave one by one.
  CancelScope* parent_ = nullptr;
  CancelScope* first_child_ = nullptr;
  CancelScope* next_ = nullptr;
  CancelScope* previous_ = nullptr;
};

}  // namespace deft
