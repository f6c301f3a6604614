#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

// Which results of one message are shown whole. Pure: nobody writes a file here.

namespace deft {

// One result, and what it would cost in less room.
struct ResultCost {
  std::size_t characters = 0;
  bool is_unlimited = false;     // it is never stored away, but may be cut
  std::size_t with_preview = 0;  // stored away, with a preview in its place; 0: it is already so
  std::size_t with_path = 0;     // with no more than the path
};

enum class Showing : std::uint8_t { as_it_is, preview, path, cut };
struct ResultShare {
  Showing showing = Showing::as_it_is;
  std::size_t characters_max = 0;  // cut: to how many, the notice not counted
  bool operator==(const ResultShare&) const = default;
};

inline constexpr std::size_t kCutNoticeCharactersMax = 300;

// All results of a message at once, in the order of their calls: the largest are stored away first, of equal ones the
// later, until the rest fits. If those that are never stored away exceed the budget by themselves, the later of them
// are cut. Every result keeps at least its path or its notice, so thousands of calls may still take more.
std::vector<ResultShare> fit_message(const std::vector<ResultCost>& results, std::size_t characters_max);

// One result that leaves before the next is known: what the `room` that is left of the budget allows.
ResultShare fit_into(const ResultCost& result, std::size_t room);
// What it takes then.
std::size_t share_characters(const ResultCost& result, const ResultShare& share);

}  // namespace deft
