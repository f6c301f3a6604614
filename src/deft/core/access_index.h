#pragma once

#include <boost/container/small_vector.hpp>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "deft/core/footprint.h"

namespace deft {

using CallIndex = std::uint32_t;  // position of a call in its message

// An ordered set of calls. Adding at the end and removing near either end are cheap: that is what scheduling does.
class CallList {
 public:
  void add(CallIndex call);     // no-op if it is there
  void remove(CallIndex call);  // no-op if it is not there
  std::size_t size() const { return calls_.size() - head_; }
  bool empty() const { return size() == 0; }
  std::optional<CallIndex> first() const { return empty() ? std::nullopt : std::optional(calls_[head_]); }
  std::optional<CallIndex> latest_before(CallIndex call) const;

 private:
  std::size_t position(CallIndex call) const;  // of the first entry that is not before `call`

  static constexpr std::size_t kCallsInPlace = 6;  // most lists never hold more, and then allocate nothing

  boost::container::small_vector<CallIndex, kCallsInPlace> calls_;  // sorted, from head_ on
  std::size_t head_ = 0;
};

// Who touches what: answers "which earlier call conflicts with this footprint" in the time of a few look-ups, however
// many calls there are. The same relation as conflicts(), which the tests compare it with.
class AccessIndex {
 public:
  void add(CallIndex call, const Footprint& footprint);
  void remove(CallIndex call, const Footprint& footprint);
  // The latest call before `before` that conflicts with `footprint`.
  std::optional<CallIndex> latest_conflict(const Footprint& footprint, CallIndex before) const;

 private:
  struct Place {
    Place* parent = nullptr;             // the folder it is in; none of "/"
    CallList reads, tree_reads, writes;  // of this very path
    CallList reads_below, writes_below;  // of paths below it
  };
  struct StringHash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const { return std::hash<std::string_view>()(text); }
  };
  struct Resource {
    CallList readers, writers;
  };

  using Places = std::unordered_map<std::string, Place, StringHash, std::equal_to<>>;  // they never move

  template <class Change>
  void change(const Footprint& footprint, const Change& change_list);
  Place& place_of(std::string_view path);

  Places places_;
  Resource network_, session_;
  CallList everything_;  // calls whose footprint is everything
  CallList all_;         // calls that touch anything
};

}  // namespace deft
