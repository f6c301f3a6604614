#include <utility>

#include "deft/agent/executor.h"
#include "deft/agent/executor_records.h"

// Calls that a hook wants decided later. Only a call that stands alone can be: beside others, the results of those
// would have nowhere to go. Whether it does is known when its message has ended, so until then it is put off.

namespace deft {

void Executor::put_off(CallIndex index, Asks asks) {
  CallRecord& record = active_->calls[index];
  active_->run.parked(index, Waiting::before_run);
  record.place = CallRecord::Place::question;
  record.put_off = std::move(asks);
  active_->put_off.push_back(index);
}

// The message has ended.
void Executor::settle_put_off() {
  for (const CallIndex index : std::exchange(active_->put_off, {})) {
    CallRecord& record = active_->calls[index];
    if (!record.put_off || record.place != CallRecord::Place::question) continue;
    Asks asks = *std::exchange(record.put_off, std::nullopt);
    if (active_->calls.size() == 1) {
      record.deferred = true;
      deferred_ = record.admitted->call;
      ids_seen_.erase(record.id);  // it comes again
      // Not in the journal: there it stays a call that nobody has answered.
      finish_call(index, {.result = engine_error(Errc::cancelled, "It is decided later."), .recorded = true});
      continue;
    }
    parts_.frontend.show(Notice{"A hook wanted a call of " + record.tool +
                                " to be decided later; beside other calls that cannot be, so it is asked for now."});
    record.admitted->hooks = std::move(asks.hooks);
    record.decision = std::move(asks.decision);
    record.proposal = std::move(asks.proposal);
    if (can_ask_somebody() || asks_hooks()) {
      open_question(index);
    } else {
      deny_unasked(index);
    }
  }
}

}  // namespace deft
