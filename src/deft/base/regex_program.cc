#include "deft/base/regex_program.h"

#include <algorithm>
#include <map>
#include <optional>

namespace deft {
namespace {

using Op = RegexProgram::Step::Op;

// Gives each different set a number, and each code point the class of those that are in the same sets.
class ClassTable {
 public:
  std::optional<std::uint16_t> add(const CodePointSet& set) {
    for (std::size_t i = 0; i < sets_.size(); ++i) {
      if (sets_[i] == set) return static_cast<std::uint16_t>(i);
    }
    if (sets_.size() == kRegexSetsMax) return std::nullopt;
    sets_.push_back(set);
    return static_cast<std::uint16_t>(sets_.size() - 1);
  }

  // `asked` adds what the assertions must tell apart. False: too many classes.
  bool finish(RegexProgram& program) && {
    const std::size_t set_count = sets_.size();
    if (program.asked & kNewline) sets_.push_back(CodePointSet::of('\n'));
    if (program.asked & kWordCharacter) sets_.push_back(unicode_set(CharacterKind::word));
    if (program.asked & kAsciiWordCharacter) sets_.push_back(ascii_set(CharacterKind::word));

    // At each of these points at least one set begins or ends.
    std::vector<std::pair<char32_t, std::uint16_t>> changes = {{0, kNoSet}};
    for (std::size_t i = 0; i < sets_.size(); ++i) {
      for (const CodePointRange& range : sets_[i].ranges()) {
        changes.emplace_back(range.low, static_cast<std::uint16_t>(i));
        changes.emplace_back(range.high + 1, static_cast<std::uint16_t>(i));
      }
    }
    std::ranges::sort(changes);

    std::map<std::vector<bool>, RegexProgram::Class> class_of_signature;
    std::vector<bool> inside(sets_.size());
    for (std::size_t i = 0; i < changes.size();) {
      const char32_t point = changes[i].first;
      for (; i < changes.size() && changes[i].first == point; ++i) {
        if (changes[i].second != kNoSet) inside[changes[i].second] = !inside[changes[i].second];
      }
      if (point > kCodePointMax) break;
      if (class_of_signature.size() > kRegexClassesMax) return false;
      const auto next = static_cast<RegexProgram::Class>(class_of_signature.size());
      const auto [entry, is_new] = class_of_signature.emplace(inside, next);
      if (!program.class_from.empty() && program.class_from.back() == entry->second) continue;
      program.class_begins.push_back(point);
      program.class_from.push_back(entry->second);
    }

    const std::size_t characters = class_of_signature.size();
    program.stray_byte = static_cast<RegexProgram::Class>(characters);
    program.text_end = static_cast<RegexProgram::Class>(characters + 1);
    program.class_count = static_cast<RegexProgram::Class>(characters + 2);
    program.members.assign(set_count, std::vector<bool>(program.class_count));
    program.neighbours.assign(program.class_count, 0);
    program.neighbours[program.text_end] = kTextEdge & program.asked;
    for (const auto& [signature, number] : class_of_signature) {
      for (std::size_t i = 0; i < set_count; ++i) program.members[i][number] = signature[i];
      std::size_t extra = set_count;
      for (const Neighbour bit : {kNewline, kWordCharacter, kAsciiWordCharacter}) {
        if ((program.asked & bit) != 0 && signature[extra++]) program.neighbours[number] |= bit;
      }
    }
    for (char32_t c = 0; c < program.ascii.size(); ++c) program.ascii[c] = program.class_of(c);
    return true;
  }

 private:
  static constexpr std::uint16_t kNoSet = 0xFFFF;
  std::vector<CodePointSet> sets_;
};

Neighbour asked_by(Assertion assertion) {
  switch (assertion) {
    case Assertion::text_start:
    case Assertion::text_end: return kTextEdge;
    case Assertion::line_start:
    case Assertion::line_end: return kTextEdge | kNewline;
    case Assertion::ascii_word_boundary:
    case Assertion::not_ascii_word_boundary: return kAsciiWordCharacter;
    default: return kWordCharacter;
  }
}

Assertion mirrored(Assertion assertion) {
  switch (assertion) {
    case Assertion::text_start: return Assertion::text_end;
    case Assertion::text_end: return Assertion::text_start;
    case Assertion::line_start: return Assertion::line_end;
    case Assertion::line_end: return Assertion::line_start;
    case Assertion::word_start: return Assertion::word_end;
    case Assertion::word_end: return Assertion::word_start;
    case Assertion::word_start_half: return Assertion::word_end_half;
    case Assertion::word_end_half: return Assertion::word_start_half;
    default: return assertion;
  }
}

bool can_be_empty(const RegexNode& node) {
  switch (node.kind) {
    case RegexNode::Kind::set: return false;
    case RegexNode::Kind::sequence: return std::ranges::all_of(node.parts, can_be_empty);
    case RegexNode::Kind::choice: return std::ranges::any_of(node.parts, can_be_empty);
    case RegexNode::Kind::repeat: return node.least == 0 || can_be_empty(node.parts.front());
    default: return true;
  }
}

// Builds from the end: each piece is given the step that follows it, and answers with its own first step.
class Compiler {
 public:
  explicit Compiler(Direction direction) : direction_(direction) {}

  Result<RegexProgram> compile(const RegexNode& root) {
    const auto match = add({.op = Op::match});
    program_.anchored_start = piece(root, match);
    const auto anything = add({.op = Op::anything});
    program_.search_start = fork(program_.anchored_start, anything, true);
    if (full_ || !std::move(classes_).finish(program_)) {
      return fail(Errc::limit, "The regular expression is too large: repeat less often, or search for a part of it.");
    }
    program_.steps[anything].next = program_.search_start;
    return std::move(program_);
  }

