// What WebSocket servers send: pieces of any size give the messages of the whole, nothing crashes, memory stays
// bounded, texts are UTF-8; answers to the handshake are read, whatever they are.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "deft/base/check.h"
#include "deft/base/utf8.h"
#include "deft/base/web_socket.h"

namespace {

constexpr std::size_t kBytesMax = 200;  // so small that the fuzzer reaches it

std::string read(std::string_view bytes, std::size_t step) {
  deft::SocketReader reader(kBytesMax);
  std::string out;
  while (true) {
    auto message = reader.take();
    if (!message) return out + "fault " + std::to_string(reader.fault_code());
    if (*message) {
      const deft::SocketMessage& one = **message;
      DEFT_CHECK(one.payload.size() <= kBytesMax);
      DEFT_CHECK(one.opcode != deft::SocketOpcode::text || deft::is_utf8(one.payload));
      out +=
          "[" + std::to_string(static_cast<int>(one.opcode)) + " " + std::to_string(one.close_code) + one.payload + "]";
      continue;
    }
    if (bytes.empty()) return out;
    reader.feed(bytes.substr(0, step));
    bytes.remove_prefix(std::min(step, bytes.size()));
  }
}

}  // namespace

// The first byte chooses the size of the pieces.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string_view bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  const std::string whole = read(bytes, bytes.size() + 1);
  DEFT_CHECK(read(bytes, 1 + data[0] % 17U) == whole);
  DEFT_CHECK(read(bytes, 1) == whole);
  static_cast<void>(deft::check_socket_answer(bytes, {"a"}, "key"));
  return 0;
}
