#include "deft/model/ask_once.h"

#include <condition_variable>
#include <memory>
#include <mutex>
#include <optional>

#include "deft/base/overloaded.h"

namespace deft {
namespace {

// What comes back, waited for by one thread.
struct Reply {
  std::mutex mutex;
  std::condition_variable_any came;
  std::optional<Result<SideAnswer>> answer;  // under mutex

  void set(Result<SideAnswer> value) {
    {
      const std::lock_guard lock(mutex);
      if (!answer) answer = std::move(value);
    }
    came.notify_all();
  }
};

SideAnswer answer_of(const Message& message) {
  SideAnswer answer{.stop_reason = message.stop_reason, .use = token_use(message.usage)};
  for (const Block& block : message.blocks) {
    if (const auto* text = std::get_if<TextBlock>(&block)) answer.text += text->text;
    if (const auto* other = std::get_if<OtherBlock>(&block)) answer.others.push_back(other->json);
  }
  return answer;
}

}  // namespace

Result<SideAnswer> ask_once(ModelClient& client, const ModelRequest& request, TimePoint deadline,
                            std::stop_token stop) {
  const auto reply = std::make_shared<Reply>();
  const auto call = client.ask(request, [reply](ModelEvent event) {
    std::visit(Overloaded{
                   [&](const MessageDone& done) { reply->set(answer_of(done.message)); },
                   [&](const ModelFailed& failed) {
                     reply->set(fail(Errc::failed, "the model gave no answer: " + failed.failure.message));
                   },
                   [](const auto&) {},
               },
               event);
  });
  std::unique_lock lock(reply->mutex);
  const bool came = reply->came.wait_until(lock, stop, deadline, [&] { return reply->answer.has_value(); });
  if (came) return *reply->answer;
  if (stop.stop_requested()) return fail(Errc::cancelled, "the question to the model was cancelled");
  return fail(Errc::timeout, "the model did not answer in time");
}

}  // namespace deft
