#include "deft/testing/sim_model.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

namespace deft::sim {
namespace {

using PathUse = Footprint::PathUse;
using Use = Footprint::Use;
using PathMask = std::uint16_t;

constexpr bool is_in(std::string_view path, std::string_view folder) {
  if (folder == "/" || path == folder) return true;
  return path.size() > folder.size() && path.starts_with(folder) && path[folder.size()] == '/';
}

// The paths at or below each path. Written apart from footprint.cc: here it says what the words mean, there it is
// what the scheduler believes.
constexpr auto kAtOrBelow = [] {
  std::array<PathMask, kPaths.size()> masks{};
  for (std::size_t folder = 0; folder < kPaths.size(); ++folder) {
    for (std::size_t path = 0; path < kPaths.size(); ++path) {
      if (is_in(kPaths[path], kPaths[folder])) masks[folder] = static_cast<PathMask>(masks[folder] | (1U << path));
    }
  }
  return masks;
}();

std::uint64_t mix(std::uint64_t a, std::uint64_t b) {
  const std::uint64_t mixed = (a ^ (b + 0x9e3779b97f4a7c15U + (a << 6))) * 0xbf58476d1ce4e5b9U;
  return mixed ^ (mixed >> 29);
}

PathId moved(PathId path, std::uint64_t state) { return static_cast<PathId>((path + (state & 3)) % kPaths.size()); }

PathMask paths_seen(const Input& input, const Targets& targets) {
  unsigned mask = 0;
  for (std::size_t i = 0; i < input.word_count; ++i) {
    const bool one_entry = input.words[i].use == PathUse::read;
    mask |= one_entry ? 1U << targets[i] : kAtOrBelow[targets[i]];
  }
  return static_cast<PathMask>(mask);
}

PathMask paths_written(const Input& input, const Targets& targets) {
  unsigned mask = 0;
  for (std::size_t i = 0; i < input.word_count; ++i) {
    if (input.words[i].use == PathUse::write) mask |= kAtOrBelow[targets[i]];
  }
  return static_cast<PathMask>(mask);
}

}  // namespace

Targets ModelWorld::targets(const Input& input) const {
  Targets targets{};
  for (std::size_t i = 0; i < input.word_count; ++i) {
    const Word& word = input.words[i];
    const std::uint64_t state = word.via == Via::link ? links_ : word.via == Via::cwd ? session_ : 0;
    targets[i] = moved(word.path, state);
  }
  return targets;
}

std::uint64_t ModelWorld::look(const Input& input, const Targets& targets) const {
  if (input.resolves == Resolves::to_nothing) return 0;
  std::uint64_t seen = 1;
  const PathMask paths = input.everything ? kAtOrBelow[0] : paths_seen(input, targets);
  for (std::size_t path = 0; path < kPaths.size(); ++path) {
    if (paths >> path & 1) seen = mix(seen, files_[path]);
  }
  if (input.everything || input.session != Use::none) seen = mix(seen, session_);
  if (input.everything || input.network != Use::none) seen = mix(seen, network_);
  if (input.everything) seen = mix(seen, links_);
  return seen;
}

void ModelWorld::change(const Input& input, const Targets& targets, std::uint64_t seen, std::uint64_t who) {
  if (input.resolves == Resolves::to_nothing) return;
  const std::uint64_t trace = mix(seen, who);
  const PathMask paths = input.everything ? kAtOrBelow[0] : paths_written(input, targets);
  for (std::size_t path = 0; path < kPaths.size(); ++path) {
    if (paths >> path & 1) files_[path] = mix(files_[path], trace);
  }
  if (input.everything || input.session == Use::write) session_ = mix(session_, trace);
  if (input.everything || input.network == Use::write) network_ = mix(network_, trace);
  if (input.everything) links_ = mix(links_, trace);
}

Footprint provisional_footprint(const Input& input, const Targets& targets) {
  if (input.everything) return Footprint::everything();
  Footprint footprint = Footprint::uses_session(input.session).and_network(input.network);
  for (std::size_t i = 0; i < input.word_count; ++i) {
    std::string path(kPaths[targets[i]]);
    switch (input.words[i].use) {
      case PathUse::read:
        footprint = std::move(footprint).and_reads(std::move(path));
        break;
      case PathUse::read_tree:
        footprint = std::move(footprint).and_reads_tree(std::move(path));
        break;
      case PathUse::write:
        footprint = std::move(footprint).and_writes(std::move(path));
    }
  }
  return footprint;
}

Footprint resolved_footprint(const Input& input, const Targets& targets) {
  if (input.resolves == Resolves::to_everything) return Footprint::everything();
  if (input.resolves == Resolves::to_nothing) return Footprint::nothing();
  return provisional_footprint(input, targets);
}

const char* difference_to_serial_run(std::span<const Deed> deeds, const ModelWorld& end, bool in_call_order) {
  std::vector<std::uint8_t> order;
  order.reserve(deeds.size());
  for (std::size_t call = 0; call < deeds.size(); ++call) {
    if (deeds[call].done) order.push_back(static_cast<std::uint8_t>(call));
  }
  if (!in_call_order) {
    std::sort(order.begin(), order.end(), [&](auto a, auto b) { return deeds[a].begun < deeds[b].begun; });
  }
  ModelWorld world;
  for (const auto call : order) {
    const Deed& deed = deeds[call];
    const bool has_meaning = deed.input->resolves != Resolves::to_nothing;
    if (in_call_order && has_meaning && world.targets(*deed.input) != deed.targets) {
      return "a word means another path in a serial run";
    }
    const std::uint64_t seen = world.look(*deed.input, deed.targets);
    if (seen != deed.seen) return "a call sees something else in a serial run";
    world.change(*deed.input, deed.targets, seen, call);
  }
  return world == end ? nullptr : "the world ends differently in a serial run";
}

}  // namespace deft::sim
