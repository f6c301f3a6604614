#pragma once

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

namespace deft {

// Sorts by key; what has the same key keeps its order. In place of std::stable_sort, whose way to get memory clang
// reports as deprecated in the library that we build with.
template <class Item, class Key>
void stable_sort_by(std::vector<Item>& items, const Key& key) {
  using Place = std::pair<std::decay_t<decltype(key(items.front()))>, std::size_t>;
  std::vector<Place> places;
  places.reserve(items.size());
  for (std::size_t i = 0; i < items.size(); ++i) places.emplace_back(key(items[i]), i);
  std::sort(places.begin(), places.end());
  std::vector<Item> sorted;
  sorted.reserve(items.size());
  for (const Place& place : places) sorted.push_back(std::move(items[place.second]));
  items = std::move(sorted);
}

}  // namespace deft
