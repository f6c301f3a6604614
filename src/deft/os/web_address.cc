#include "deft/os/web_address.h"

#include <arpa/inet.h>
#include <netdb.h>
#include <sys/socket.h>

#include <array>
#include <cstdint>
#include <cstring>
#include <memory>

namespace deft {
namespace {

struct Network4 {
  std::uint32_t address;
  int bits;
};
// IANA's registry of addresses with a special purpose, multicast, and a public address that only virtual machines of
// Azure can reach: it tells them what they are.
constexpr std::array<Network4, 17> kSpecial4 = {{{0x00000000, 8},
                                                 {0x0A000000, 8},
                                                 {0x64400000, 10},
                                                 {0x7F000000, 8},
                                                 {0xA83F8110, 32},
                                                 {0xA9FE0000, 16},
                                                 {0xAC100000, 12},
                                                 {0xC0000000, 24},
                                                 {0xC0000200, 24},
                                                 {0xC0586300, 24},
                                                 {0xC0A80000, 16},
                                                 {0xC6120000, 15},
                                                 {0xC6336400, 24},
                                                 {0xCB007100, 24},
                                                 {0xE0000000, 4},
                                                 {0xF0000000, 4},
                                                 {0xFFFFFFFF, 32}}};

bool is_public4(std::uint32_t address) {
  for (const auto& [network, bits] : kSpecial4) {
    const std::uint32_t mask = bits == 32 ? 0xFFFFFFFFU : ~(0xFFFFFFFFU >> bits);
    if ((address & mask) == network) return false;
  }
  return true;
}

std::uint32_t number4(const unsigned char* bytes) {
  return std::uint32_t{bytes[0]} << 24 | std::uint32_t{bytes[1]} << 16 | std::uint32_t{bytes[2]} << 8 | bytes[3];
}

// Only what is given out as global unicast, and of that nothing in which another address is wrapped.
bool is_public6(const std::array<unsigned char, 16>& bytes) {
  if ((bytes[0] & 0xE0) != 0x20) return false;
  const unsigned first = static_cast<unsigned>(bytes[0]) << 8 | bytes[1];
  const unsigned second = static_cast<unsigned>(bytes[2]) << 8 | bytes[3];
  if (first == 0x2002) return false;                                           // 6to4
  if (first == 0x2001 && (second < 0x0200 || second == 0x0DB8)) return false;  // Teredo, ORCHID, documentation
  if (first == 0x3FFF && second < 0x1000) return false;                        // documentation
  if ((bytes[8] & 0xFD) == 0 && bytes[9] == 0 && bytes[10] == 0x5E && bytes[11] == 0xFE) return false;  // ISATAP
  return true;
}

}  // namespace

bool is_public_address(std::string_view address) {
  const std::string text(address);
  std::array<unsigned char, 16> bytes{};
  if (::inet_pton(AF_INET, text.c_str(), bytes.data()) == 1) return is_public4(number4(bytes.data()));
  return ::inet_pton(AF_INET6, text.c_str(), bytes.data()) == 1 && is_public6(bytes);
}

Result<std::vector<std::string>> resolve_host(const std::string& host) {
  const bool bracketed = host.starts_with('[') && host.ends_with(']');
  const std::string name = bracketed ? host.substr(1, host.size() - 2) : host;
  addrinfo hints{};
  hints.ai_family = AF_UNSPEC;
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = AI_ADDRCONFIG;
  addrinfo* found = nullptr;
  const int error = ::getaddrinfo(name.c_str(), nullptr, &hints, &found);
  if (error != 0) return fail(Errc::not_found, "the host " + name + " is not known: " + ::gai_strerror(error));
  const std::unique_ptr<addrinfo, void (*)(addrinfo*)> owner(found, ::freeaddrinfo);
  std::vector<std::string> addresses;
  for (const addrinfo* one = found; one; one = one->ai_next) {
    char text[INET6_ADDRSTRLEN] = {};
    const void* bytes = one->ai_family == AF_INET
                            ? static_cast<const void*>(&reinterpret_cast<const sockaddr_in*>(one->ai_addr)->sin_addr)
                            : static_cast<const void*>(&reinterpret_cast<const sockaddr_in6*>(one->ai_addr)->sin6_addr);
    if (::inet_ntop(one->ai_family, bytes, text, sizeof text)) addresses.emplace_back(text);
  }
  if (addresses.empty()) return fail(Errc::not_found, "the host " + name + " has no address");
  return addresses;
}

}  // namespace deft
