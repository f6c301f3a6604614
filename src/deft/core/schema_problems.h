#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "deft/core/schema.h"

namespace deft::schema {

// A place inside the value under validation, linked to the places around it. Lives on the stack of the evaluation, so
// that a path is put into words only when there is a problem.
struct Place {
  const Place* parent = nullptr;  // null: the value itself
  std::string_view key;
  std::size_t index = 0;
  bool is_item = false;

  Place member(std::string_view name) const { return {this, name, 0, false}; }
  Place item(std::size_t position) const { return {this, {}, position, true}; }
  std::size_t depth() const;
  std::string path() const;  // todos[2].status
};

// Collects why a value does not fit, up to a limit.
class Problems {
 public:
  // What a problem says about the schema as a whole: a wrong type or constant means "another alternative was meant".
  enum class Kind { type, constant, other };

  explicit Problems(std::size_t max) : max_(max) {}

  void add(const Place& where, Kind kind, std::string expected, std::string got);
  // None of some alternatives fits the value at `where`; each attempt says why. Keeps what explains most: the problems
  // of the alternative that came closest, or of several equally close ones in one sentence.
  void add_closest(const Place& where, std::vector<Problems> attempts);

  bool full() const { return found_.size() >= max_; }
  std::size_t room() const { return max_ - found_.size(); }
  std::vector<SchemaProblem> take();

 private:
  struct Found {
    SchemaProblem problem;
    std::size_t depth;
    Kind kind;
  };
  struct Distance;
  Distance distance_from(std::size_t depth) const;
  void add_combined(const Place& where, const std::vector<const Found*>& equally_close);

  std::size_t max_;
  std::vector<Found> found_;
};

}  // namespace deft::schema