 private:
  std::uint32_t add(RegexProgram::Step step) {
    if (program_.steps.size() == kRegexStepsMax) {
      full_ = true;
      return 0;
    }
    program_.steps.push_back(step);
    return static_cast<std::uint32_t>(program_.steps.size() - 1);
  }
  std::uint32_t fork(std::uint32_t into, std::uint32_t past, bool greedy) {
    return add({.op = Op::fork, .next = greedy ? into : past, .other = greedy ? past : into});
  }

  std::uint32_t piece(const RegexNode& node, std::uint32_t next) {
    if (full_) return next;
    switch (node.kind) {
      case RegexNode::Kind::empty: return next;
      case RegexNode::Kind::set: return set(node.set, next);
      case RegexNode::Kind::assertion: {
        const Assertion assertion = direction_ == Direction::forward ? node.assertion : mirrored(node.assertion);
        program_.asked |= asked_by(assertion);
        return add({.op = Op::assertion, .assertion = assertion, .next = next});
      }
      case RegexNode::Kind::sequence: return sequence(node.parts, next);
      case RegexNode::Kind::choice: return choice(node.parts, next);
      case RegexNode::Kind::repeat: return repeat(node, next);
    }
    return next;
  }

  std::uint32_t set(const CodePointSet& set, std::uint32_t next) {
    if (set.is_empty()) return add({.op = Op::never});
    const auto number = classes_.add(set);
    if (!number) full_ = true;
    return add({.op = Op::set, .set = number.value_or(0), .next = next});
  }

  std::uint32_t sequence(const std::vector<RegexNode>& parts, std::uint32_t next) {
    if (direction_ == Direction::forward) {
      for (auto part = parts.rbegin(); part != parts.rend(); ++part) next = piece(*part, next);
    } else {
      for (const RegexNode& part : parts) next = piece(part, next);
    }
    return next;
  }

  std::uint32_t choice(const std::vector<RegexNode>& parts, std::uint32_t next) {
    std::uint32_t start = piece(parts.back(), next);
    for (auto part = std::next(parts.rbegin()); part != parts.rend(); ++part) {
      start = fork(piece(*part, next), start, true);
    }
    return start;
  }

  std::uint32_t repeat(const RegexNode& node, std::uint32_t next) {
    const RegexNode& inner = node.parts.front();
    std::uint32_t start = next;
    std::uint32_t required = node.least;
    if (node.most == kRepeatNoLimit) {
      // Of what may be empty, "any number" is "one or more, or nothing": a turn of the loop that took no character
      // would otherwise hide the way that did.
      if (required == 0) {
        start = can_be_empty(inner) ? fork(one_or_more(inner, next, node.greedy), next, node.greedy)
                                    : any_number(inner, next, node.greedy);
      } else {
        start = one_or_more(inner, next, node.greedy);
        --required;
      }
    } else {
      for (std::uint32_t i = node.least; i < node.most && !full_; ++i) {
        start = fork(piece(inner, start), next, node.greedy);
      }
    }
    for (std::uint32_t i = 0; i < required && !full_; ++i) {
      const std::size_t size = program_.steps.size();
      start = piece(inner, start);
      if (program_.steps.size() == size) break;  // nothing, however often
    }
    return start;
  }

  std::uint32_t any_number(const RegexNode& inner, std::uint32_t next, bool greedy) {
    const auto loop = fork(next, next, greedy);
    const auto start = piece(inner, loop);
    aim(loop, start, greedy);
    return loop;
  }

  std::uint32_t one_or_more(const RegexNode& inner, std::uint32_t next, bool greedy) {
    const auto loop = fork(next, next, greedy);
    const auto start = piece(inner, loop);
    aim(loop, start, greedy);
    return start;
  }

  void aim(std::uint32_t loop, std::uint32_t start, bool greedy) {
    if (full_) return;
    (greedy ? program_.steps[loop].next : program_.steps[loop].other) = start;
  }

  const Direction direction_;
  RegexProgram program_;
  ClassTable classes_;
  bool full_ = false;
};

}  // namespace

bool holds(Assertion assertion, Neighbour before, Neighbour after) {
  const auto word = [](Neighbour one) { return (one & kWordCharacter) != 0; };
  const auto ascii_word = [](Neighbour one) { return (one & kAsciiWordCharacter) != 0; };
  switch (assertion) {
    case Assertion::text_start: return (before & kTextEdge) != 0;
    case Assertion::text_end: return (after & kTextEdge) != 0;
    case Assertion::line_start: return (before & (kTextEdge | kNewline)) != 0;
    case Assertion::line_end: return (after & (kTextEdge | kNewline)) != 0;
    case Assertion::word_boundary: return word(before) != word(after);
    case Assertion::not_word_boundary: return word(before) == word(after);
    case Assertion::word_start: return !word(before) && word(after);
    case Assertion::word_end: return word(before) && !word(after);
    case Assertion::word_start_half: return !word(before);
    case Assertion::word_end_half: return !word(after);
    case Assertion::ascii_word_boundary: return ascii_word(before) != ascii_word(after);
    case Assertion::not_ascii_word_boundary: return ascii_word(before) == ascii_word(after);
  }
  return false;
}

RegexProgram::Class RegexProgram::class_of(char32_t point) const {
  const auto after = std::ranges::upper_bound(class_begins, point);
  return class_from[static_cast<std::size_t>(after - class_begins.begin()) - 1];
}

Result<RegexProgram> compile_regex(const RegexNode& root, Direction direction) {
  return Compiler(direction).compile(root);
}

}  // namespace deft
