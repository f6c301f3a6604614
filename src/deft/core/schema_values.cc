#include "deft/core/schema_values.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

namespace deft::schema {
namespace {

using Kind = boost::json::kind;
__extension__ using Wide = unsigned __int128;

constexpr std::uint64_t kComparedBytesPerStep = 64;
constexpr std::uint64_t kStepsPerSorted = 3;
constexpr int kHashedDepthMax = 256;

// Holds every 64-bit integer and every double exactly on the machines we build for.
long double exact(const Json& number) {
  static_assert(std::numeric_limits<long double>::digits >= 64);
  if (number.is_int64()) return static_cast<long double>(number.get_int64());
  if (number.is_uint64()) return static_cast<long double>(number.get_uint64());
  return static_cast<long double>(number.get_double());
}

// digits * 10^exponent, without its sign.
struct Decimal {
  std::uint64_t digits = 0;
  int exponent = 0;
};

Decimal decimal_of(const Json& number) {
  if (number.is_int64()) {
    const std::int64_t integer = number.get_int64();
    return {integer < 0 ? 0 - static_cast<std::uint64_t>(integer) : static_cast<std::uint64_t>(integer), 0};
  }
  if (number.is_uint64()) return {number.get_uint64(), 0};

  std::array<char, 40> text{};  // the shortest digits that give this double back, as 1.2345e-07
  const auto end = std::to_chars(text.data(), text.data() + text.size(), std::abs(number.get_double()),
                                 std::chars_format::scientific)
                       .ptr;
  Decimal decimal;
  const char* at = text.data();
  for (; at != end && *at != 'e'; ++at) {
    if (*at == '.') continue;
    decimal.digits = decimal.digits * 10 + static_cast<std::uint64_t>(*at - '0');
    --decimal.exponent;
  }
  ++decimal.exponent;  // one digit stands before the point
  int power = 0;
  if (at != end) std::from_chars(at + (at[1] == '+' ? 2 : 1), end, power);
  decimal.exponent += power;
  return decimal;
}

std::uint64_t multiply_modulo(std::uint64_t a, std::uint64_t b, std::uint64_t modulus) {
  return static_cast<std::uint64_t>(Wide{a} * b % modulus);
}

std::uint64_t power_of_ten_modulo(int exponent, std::uint64_t modulus) {
  std::uint64_t result = 1 % modulus;
  std::uint64_t base = 10 % modulus;
  for (; exponent > 0; exponent >>= 1) {
    if (exponent & 1) result = multiply_modulo(result, base, modulus);
    base = multiply_modulo(base, base, modulus);
  }
  return result;
}

std::uint64_t mixed(std::uint64_t seed, std::uint64_t value) {
  value += 0x9E3779B97F4A7C15U + seed;
  value = (value ^ (value >> 30)) * 0xBF58476D1CE4E5B9U;
  value = (value ^ (value >> 27)) * 0x94D049BB133111EBU;
  return value ^ (value >> 31);
}

// Equal values have equal hashes. Whatever is too deep or too much spends the budget.
std::uint64_t hash(const Json& value, StepBudget& budget, int depth = 0) {
  if (depth > kHashedDepthMax) budget.empty();
  if (!budget.spend(1)) return 0;
  switch (value.kind()) {
    case Kind::null: return 1;
    case Kind::bool_: return value.get_bool() ? 2 : 3;
    case Kind::int64:
    case Kind::uint64:
    case Kind::double_: return mixed(4, std::hash<long double>{}(exact(value)));
    case Kind::string: {
      const std::string_view text = view(value.get_string());
      budget.spend(text.size() / kComparedBytesPerStep);
      return mixed(5, std::hash<std::string_view>{}(text));
    }
    case Kind::array: {
      std::uint64_t result = 6;
      for (const Json& item : value.get_array()) result = mixed(result, hash(item, budget, depth + 1));
      return result;
    }
    case Kind::object: {
      std::uint64_t result = 7;
      for (const auto& [key, member] : value.get_object()) {  // a sum: the order of members is nothing
        result += mixed(std::hash<std::string_view>{}({key.data(), key.size()}), hash(member, budget, depth + 1));
      }
      return result;
    }
  }
  return 0;
}

bool equal_objects(const JsonObject& a, const JsonObject& b, StepBudget& budget) {
  if (a.size() != b.size()) return false;
  for (const auto& [key, member] : a) {
    const Json* other = b.if_contains(key);
    if (!other || !equal(member, *other, budget)) return false;
  }
  return true;
}

bool equal_arrays(const JsonArray& a, const JsonArray& b, StepBudget& budget) {
  if (a.size() != b.size()) return false;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (!equal(a[i], b[i], budget)) return false;
  }
  return true;
}

}  // namespace

