#include "deft/ui/input_reader.h"

#include <cstdlib>
#include <utility>

#include "deft/base/overloaded.h"

namespace deft {
namespace {

constexpr int kExitInterrupted = 130;

}  // namespace

InputReader::InputReader(int descriptor, int output, Sink sink)
    : sink_(std::move(sink)), reader_(descriptor, output, [this](const StreamReader::Item& item) { take(item); }) {}

void InputReader::take(const StreamReader::Item& item) {
  std::visit(Overloaded{
                 [&](const BytesCame& came) { hand_on(input_.feed(came.bytes)); },
                 [&](const StreamEnded&) { hand_on(input_.finish()); },
                 [&](const SignalCame&) {
                   if (std::exchange(aborted_, true)) std::_Exit(kExitInterrupted);
                   sink_(Feed(Aborted{}));
                 },
                 [&](const OutputGone&) { sink_(Feed(Aborted{})); },
             },
             item);
}

void InputReader::hand_on(std::vector<InputItem> items) {
  for (InputItem& item : items) sink_(std::move(item));
}

}  // namespace deft
