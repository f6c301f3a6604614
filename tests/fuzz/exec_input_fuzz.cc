// The first byte says how large the pieces are; the rest is what deft exec reads. Fed whole and in pieces it must mean
// the same.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "deft/base/check.h"
#include "deft/ui/exec_input.h"

namespace {

struct Meaning {
  std::size_t calls = 0, messages = 0, problems = 0, items = 0;
  bool operator==(const Meaning&) const = default;
};

Meaning read(std::string_view bytes, std::size_t piece) {
  Meaning meaning;
  deft::ExecInput input;
  const auto count = [&](const std::vector<deft::InputItem>& items) {
    for (const deft::InputItem& item : items) {
      ++meaning.items;
      const auto* feed = std::get_if<deft::Feed>(&item);
      if (feed && std::holds_alternative<deft::CallArrived>(*feed)) ++meaning.calls;
      if (std::holds_alternative<deft::MessageDone>(item)) ++meaning.messages;
      if (std::holds_alternative<deft::InputProblem>(item)) ++meaning.problems;
    }
  };
  for (; !bytes.empty(); bytes.remove_prefix(std::min(piece, bytes.size()))) count(input.feed(bytes.substr(0, piece)));
  count(input.finish());
  return meaning;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string_view bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  DEFT_CHECK(read(bytes, bytes.size() + 1) == read(bytes, std::size_t{data[0]} % 32 + 1));
  return 0;
}
