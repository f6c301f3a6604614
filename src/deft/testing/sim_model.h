#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "deft/core/footprint.h"

namespace deft::sim {

using PathId = std::uint8_t;
inline constexpr std::array<std::string_view, 10> kPaths = {"/",     "/p",   "/p/a", "/p/a/x", "/p/a/y",
                                                            "/p/ab", "/p/b", "/q",   "/q/a",   "/r"};
inline constexpr std::size_t kInputWordsMax = 2;

// How a word of an input becomes a path: as it is, through a symlink, or relative to the working directory.
enum class Via : std::uint8_t { plain, link, cwd };
struct Word {
  PathId path = 0;
  Via via = Via::plain;
  Footprint::PathUse use = Footprint::PathUse::read;
};

// What taking the footprint gives: usually what the words say, but it may fail (then everything is assumed) or find
// that there is nothing to touch.
enum class Resolves : std::uint8_t { as_said, to_everything, to_nothing };

// The input of a call, as far as it matters for what it touches.
struct Input {
  std::array<Word, kInputWordsMax> words;
  std::uint8_t word_count = 0;
  Footprint::Use session = Footprint::Use::none;
  Footprint::Use network = Footprint::Use::none;
  bool everything = false;
  Resolves resolves = Resolves::as_said;
  bool read_only = false;
  bool interruptible = false;
};

using Targets = std::array<PathId, kInputWordsMax>;  // the path that each word of an input means

// A world so small that a whole turn can be compared with its serial run: every path holds a number.
class ModelWorld {
 public:
  Targets targets(const Input& input) const;
  // A hash of all that a call with this input may see.
  std::uint64_t look(const Input& input, const Targets& targets) const;
  // Changes all that it may write, to values that depend on who wrote and on what it had seen.
  void change(const Input& input, const Targets& targets, std::uint64_t seen, std::uint64_t who);

  bool operator==(const ModelWorld&) const = default;

 private:
  std::array<std::uint64_t, kPaths.size()> files_{};
  std::uint64_t network_ = 0;
  std::uint64_t session_ = 0;  // with the working directory
  std::uint64_t links_ = 0;    // where the symlinks point
};

// What the input is known to touch when the call arrives, and when its footprint is taken.
Footprint provisional_footprint(const Input& input, const Targets& targets);
Footprint resolved_footprint(const Input& input, const Targets& targets);

// What one call did.
struct Deed {
  const Input* input = nullptr;  // the one in force at the end
  Targets targets{};
  std::uint64_t seen = 0;
  std::uint32_t call = 0;
  std::uint32_t begun = 0;  // position in the order in which the calls began
  bool done = false;        // false: it never had an effect (denied, invalid)
};

// Does running the calls one after another give the same end and let every call see the same? In the calls' order, or,
// where a replaced input had to let a later call go first, in the order in which they began. Names what differs.
const char* difference_to_serial_run(std::span<Deed> deeds, const ModelWorld& end, bool in_call_order);

}  // namespace deft::sim
