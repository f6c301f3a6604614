#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "deft/base/json.h"

namespace deft {

inline constexpr std::size_t kKnownSecretBytesMin = 8;  // shorter values would mask ordinary words

// Takes secrets out of texts that are kept or shown: values that are known (of this process's own keys), and what looks
// like a secret wherever it comes from: keys of well-known services by their beginnings, bearer tokens, passwords in
// addresses, private keys, and the value behind a name like "api_key" or "password". Rather too much than too little.
// Of each only the first characters stay, so that two of them can be told apart. Linear in the text. A text should be
// masked before it is cut; where others have cut it, at its end or before "…", the beginning of a known value is
// masked.
class SecretMask {
 public:
  explicit SecretMask(std::vector<std::string> known = {});
  std::string masked(std::string_view text) const;
  // Only what is one whatever stands before it: known values, keys by their beginnings, passwords in addresses, private
  // keys. For texts that people want to read: of a program's source "token = next()" would be hidden, too.
  std::string masked_values(std::string_view text) const;
  Json masked_json_values(const Json& value) const;
  // Every text in it; what stands under a name like "password" wholly.
  Json masked_json(const Json& value) const;

 private:
  std::string mask(std::string_view text, bool by_name) const;
  Json mask(const Json& value, bool by_name) const;
  // How much of the beginning of `text` is a known value, or what is left of one where the text was cut off.
  std::size_t known_length(std::string_view text) const;

  std::vector<std::string> known_;  // longest first
};

}  // namespace deft
