#include "deft/core/access_index.h"

#include <algorithm>

namespace deft {
namespace {

// "/a" for "/a/b", "/" for "/a", and for anything without a slash, so that going up always ends.
std::string_view folder_of(std::string_view path) {
  const std::size_t slash = path.rfind('/');
  return slash == 0 || slash == std::string_view::npos ? std::string_view("/") : path.substr(0, slash);
}

void raise(std::optional<CallIndex>& latest, std::optional<CallIndex> candidate) {
  if (candidate && (!latest || *candidate > *latest)) latest = candidate;
}

}  // namespace

std::size_t CallList::position(CallIndex call) const {
  if (empty() || calls_.back() < call) return calls_.size();
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

std::optional<CallIndex> CallList::latest_before(CallIndex call) const {
  if (empty()) return std::nullopt;
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
    Place& place = place_of(access.path);
    const bool writes = access.use == PathUse::write;
    change_list(writes ? place.writes : access.use == PathUse::read ? place.reads : place.tree_reads);
    for (Place* above = place.parent; above; above = above->parent) {
      change_list(writes ? above->writes_below : above->reads_below);
    }
  }
}

AccessIndex::Place& AccessIndex::place_of(std::string_view path) {
  if (const auto found = places_.find(path); found != places_.end()) return found->second;
  Place* parent = path.size() > 1 ? &place_of(folder_of(path)) : nullptr;
  return places_.emplace(path, Place{.parent = parent}).first->second;
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
    std::string_view known = access.path;  // it or the nearest folder above it that anyone has touched
    auto found = places_.find(known);
    while (found == places_.end() && known.size() > 1) {
      known = folder_of(known);
      found = places_.find(known);
    }
    if (found == places_.end()) continue;
    const Place& place = found->second;
    const Place* at = &place;
    do {
      check(at->writes);
      if (writes) check(at->tree_reads);
      at = at->parent;
    } while (at);
    if (known.size() < access.path.size()) continue;
    if (writes) check(place.reads);
    if (writes) check(place.reads_below);
    if (access.use != PathUse::read) check(place.writes_below);
  }
  return latest;
}

}  // namespace deft
