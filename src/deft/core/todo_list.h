#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "deft/base/json.h"
#include "deft/base/result.h"

namespace deft {

inline constexpr std::size_t kTodosMax = 200;
inline constexpr std::size_t kTodoBytesMax = 2'000;  // of one text

// One thing that an agent means to do.
struct Todo {
  enum class Status : std::uint8_t { pending, in_progress, completed };
  std::string content;      // "Run the tests"
  std::string active_form;  // "Running the tests"; empty: the content stands for it
  Status status = Status::pending;

  bool operator==(const Todo&) const = default;
};
std::string_view to_string(Todo::Status status);

// An agent's plan of its own work, in the order in which it means to do it. It is replaced as a whole.
using TodoList = std::vector<Todo>;

// [{"content","status","activeForm"}…]
JsonArray todos_json(const TodoList& todos);
// Error `invalid_input`: what is wrong with which of them. At most one may be in progress.
Result<TodoList> todos_of(const Json& json);

}  // namespace deft
