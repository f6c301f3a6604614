#include "deft/core/result_budget.h"

#include <algorithm>
#include <numeric>

namespace deft {
namespace {

class Fitting {
 public:
  Fitting(const std::vector<ResultCost>& results, std::size_t characters_max)
      : results_(results), characters_max_(characters_max), shares_(results.size()), sizes_(results.size()) {
    for (std::size_t i = 0; i < results.size(); ++i) sizes_[i] = results[i].characters;
    total_ = std::accumulate(sizes_.begin(), sizes_.end(), std::size_t{0});
  }

  std::vector<ResultShare> run() {
    if (!is_over()) return shares_;
    shrink_to(Showing::preview, [](const ResultCost& result) { return result.with_preview; });
    if (is_over() && unlimited_total() > characters_max_) cut_unlimited();
    shrink_to(Showing::path, [](const ResultCost& result) { return result.with_path; });
    if (is_over()) cut_unlimited();
    return shares_;
  }

 private:
  bool is_over() const { return total_ > characters_max_; }

  std::size_t unlimited_total() const {
    std::size_t sum = 0;
    for (std::size_t i = 0; i < results_.size(); ++i) sum += results_[i].is_unlimited ? sizes_[i] : 0;
    return sum;
  }

  void set(std::size_t index, ResultShare share, std::size_t size) {
    total_ = total_ - sizes_[index] + size;
    sizes_[index] = size;
    shares_[index] = share;
  }

  template <class Target>
  void shrink_to(Showing showing, const Target& target) {
    std::vector<std::size_t> order;
    for (std::size_t i = 0; i < results_.size(); ++i) {
      const std::size_t size = target(results_[i]);
      if (!results_[i].is_unlimited && size > 0 && size < sizes_[i]) order.push_back(i);
    }
    std::sort(order.begin(), order.end(),
              [&](std::size_t a, std::size_t b) { return sizes_[a] != sizes_[b] ? sizes_[a] > sizes_[b] : a > b; });
    for (const std::size_t i : order) {
      if (!is_over()) return;
      set(i, {showing}, target(results_[i]));
    }
  }

  void cut_unlimited() {
    const std::size_t others = total_ - unlimited_total();
    std::size_t room = characters_max_ - std::min(others, characters_max_);
    for (std::size_t i = 0; i < results_.size(); ++i) {
      if (!results_[i].is_unlimited) continue;
      const ResultShare share = fit_into(results_[i], room);
      const std::size_t size = share_characters(results_[i], share);
      set(i, share, size);
      room -= std::min(size, room);
    }
  }

  const std::vector<ResultCost>& results_;
  const std::size_t characters_max_;
  std::vector<ResultShare> shares_;
  std::vector<std::size_t> sizes_;  // as they would be shown now
  std::size_t total_ = 0;
};

}  // namespace

std::vector<ResultShare> fit_message(const std::vector<ResultCost>& results, std::size_t characters_max) {
  return Fitting(results, characters_max).run();
}

ResultShare fit_into(const ResultCost& result, std::size_t room) {
  if (result.characters <= room) return {};
  if (result.is_unlimited) {
    if (result.characters <= kCutNoticeCharactersMax) return {};
    return {Showing::cut, room - std::min(room, kCutNoticeCharactersMax)};
  }
  const bool preview_fits = result.with_preview > 0 && result.with_preview <= room;
  if (preview_fits) return {Showing::preview};
  return result.with_path > 0 && result.with_path < result.characters ? ResultShare{Showing::path} : ResultShare{};
}

std::size_t share_characters(const ResultCost& result, const ResultShare& share) {
  switch (share.showing) {
    case Showing::as_it_is: return result.characters;
    case Showing::preview: return result.with_preview;
    case Showing::path: return result.with_path;
    case Showing::cut: return share.characters_max + kCutNoticeCharactersMax;
  }
  return result.characters;
}

}  // namespace deft
