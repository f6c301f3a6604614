#include "deft/core/footprint.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "deft/base/path.h"

namespace deft {
namespace {

bool clash(Footprint::Use a, Footprint::Use b) {
  using Use = Footprint::Use;
  if (a == Use::none || b == Use::none) return false;
  return a == Use::write || b == Use::write;
}

bool clash(const Footprint::PathAccess& a, const Footprint::PathAccess& b) {
  using PathUse = Footprint::PathUse;
  if (a.use != PathUse::write && b.use != PathUse::write) return false;
  // Something at or below a whole tree (written or read) is touched, from either side.
  if (a.use != PathUse::read && is_at_or_below(b.path, a.path)) return true;
  if (b.use != PathUse::read && is_at_or_below(a.path, b.path)) return true;
  return false;
}

}  // namespace

Footprint Footprint::everything() {
  Footprint all;
  all.everything_ = true;
  return all;
}

Footprint Footprint::reads_everything() {
  return Footprint::reads_tree("/").and_network(Use::read).and_session(Use::read);
}

Footprint Footprint::uses_network(Use use) { return Footprint().and_network(use); }
Footprint Footprint::uses_session(Use use) { return Footprint().and_session(use); }

void Footprint::add(std::string path, PathUse use) {
  if (!path.starts_with('/')) everything_ = true;  // nobody knows where that is
  paths_.push_back({std::move(path), use});
}

Footprint Footprint::and_reads(std::string path) && {
  add(std::move(path), PathUse::read);
  return std::move(*this);
}
Footprint Footprint::and_reads_tree(std::string path) && {
  add(std::move(path), PathUse::read_tree);
  return std::move(*this);
}
Footprint Footprint::and_writes(std::string path) && {
  add(std::move(path), PathUse::write);
  return std::move(*this);
}
Footprint Footprint::and_network(Use use) && {
  network_ = std::max(network_, use);
  return std::move(*this);
}
Footprint Footprint::and_session(Use use) && {
  session_ = std::max(session_, use);
  return std::move(*this);
}

bool Footprint::is_nothing() const {
  return !everything_ && paths_.empty() && network_ == Use::none && session_ == Use::none;
}

bool conflicts(const Footprint& a, const Footprint& b) {
  if (a.is_nothing() || b.is_nothing()) return false;
  if (a.is_everything() || b.is_everything()) return true;
  if (clash(a.network(), b.network()) || clash(a.session(), b.session())) return true;
  for (const auto& left : a.paths()) {
    for (const auto& right : b.paths()) {
      if (clash(left, right)) return true;
    }
  }
  return false;
}

}  // namespace deft