TypeSet types_of(const Json& value) {
  switch (value.kind()) {
    case Kind::string: return kString;
    case Kind::double_: {
      const double number = value.get_double();
      return std::isfinite(number) && std::trunc(number) == number ? kNumber | kInteger : kNumber;
    }
    case Kind::int64:
    case Kind::uint64: return kNumber | kInteger;
    case Kind::bool_: return kBoolean;
    case Kind::object: return kObject;
    case Kind::array: return kArray;
    case Kind::null: return kNull;
  }
  return 0;
}

std::strong_ordering compare_numbers(const Json& a, const Json& b) {
  const long double left = exact(a);
  const long double right = exact(b);
  if (left < right) return std::strong_ordering::less;
  return left > right ? std::strong_ordering::greater : std::strong_ordering::equal;
}

bool is_multiple(const Json& number, const Json& divisor) {
  if (number.is_double() && !std::isfinite(number.get_double())) return false;
  const Decimal n = decimal_of(number);
  const Decimal d = decimal_of(divisor);
  if (n.digits == 0) return true;
  if (d.digits == 0) return false;

  const int shift = n.exponent - d.exponent;
  if (shift >= 0) return multiply_modulo(n.digits % d.digits, power_of_ten_modulo(shift, d.digits), d.digits) == 0;

  Wide scaled = d.digits;
  for (int i = 0; i < -shift; ++i) {
    scaled *= 10;
    if (scaled > n.digits) return false;  // a divisor larger than the number that is not 0
  }
  return n.digits % scaled == 0;
}

bool equal(const Json& a, const Json& b, StepBudget& budget) {
  if (!budget.spend(1)) return false;
  if (a.is_number() && b.is_number()) return compare_numbers(a, b) == std::strong_ordering::equal;
  if (a.kind() != b.kind()) return false;
  switch (a.kind()) {
    case Kind::bool_: return a.get_bool() == b.get_bool();
    case Kind::string: {
      const std::string_view left = view(a.get_string());
      const std::string_view right = view(b.get_string());
      if (left.size() != right.size()) return false;
      budget.spend(left.size() / kComparedBytesPerStep);
      return left == right;
    }
    case Kind::array: return equal_arrays(a.get_array(), b.get_array(), budget);
    case Kind::object: return equal_objects(a.get_object(), b.get_object(), budget);
    default: return true;  // null
  }
}

std::optional<std::pair<std::size_t, std::size_t>> find_duplicate(const JsonArray& array, StepBudget& budget) {
  struct Hashed {
    std::uint64_t hash;
    std::size_t position;
  };
  std::vector<Hashed> items;
  items.reserve(array.size());
  for (std::size_t i = 0; i < array.size(); ++i) items.push_back({hash(array[i], budget), i});
  if (!budget.spend(array.size() * kStepsPerSorted)) return std::nullopt;

  std::ranges::sort(items, [](const Hashed& a, const Hashed& b) {
    return a.hash != b.hash ? a.hash < b.hash : a.position < b.position;
  });
  for (std::size_t i = 0; i < items.size(); ++i) {
    for (std::size_t j = i + 1; j < items.size() && items[j].hash == items[i].hash; ++j) {
      if (equal(array[items[i].position], array[items[j].position], budget)) {
        return std::pair(items[i].position, items[j].position);
      }
      if (budget.spent()) return std::nullopt;
    }
  }
  return std::nullopt;
}

}  // namespace deft::schema
