#pragma once

namespace deft {

// One visitor made of a lambda for each alternative of a std::variant.
template <class... Handlers>
struct Overloaded : Handlers... {
  using Handlers::operator()...;
};

}  // namespace deft
