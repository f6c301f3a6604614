#include "deft/testing/sim_model.h"

#include <algorithm>
#include <bit>
#include <string>
#include <utility>

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

template <class Visit>
void for_each_in(unsigned paths, const Visit& visit) {
  for (; paths; paths &= paths - 1) visit(static_cast<std::size_t>(std::countr_zero(paths)));
}

// Where a word leads in a world whose links or working directory are in this state: elsewhere as soon as they change.
PathId moved(PathId path, std::uint64_t state) {
  return state == 0 ? path : static_cast<PathId>((path + 1 + state % 3) % kPaths.size());
}

Footprint with_word(Footprint footprint, PathId path, PathUse use) {
  std::string name(kPaths[path]);
  if (use == PathUse::read) return std::move(footprint).and_reads(std::move(name));
  if (use == PathUse::read_tree) return std::move(footprint).and_reads_tree(std::move(name));
  return std::move(footprint).and_writes(std::move(name));
}

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
  for_each_in(paths, [&](std::size_t path) { seen = mix(seen, files_[path]); });
  if (input.everything || input.session != Use::none) seen = mix(seen, session_);
  if (input.everything || input.network != Use::none) seen = mix(seen, network_);
  if (input.everything) seen = mix(seen, links_);
  return seen;
}

void ModelWorld::change(const Input& input, const Targets& targets, std::uint64_t seen, std::uint64_t who) {
  if (input.resolves == Resolves::to_nothing) return;
  const std::uint64_t trace = mix(seen, who);
  const PathMask paths = input.everything ? kAtOrBelow[0] : paths_written(input, targets);
  for_each_in(paths, [&](std::size_t path) { files_[path] = mix(files_[path], trace); });
  if (input.everything || input.session == Use::write) session_ = mix(session_, trace);
  if (input.everything || input.network == Use::write) network_ = mix(network_, trace);
  if (input.everything) links_ = mix(links_, trace);
}

Footprint provisional_footprint(const Input& input, const Targets& targets) {
  static const auto kOfOneWord = [] {  // by far the most are such
    std::array<std::array<Footprint, 3>, kPaths.size()> footprints;
    for (std::size_t path = 0; path < kPaths.size(); ++path) {
      for (const PathUse use : {PathUse::read, PathUse::read_tree, PathUse::write}) {
        footprints[path][static_cast<std::size_t>(use)] = with_word({}, static_cast<PathId>(path), use);
      }
    }
    return footprints;
  }();
  if (input.everything) return Footprint::everything();
  if (input.word_count == 0) return Footprint::uses_session(input.session).and_network(input.network);
  Footprint footprint = kOfOneWord[targets[0]][static_cast<std::size_t>(input.words[0].use)];
  if (input.word_count > 1) footprint = with_word(std::move(footprint), targets[1], input.words[1].use);
  if (input.session == Use::none && input.network == Use::none) return footprint;
  return std::move(footprint).and_session(input.session).and_network(input.network);
}

Footprint resolved_footprint(const Input& input, const Targets& targets) {
  if (input.resolves == Resolves::to_everything) return Footprint::everything();
  if (input.resolves == Resolves::to_nothing) return Footprint::nothing();
  return provisional_footprint(input, targets);
}

const char* difference_to_serial_run(std::span<Deed> deeds, const ModelWorld& end, bool in_call_order) {
  if (!in_call_order) std::ranges::sort(deeds, {}, &Deed::begun);
  ModelWorld world;
  for (const Deed& deed : deeds) {
    if (!deed.done) continue;
    const bool has_meaning = deed.input->resolves != Resolves::to_nothing;
    if (in_call_order && has_meaning && world.targets(*deed.input) != deed.targets) {
      return "a word means another path in a serial run";
    }
    const std::uint64_t seen = world.look(*deed.input, deed.targets);
    if (seen != deed.seen) return "a call sees something else in a serial run";
    world.change(*deed.input, deed.targets, seen, deed.call);
  }
  return world == end ? nullptr : "the world ends differently in a serial run";
}

}  // namespace deft::sim
