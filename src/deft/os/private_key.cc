#include "deft/os/private_key.h"

#include <dlfcn.h>

#include <memory>
#include <optional>

namespace deft {
namespace {

constexpr const char* kLibraryName = "libcrypto.so.3";
constexpr std::size_t kCoordinateBytes = 32;  // of a point on the curve P-256

// The few functions of OpenSSL 3 that are needed; its types are only pointers here.
struct Crypto {
  void* (*bio_new_mem_buf)(const void*, int) = nullptr;
  int (*bio_free)(void*) = nullptr;
  void* (*pem_read_bio_private_key)(void*, void**, int (*)(char*, int, int, void*), void*) = nullptr;
  void (*pkey_free)(void*) = nullptr;
  int (*pkey_is_a)(const void*, const char*) = nullptr;
  int (*pkey_get_bits)(const void*) = nullptr;
  void* (*md_ctx_new)() = nullptr;
  void (*md_ctx_free)(void*) = nullptr;
  const void* (*sha256)() = nullptr;
  int (*digest_sign_init)(void*, void**, const void*, void*, void*) = nullptr;
  int (*digest_sign)(void*, unsigned char*, std::size_t*, const unsigned char*, std::size_t) = nullptr;
};

template <class Function>
bool look_up(void* library, const char* name, Function& into) {
  into = reinterpret_cast<Function>(::dlsym(library, name));
  return into != nullptr;
}

std::optional<Crypto> load() {
  void* library = ::dlopen(kLibraryName, RTLD_NOW | RTLD_LOCAL);
  if (!library) return std::nullopt;
  Crypto found;
  const bool all =
      look_up(library, "BIO_new_mem_buf", found.bio_new_mem_buf) && look_up(library, "BIO_free", found.bio_free) &&
      look_up(library, "PEM_read_bio_PrivateKey", found.pem_read_bio_private_key) &&
      look_up(library, "EVP_PKEY_free", found.pkey_free) && look_up(library, "EVP_PKEY_is_a", found.pkey_is_a) &&
      look_up(library, "EVP_PKEY_get_bits", found.pkey_get_bits) &&
      look_up(library, "EVP_MD_CTX_new", found.md_ctx_new) && look_up(library, "EVP_MD_CTX_free", found.md_ctx_free) &&
      look_up(library, "EVP_sha256", found.sha256) && look_up(library, "EVP_DigestSignInit", found.digest_sign_init) &&
      look_up(library, "EVP_DigestSign", found.digest_sign);
  if (!all) return std::nullopt;
  return found;
}

// A number as DER writes it, as exactly so many bytes. Moves `der` behind it; nothing: it is none.
std::optional<std::string> coordinate(std::string_view& der) {
  if (der.size() < 2 || der[0] != 0x02) return std::nullopt;
  const auto length = static_cast<unsigned char>(der[1]);
  if (length == 0 || length > kCoordinateBytes + 1 || der.size() < 2U + length) return std::nullopt;
  std::string_view number = der.substr(2, length);
  der.remove_prefix(2U + length);
  while (number.size() > kCoordinateBytes && number[0] == 0) number.remove_prefix(1);
  if (number.size() > kCoordinateBytes) return std::nullopt;
  return std::string(kCoordinateBytes - number.size(), '\0') + std::string(number);
}

// SEQUENCE { INTEGER r, INTEGER s } as the two numbers one behind the other (RFC 7518, 3.4).
Result<std::string> joined_coordinates(std::string_view der) {
  const bool is_sequence = der.size() > 2 && der[0] == 0x30 && static_cast<unsigned char>(der[1]) == der.size() - 2;
  if (is_sequence) {
    der.remove_prefix(2);
    const auto r = coordinate(der);
    const auto s = r ? coordinate(der) : std::nullopt;
    if (s && der.empty()) return *r + *s;
  }
  return fail(Errc::internal, "the signature has an odd form");
}

}  // namespace

Result<std::string> sign_for_jws(std::string_view algorithm, const std::string& pem, std::string_view text) {
  const bool is_curve = algorithm == "ES256";
  if (!is_curve && algorithm != "RS256") {
    return fail(Errc::unsupported, "keys sign with ES256 or RS256, not with " + std::string(algorithm.substr(0, 20)));
  }
  static const std::optional<Crypto> library = load();
  if (!library) {
    return fail(Errc::unsupported,
                std::string("signing needs ") + kLibraryName + ", which cannot be loaded: apt-get install libssl3");
  }
  const Crypto& crypto = *library;
  const std::unique_ptr<void, int (*)(void*)> file(crypto.bio_new_mem_buf(pem.data(), static_cast<int>(pem.size())),
                                                   crypto.bio_free);
  // A key with a password would be asked for at the terminal: nobody is.
  const auto no_password = [](char*, int, int, void*) { return -1; };
  const std::unique_ptr<void, void (*)(void*)> key(
      file ? crypto.pem_read_bio_private_key(file.get(), nullptr, no_password, nullptr) : nullptr, crypto.pkey_free);
  if (!key)
    return fail(Errc::invalid_input, "the private key cannot be read: it must be a PEM file without a password");
  const bool fits = is_curve ? crypto.pkey_is_a(key.get(), "EC") == 1 && crypto.pkey_get_bits(key.get()) == 256
                             : crypto.pkey_is_a(key.get(), "RSA") == 1;
  if (!fits) return fail(Errc::invalid_input, "the private key is not one for " + std::string(algorithm));
  const std::unique_ptr<void, void (*)(void*)> signing(crypto.md_ctx_new(), crypto.md_ctx_free);
  const auto* bytes = reinterpret_cast<const unsigned char*>(text.data());
  std::size_t size = 0;
  if (!signing || crypto.digest_sign_init(signing.get(), nullptr, crypto.sha256(), nullptr, key.get()) != 1 ||
      crypto.digest_sign(signing.get(), nullptr, &size, bytes, text.size()) != 1) {
    return fail(Errc::failed, "the private key cannot sign");
  }
  std::string signature(size, '\0');
  auto* into = reinterpret_cast<unsigned char*>(signature.data());
  if (crypto.digest_sign(signing.get(), into, &size, bytes, text.size()) != 1) {
    return fail(Errc::failed, "the private key cannot sign");
  }
  signature.resize(size);
  return is_curve ? joined_coordinates(signature) : Result<std::string>(std::move(signature));
}

}  // namespace deft
