#include "deft/agent/cancel_text.h"

namespace deft {

std::string cancel_text(const Cancellation& why, bool started) {
  const std::string state = started ? "it was stopped before it finished" : "it was not started";
  switch (why.reason) {
    case CancelReason::sibling_error: return "Cancelled: parallel tool call " + why.cause + " errored";
    case CancelReason::abort: return "Cancelled: the user aborted; " + state;
    case CancelReason::interrupt: return "Cancelled: the user sent a new message instead; " + state;
    case CancelReason::discard: return "Cancelled: the message was discarded; " + state;
  }
  return "Cancelled";
}

}  // namespace deft
