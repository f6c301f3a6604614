#include "deft/core/cancel_scope.h"

namespace deft {

CancelScope::CancelScope(CancelScope& parent)
    : cancelled_(parent.cancelled_), parent_(&parent), next_(parent.first_child_) {
  if (next_) next_->previous_ = this;
  parent.first_child_ = this;
}

CancelScope::~CancelScope() {
  if (next_) next_->previous_ = previous_;
  if (previous_) {
    previous_->next_ = next_;
  } else if (parent_) {
    parent_->first_child_ = next_;
  }
}

// False: it was cancelled for a stronger reason, or the same, and so is everything below it.
bool CancelScope::take(const Cancellation& cancellation) {
  if (cancelled_ && cancelled_->reason <= cancellation.reason) return false;
  cancelled_ = cancellation;
  return true;
}

// The scope that follows this one and all below it, in a walk of the tree under `top`.
CancelScope* CancelScope::next_after_subtree(const CancelScope* top) {
  CancelScope* scope = this;
  while (scope != top && !scope->next_) scope = scope->parent_;
  return scope == top ? nullptr : scope->next_;
}

void CancelScope::cancel(const Cancellation& cancellation) {
  // Along the links, without recursion: the scopes of ten thousand shell calls nest ten thousand deep.
  for (CancelScope* scope = this; scope;) {
    const bool below_too = scope->take(cancellation);
    scope = below_too && scope->first_child_ ? scope->first_child_ : scope->next_after_subtree(this);
  }
}

}  // namespace deft
