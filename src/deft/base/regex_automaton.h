#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <stop_token>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "deft/base/regex_program.h"

namespace deft {

inline constexpr std::size_t kAutomatonBytesMax = std::size_t{8} << 20;

// A deterministic automaton that is made from a program while it runs: a state is the list of steps that the text so
// far may have led to, and a transition is worked out when it is needed for the first time. What was worked out is kept
// until it takes too much memory; then it is forgotten and begun anew. So time is linear in the text, whatever the
// pattern, and memory is bounded.
//
// Not for several threads at once. A search ends early, without a match, once `stop` is requested.
class RegexAutomaton {
 public:
  // Which of the possible matches counts.
  enum class Rule : std::uint8_t {
    earliest,       // the one that ends first: enough to know whether there is any
    earliest_here,  // the same of those that begin where the search does
    leftmost,       // the first to begin; of those the one that the pattern prefers
    longest,
  };

  RegexAutomaton(const RegexProgram& program, Rule rule, std::stop_token stop);

  // Where the match ends that begins at `from` or later; `text` is all there is.
  std::optional<std::size_t> find_end(std::string_view text, std::size_t from);
  std::size_t read_to() const { return read_to_; }  // how far that search had to look
  // The same for a program that matches no newline and a rule `earliest`. Nearly twice as fast: what limits the
  // automaton is waiting for one look-up before the next, so the two halves of the text are searched at the same time.
  std::optional<std::size_t> find_end_by_line(std::string_view text, std::size_t from);
  // Of a backward program: where the match begins that ends at `end`, not before `from`.
  std::optional<std::size_t> find_begin(std::string_view text, std::size_t from, std::size_t end);

  // Of a text that comes in pieces, with rule `earliest`. A piece may end within a character.
  void begin_text();
  bool add_piece(std::string_view piece);  // true: there is a match, whatever follows
  bool end_text();                         // true: there is a match

 private:
  using Class = RegexProgram::Class;
  using Next = std::uint32_t;  // the row of a state, or one of the marks below
  using Steps = std::vector<std::uint32_t>;
  struct HashSteps {
    std::size_t operator()(const Steps& steps) const;
  };

  static constexpr Next kMatched = 1U << 31;     // bit: before this character ended a match
  static constexpr Next kDead = 1U << 30;        // bit: no match from here on
  static constexpr Next kUnknown = 1U << 29;     // not worked out yet
  static constexpr Next kDecode = kUnknown + 1;  // not ASCII: find out which character it is
  static constexpr Next kRowMask = kUnknown - 1;

  // What stands beside a place in the text.
  struct Sides {
    Neighbour before;
    Neighbour after;
  };

  // How far a run came.
  struct Run {
    Next state = kUnknown;
    const unsigned char* at = nullptr;
    const unsigned char* matched = nullptr;  // the end (backward: the beginning) of the match that counts so far
  };

  bool is_earliest() const { return rule_ == Rule::earliest || rule_ == Rule::earliest_here; }
  void run_forward(Run& run, const unsigned char* end);
  bool run_characters(Run& run, const unsigned char* end);  // false: the run is over
  void run_both(Run& first, const unsigned char* first_end, Run& second, const unsigned char* second_end);
  bool take_character(Run& run, const unsigned char* end);
  void run_backward(Run& run, const unsigned char* begin);
  bool take(Run& run, Class next_class, std::ptrdiff_t length);  // false: the run is over
  Next start_state(Neighbour before);
  Next work_out(Next& state, Class next_class);
  Next intern(Steps steps, Neighbour before);
  void forget_all_but(Next& state);

  void drop_forks(Steps& steps) const;
  void begin_list();
  bool mark(std::uint32_t step);  // false: it is in the list already
  // Where `sides` are not known yet, assertions wait in the list; see drop_forks().
  void add_reachable(std::uint32_t first, const std::optional<Sides>& sides, Steps& out);

  Class class_of(char32_t point);
  Class class_after(const unsigned char* at, const unsigned char* end);
  Class class_before(const unsigned char* begin, const unsigned char* at);

  const RegexProgram& program_;
  const Rule rule_;
  const std::stop_token stop_;
  const std::size_t columns_;              // of the table: the classes, and one for bytes that are not ASCII
  std::array<std::uint16_t, 256> column_;  // of each byte

  std::vector<Next> table_;
  std::unordered_map<Steps, Next, HashSteps> rows_;  // the last of the steps is what stands before
  std::vector<const Steps*> states_;                 // of each row, in rows_
  std::size_t steps_bytes_ = 0;
  std::array<Next, 16> starts_;  // by what stands before; kUnknown: not made

  std::vector<std::uint32_t> marks_;  // == mark_number_: in the current list
  std::uint32_t mark_number_ = 0;
  std::vector<std::uint32_t> stack_;
  std::array<std::pair<char32_t, Class>, 256> recent_classes_;  // by the low bits of the character
  std::uint32_t built_ = 0;
  std::uint32_t generation_ = 0;  // how often everything was forgotten

  std::size_t read_to_ = 0;
  Next piece_state_ = kUnknown;
  std::array<char, 4> cut_character_;  // the beginning of a character whose rest is in the next piece
  std::size_t cut_size_ = 0;
};

}  // namespace deft
