#include "deft/base/regex_automaton.h"

#include <algorithm>
#include <utility>

#include "deft/base/utf8_decode.h"

namespace deft {
namespace {

using Op = RegexProgram::Step::Op;

constexpr std::uint32_t kBuiltBetweenStopChecks = 64;
constexpr std::ptrdiff_t kBytesBetweenStopChecks = std::ptrdiff_t{1} << 20;
constexpr std::size_t kHalvesBytesMin = 4'096;

const unsigned char* bytes(std::string_view text) { return reinterpret_cast<const unsigned char*>(text.data()); }

// How many bytes a character takes that begins with this one.
std::size_t length_by_lead(unsigned char lead) {
  if (lead < 0xC2 || lead > 0xF4) return 1;
  return lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
}

}  // namespace

std::size_t RegexAutomaton::HashSteps::operator()(const Steps& steps) const {
  std::uint64_t hash = 0x9E3779B97F4A7C15ULL;
  for (const std::uint32_t step : steps) hash = (hash ^ step) * 0xFF51AFD7ED558CCDULL + (hash >> 29);
  return hash;
}

RegexAutomaton::RegexAutomaton(const RegexProgram& program, Rule rule, std::stop_token stop)
    : program_(program),
      rule_(rule),
      stop_(std::move(stop)),
      columns_(program.class_count + std::size_t{1}),
      marks_(program.steps.size()) {
  column_.fill(program.class_count);
  std::ranges::copy(program.ascii, column_.begin());
  starts_.fill(kUnknown);
  recent_classes_.fill({kCodePointMax + 1, 0});
}

std::optional<std::size_t> RegexAutomaton::find_end(std::string_view text, std::size_t from) {
  const unsigned char* begin = bytes(text);
  Run run{.at = begin + from};
  run.state = start_state(program_.neighbours[class_before(begin, run.at)]);
  run_forward(run, begin + text.size());
  read_to_ = static_cast<std::size_t>(run.at - begin);
  if (!run.matched) return std::nullopt;
  return static_cast<std::size_t>(run.matched - begin);
}

std::optional<std::size_t> RegexAutomaton::find_end_by_line(std::string_view text, std::size_t from) {
  const std::size_t newline = text.find('\n', from + (text.size() - from) / 2);
  if (text.size() - from < kHalvesBytesMin || newline == std::string_view::npos) return find_end(text, from);
  const unsigned char* begin = bytes(text);
  const unsigned char* middle = begin + newline + 1;
  Run first{.at = begin + from};
  first.state = start_state(program_.neighbours[class_before(begin, first.at)]);
  Run second{.at = middle};
  second.state = start_state(program_.neighbours[class_before(begin, middle)]);

  const std::uint32_t generation = generation_;
  run_both(first, middle, second, begin + text.size());
  if (generation != generation_) return find_end(text, from);  // states were forgotten on the way: begin anew
  if (!first.matched && (first.state & kDead) == 0) run_characters(first, middle);
  if (first.matched) return static_cast<std::size_t>(first.matched - begin);
  if (generation != generation_) return find_end(text, newline + 1);
  if (!second.matched && (second.state & kDead) == 0) run_forward(second, begin + text.size());
  if (second.matched) return static_cast<std::size_t>(second.matched - begin);
  return std::nullopt;
}

// Until one of them has ended, found a match or forgotten states.
void RegexAutomaton::run_both(Run& first, const unsigned char* first_end, Run& second,
                              const unsigned char* second_end) {
  const std::uint32_t generation = generation_;
  while (first.at != first_end && second.at != second_end) {
    const Next* table = table_.data();
    const unsigned char* at1 = first.at;
    const unsigned char* at2 = second.at;
    Next state1 = first.state;
    Next state2 = second.state;
    for (std::ptrdiff_t left = std::min(first_end - at1, second_end - at2); left > 0; --left, ++at1, ++at2) {
      const Next next1 = table[state1 + column_[*at1]];
      const Next next2 = table[state2 + column_[*at2]];
      if ((next1 | next2) >= kUnknown) [[unlikely]]
        break;
      state1 = next1;
      state2 = next2;
    }
    first.at = at1;
    second.at = at2;
    first.state = state1;
    second.state = state2;
    if (at1 == first_end || at2 == second_end) return;
    if (!take_character(first, first_end) || generation != generation_) return;
    if (!take_character(second, second_end) || generation != generation_) return;
  }
}

bool RegexAutomaton::take_character(Run& run, const unsigned char* end) {
  const Decoded character = decode_forward(run.at, end);
  const Class its_class = character.length == 0 ? program_.stray_byte : class_of(character.point);
  return take(run, its_class, std::max<std::ptrdiff_t>(1, character.length));
}

std::optional<std::size_t> RegexAutomaton::find_begin(std::string_view text, std::size_t from, std::size_t end) {
  const unsigned char* begin = bytes(text);
  Run run{.at = begin + end};
  run.state = start_state(program_.neighbours[class_after(run.at, begin + text.size())]);
  run_backward(run, begin + from);
  // What stands before `from` is no part of the match, but may decide whether it can begin there.
  if (run.at == begin + from && (run.state & kDead) == 0) take(run, class_before(begin, run.at), 0);
  if (!run.matched) return std::nullopt;
  return static_cast<std::size_t>(run.matched - begin);
}

void RegexAutomaton::begin_text() {
  piece_state_ = start_state(program_.neighbours[program_.text_end]);
  cut_size_ = 0;
}

bool RegexAutomaton::add_piece(std::string_view piece) {
  Run run{.state = piece_state_};
  // A character that the last piece began is completed first.
  while (cut_size_ > 0 && !piece.empty()) {
    const auto* cut = reinterpret_cast<const unsigned char*>(cut_character_.data());
    const bool continues = (static_cast<unsigned char>(piece.front()) & 0xC0U) == 0x80U;
    if (continues) {
      cut_character_[cut_size_++] = piece.front();
      piece.remove_prefix(1);
    }
    if (continues && cut_size_ < length_by_lead(cut[0])) continue;
    run.at = cut;
    run_characters(run, cut + std::exchange(cut_size_, 0));
  }
  // What may be the beginning of a character waits for the next piece.
  std::size_t whole = piece.size();
  for (std::size_t back = 1; back <= std::min<std::size_t>(3, piece.size()); ++back) {
    const auto lead = static_cast<unsigned char>(piece[piece.size() - back]);
    if ((lead & 0xC0U) == 0x80U) continue;
    if (length_by_lead(lead) > back) whole = piece.size() - back;
    break;
  }
  run.at = bytes(piece);
  if (!run.matched) run_characters(run, run.at + whole);
  piece_state_ = run.state;
  for (const char c : piece.substr(whole)) cut_character_[cut_size_++] = c;
  return run.matched != nullptr;
}

bool RegexAutomaton::end_text() {
  Run run{.state = piece_state_, .at = reinterpret_cast<const unsigned char*>(cut_character_.data())};
  if (run_characters(run, run.at + std::exchange(cut_size_, 0))) take(run, program_.text_end, 0);
  return run.matched != nullptr;
}

void RegexAutomaton::run_forward(Run& run, const unsigned char* end) {
  if (run_characters(run, end)) take(run, program_.text_end, 0);
}

bool RegexAutomaton::run_characters(Run& run, const unsigned char* end) {
  while (run.at != end) {
    // The loop that all the time is spent in: in registers, one look-up a byte.
    const Next* table = table_.data();
    const unsigned char* at = run.at;
    const unsigned char* until = at + std::min(end - at, kBytesBetweenStopChecks);
    Next state = run.state;
    while (at != until) {
      const Next next = table[state + column_[*at]];
      if (next >= kUnknown) [[unlikely]]
        break;
      state = next;
      ++at;
    }
    run.state = state;
    run.at = at;
    if (at == end) break;
    if (at == until && stop_.stop_requested()) {
      run.state |= kDead;
      return false;
    }
    if (!take_character(run, end)) return false;
  }
  return true;
}

void RegexAutomaton::run_backward(Run& run, const unsigned char* begin) {
  for (std::ptrdiff_t taken = 1; run.at != begin; ++taken) {
    if (taken % kBytesBetweenStopChecks == 0 && stop_.stop_requested()) {
      run.state |= kDead;
      return;
    }
    const Decoded character = decode_backward(begin, run.at);
    const Class its_class = character.length == 0 ? program_.stray_byte : class_of(character.point);
    if (!take(run, its_class, -std::max<std::ptrdiff_t>(1, character.length))) return;
  }
}

bool RegexAutomaton::take(Run& run, Class next_class, std::ptrdiff_t length) {
  Next next = table_[run.state + next_class];
  if (next == kUnknown) {
    if (++built_ % kBuiltBetweenStopChecks == 0 && stop_.stop_requested()) {
      run.state |= kDead;
      return false;
    }
    next = work_out(run.state, next_class);
  }
  if ((next & kMatched) != 0) {
    run.matched = run.at;
    if (is_earliest()) return false;
  }
  run.state = next & ~kMatched;
  run.at += length;
  return (next & kDead) == 0;
}

RegexAutomaton::Next RegexAutomaton::start_state(Neighbour before) {
  Next& start = starts_[before];
  if (start != kUnknown) return start;
  Steps steps;
  begin_list();
  const bool begins_here = rule_ == Rule::longest || rule_ == Rule::earliest_here;
  add_reachable(begins_here ? program_.anchored_start : program_.search_start, std::nullopt, steps);
  drop_forks(steps);
  const Next made = intern(std::move(steps), before);
  starts_[before] = made;
  return made;
}

// The rule of a step: a place that asks what stands beside it is decided now that both sides are known; then every step
// that takes the character goes on to those that it leads to.
RegexAutomaton::Next RegexAutomaton::work_out(Next& state, Class next_class) {
  if (table_.size() * sizeof(Next) + steps_bytes_ > kAutomatonBytesMax) forget_all_but(state);
  const Steps& here = *states_[state / columns_];
  const auto before = static_cast<Neighbour>(here.back());
  const Neighbour after = program_.neighbours[next_class];

  Steps current;
  begin_list();
  for (std::size_t i = 0; i + 1 < here.size(); ++i) add_reachable(here[i], Sides{before, after}, current);

  Steps reached;
  bool matched = false;
  begin_list();
  for (const std::uint32_t number : current) {
    const RegexProgram::Step& step = program_.steps[number];
    if (step.op == Op::match) {
      matched = true;
      if (rule_ == Rule::leftmost) break;  // whatever comes after it is less preferred
    }
    const bool taken = step.op == Op::set ? program_.members[step.set][next_class]
                                          : step.op == Op::anything && next_class != program_.text_end;
    if (taken) add_reachable(step.next, std::nullopt, reached);
  }
  drop_forks(reached);
  const bool dead = reached.empty();
  const Next next = (dead ? kDead : intern(std::move(reached), after)) | (matched ? kMatched : 0);
  table_[state + next_class] = next;
  return next;
}

RegexAutomaton::Next RegexAutomaton::intern(Steps steps, Neighbour before) {
  const bool asks =
      std::ranges::any_of(steps, [&](std::uint32_t step) { return program_.steps[step].op == Op::assertion; });
  if (rule_ != Rule::leftmost) std::ranges::sort(steps);  // their order does not matter: fewer states
  steps.push_back(asks ? before : 0);
  const std::size_t bytes_taken = steps.size() * sizeof(std::uint32_t) + sizeof(Steps) + sizeof(void*) * 4;
  const auto [entry, is_new] = rows_.try_emplace(std::move(steps), static_cast<Next>(table_.size()));
  if (!is_new) return entry->second;
  states_.push_back(&entry->first);
  steps_bytes_ += bytes_taken;
  table_.resize(table_.size() + columns_, kUnknown);
  table_.back() = kDecode;
  return entry->second;
}

void RegexAutomaton::forget_all_but(Next& state) {
  Steps kept = *states_[state / columns_];
  table_.clear();
  rows_.clear();
  states_.clear();
  steps_bytes_ = 0;
  starts_.fill(kUnknown);
  ++generation_;
  const auto before = static_cast<Neighbour>(kept.back());
  kept.pop_back();
  state = intern(std::move(kept), before);
}

// Where an assertion waits, the way that led to it is gone once more when it is decided, and must not be gone twice: so
// the forks before it stay in the list. All others have done their work.
void RegexAutomaton::drop_forks(Steps& steps) const {
  const auto is = [this](Op op) { return [this, op](std::uint32_t step) { return program_.steps[step].op == op; }; };
  if (rule_ == Rule::leftmost && std::ranges::any_of(steps, is(Op::assertion))) return;
  std::erase_if(steps, is(Op::fork));
}

void RegexAutomaton::begin_list() {
  if (++mark_number_ != 0) return;
  std::ranges::fill(marks_, 0);
  mark_number_ = 1;
}

bool RegexAutomaton::mark(std::uint32_t step) { return std::exchange(marks_[step], mark_number_) != mark_number_; }

void RegexAutomaton::add_reachable(std::uint32_t first, const std::optional<Sides>& sides, Steps& out) {
  stack_.push_back(first);
  while (!stack_.empty()) {
    const std::uint32_t number = stack_.back();
    stack_.pop_back();
    if (!mark(number)) continue;
    const RegexProgram::Step& step = program_.steps[number];
    if (step.op == Op::fork) {
      stack_.push_back(step.other);
      stack_.push_back(step.next);
      if (!sides) out.push_back(number);
    } else if (step.op == Op::assertion && sides) {
      if (holds(step.assertion, sides->before, sides->after)) stack_.push_back(step.next);
    } else if (step.op != Op::never) {
      out.push_back(number);
    }
  }
}

RegexAutomaton::Class RegexAutomaton::class_of(char32_t point) {
  auto& [known, its_class] = recent_classes_[point & 0xFF];
  if (known != point) {
    known = point;
    its_class = program_.class_of(point);
  }
  return its_class;
}

RegexAutomaton::Class RegexAutomaton::class_after(const unsigned char* at, const unsigned char* end) {
  if (at == end) return program_.text_end;
  const Decoded character = decode_forward(at, end);
  return character.length == 0 ? program_.stray_byte : class_of(character.point);
}

RegexAutomaton::Class RegexAutomaton::class_before(const unsigned char* begin, const unsigned char* at) {
  if (at == begin) return program_.text_end;
  const Decoded character = decode_backward(begin, at);
  return character.length == 0 ? program_.stray_byte : class_of(character.point);
}

}  // namespace deft
