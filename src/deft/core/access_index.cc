#include "deft/core/access_index.h"

#include <algorithm>

namespace deft {
namespace {

// Calls visit("/"), visit("/a"), visit("/a/b") for "/a/b": the path and every folder above it, outermost first.
template <class Visit>
void for_each_prefix(std::string_view path, const Visit& visit) {
  visit(std::string_view("/"), path.size() <= 1);
  for (std::size_t slash = 0; slash != std::string_view::npos && path.size() > 1;) {
    slash = path.find('/', slash + 1);
    visit(path.substr(0, slash), slash == std::string_view::npos);
  }
}

void raise(std::optional<CallIndex>& latest, std::optional<CallIndex> candidate) {
  if (candidate && (!latest || *candidate > *latest)) latest = candidate;
}

}  // namespace

std::size_t CallList::position(CallIndex call) const {
  if (calls_.size() == head_ || calls_.back() < call) return calls_.size();
  const auto begin = calls_.begin() + static_cast<std::ptrdiff_t>(head_);
  return static_cast<std::size_t>(std::lower_bound(begin, calls_.end(), call) - calls_.begin());
}

void CallList::add(CallIndex call) {
  const std::size_t at = position(call);
  if (at < calls_.size() && calls_[at] == call) return;
  calls_.insert(calls_.begin() + static_cast<std::ptrdiff_t>(at), call);
}

void CallList::remove(CallIndex call) {
  const std::size_t at = position(call);
  if (at == calls_.size() || calls_[at] != call) return;
  const auto here = calls_.begin() + static_cast<std::ptrdiff_t>(at);
  if (at - head_ < calls_.size() - at) {  // closer to the head: close the gap from there
    const auto head = calls_.begin() + static_cast<std::ptrdiff_t>(head_);
    std::move_backward(head, here, here + 1);
    ++head_;
  } else {
    calls_.erase(here);
  }
  if (head_ == calls_.size()) {
    calls_.clear();
    head_ = 0;
  }
}

std::optional<CallIndex> CallList::first() const {
  if (head_ == calls_.size()) return std::nullopt;
  return calls_[head_];
}

std::optional<CallIndex> CallList::latest_before(CallIndex call) const {
  const std::size_t at = position(call);
  if (at == head_) return std::nullopt;
  return calls_[at - 1];
}

template <class Change>
void AccessIndex::change(const Footprint& footprint, const Change& change_list) {
  using Use = Footprint::Use;
  using PathUse = Footprint::PathUse;
  if (footprint.is_nothing()) return;
  change_list(all_);
  if (footprint.is_everything()) return change_list(everything_);

  if (footprint.network() != Use::none) {
    change_list(footprint.network() == Use::write ? network_.writers : network_.readers);
  }
  if (footprint.session() != Use::none) {
    change_list(footprint.session() == Use::write ? session_.writers : session_.readers);
  }
  for (const auto& access : footprint.paths()) {
    for_each_prefix(access.path, [&](std::string_view prefix, bool is_the_path) {
      auto found = places_.find(prefix);
      if (found == places_.end()) found = places_.emplace(std::string(prefix), Place()).first;
      Place& place = found->second;
      if (!is_the_path) return change_list(access.use == PathUse::write ? place.writes_below : place.reads_below);
      if (access.use == PathUse::read) return change_list(place.reads);
      change_list(access.use == PathUse::write ? place.writes : place.tree_reads);
    });
  }
}

void AccessIndex::add(CallIndex call, const Footprint& footprint) {
  change(footprint, [call](CallList& list) { list.add(call); });
}

void AccessIndex::remove(CallIndex call, const Footprint& footprint) {
  change(footprint, [call](CallList& list) { list.remove(call); });
}

std::optional<CallIndex> AccessIndex::latest_conflict(const Footprint& footprint, CallIndex before) const {
  using Use = Footprint::Use;
  using PathUse = Footprint::PathUse;
  if (footprint.is_nothing()) return std::nullopt;
  if (footprint.is_everything()) return all_.latest_before(before);

  std::optional<CallIndex> latest = everything_.latest_before(before);
  const auto check = [&](const CallList& list) { raise(latest, list.latest_before(before)); };
  const auto check_resource = [&](Use use, const Resource& resource) {
    if (use == Use::none) return;
    check(resource.writers);
    if (use == Use::write) check(resource.readers);
  };
  check_resource(footprint.network(), network_);
  check_resource(footprint.session(), session_);

  for (const auto& access : footprint.paths()) {
    const bool writes = access.use == PathUse::write;
    for_each_prefix(access.path, [&](std::string_view prefix, bool is_the_path) {
      const auto found = places_.find(prefix);
      if (found == places_.end()) return;
      const Place& place = found->second;
      check(place.writes);
      if (writes) check(place.tree_reads);
      if (!is_the_path) return;
      if (writes) check(place.reads);
      if (writes) check(place.reads_below);
      if (access.use != PathUse::read) check(place.writes_below);
    });
  }
  return latest;
}

}  // namespace deft
