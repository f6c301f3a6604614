#include "deft/core/cancel_scope.h"

namespace deft {

CancelScope::CancelScope(CancelScope& parent) : cancelled_(parent.cancelled_) { parent.children_.push_back(this); }

void CancelScope::cancel(const Cancellation& cancellation) {
  // With a stack of its own: the scopes of ten thousand shell calls nest ten thousand deep.
  std::vector<CancelScope*> pending{this};
  while (!pending.empty()) {
    CancelScope* scope = pending.back();
    pending.pop_back();
    if (scope->cancelled_ && scope->cancelled_->reason <= cancellation.reason) continue;  // so are those below it
    scope->cancelled_ = cancellation;
    pending.insert(pending.end(), scope->children_.begin(), scope->children_.end());
  }
}

}  // namespace deft
