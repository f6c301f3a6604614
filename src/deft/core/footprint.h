#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace deft {

// What a call touches. Two calls conflict when one writes what the other reads or writes; calls that do not conflict
// may run side by side and still give what running them one after another would have given.
//
// A path is absolute and normalised. A write of a path also writes everything below it (a file may take the place of
// a folder); a plain read is of that one entry, a tree read of everything below it too.
class Footprint {
 public:
  enum class Use : std::uint8_t { none, read, write };
  enum class PathUse : std::uint8_t { read, read_tree, write };
  struct PathAccess {
    std::string path;
    PathUse use;
    bool operator==(const PathAccess&) const = default;
  };

  // Conflicts with nobody: a wait, or a call that can only fail.
  static Footprint nothing() { return {}; }
  // Unknown, so it conflicts with everyone who touches anything.
  static Footprint everything();
  // Safe beside other readers, after and before every writer.
  static Footprint reads_everything();

  static Footprint reads(std::string path) { return Footprint().and_reads(std::move(path)); }
  static Footprint reads_tree(std::string path) { return Footprint().and_reads_tree(std::move(path)); }
  static Footprint writes(std::string path) { return Footprint().and_writes(std::move(path)); }
  static Footprint uses_network(Use use);
  static Footprint uses_session(Use use);

  Footprint and_reads(std::string path) &&;
  Footprint and_reads_tree(std::string path) &&;
  Footprint and_writes(std::string path) &&;
  Footprint and_network(Use use) &&;
  Footprint and_session(Use use) &&;

  bool is_everything() const { return everything_; }
  bool is_nothing() const;
  const std::vector<PathAccess>& paths() const { return paths_; }
  Use network() const { return network_; }
  Use session() const { return session_; }

  // May it change what a later call's words mean: a symlink moved, another working directory? The footprints of
  // later calls are taken only when it has ended.
  bool changes_meaning_of_later_calls() const { return everything_ || session_ == Use::write; }

  bool operator==(const Footprint&) const = default;

 private:
  bool everything_ = false;
  Use network_ = Use::none;
  Use session_ = Use::none;  // working directory, todo list, mode: what belongs to the session, not to the disk
  std::vector<PathAccess> paths_;
};

bool conflicts(const Footprint& a, const Footprint& b);

}  // namespace deft
