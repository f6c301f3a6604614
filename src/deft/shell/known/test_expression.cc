#include "deft/shell/known/command.h"
#include "deft/shell/parser.h"

// test and [. One of its operators evaluates array indexes, so no word that is not known may stand where an operator
// can.

namespace deft::shell {
namespace {

constexpr std::string_view kUnary = "-a -b -c -d -e -f -g -h -k -n -o -p -r -s -t -u -w -x -z -G -L -N -O -S";
constexpr std::string_view kBinary = "= == != < > -eq -ne -lt -le -gt -ge -nt -ot -ef";

// Up to here the number of words alone decides which of them is the operator.
inline constexpr std::size_t kPlainWordsMax = 4;

class TestReader {
 public:
  explicit TestReader(Words words) : words_(words) {}

  Problem read() {
    if (words_.empty()) return std::nullopt;
    for (const Argument& word : words_) {
      // In a longer test an operand that is not known might itself be taken for an operator.
      const bool is_settled = word.is_exact() || word.is_integer;
      // A number that may be missing makes the test wrong, not dangerous: all other words are still those that stand
      // there.
      const bool is_counted = word.is_one_word() || (word.is_integer && word.extent == Extent::many);
      if (!is_counted || (!is_settled && words_.size() > kPlainWordsMax)) return unknown_word("test", word);
    }
    while (true) {
      if (Problem problem = read_term()) return problem;
      if (next_ == words_.size()) return std::nullopt;
      if (!is(next_, "-a") && !is(next_, "-o")) return "a test that is not plain: " + quoted(words_[next_].source);
      ++next_;
    }
  }

 private:
  bool is(std::size_t index, std::string_view text) const {
    return index < words_.size() && words_[index].is_exact() && words_[index].text == text;
  }
  bool is_in(std::size_t index, std::string_view list) const {
    return index < words_.size() && words_[index].is_exact() && is_among_words(words_[index].text, list);
  }

  Problem read_term() {
    while (is(next_, "!") && next_ + 1 < words_.size()) ++next_;
    if (is_in(next_ + 1, kBinary) && next_ + 2 < words_.size()) {
      next_ += 3;
      return std::nullopt;
    }
    if (is_in(next_, kUnary) && next_ + 1 < words_.size()) {
      next_ += 2;
      return std::nullopt;
    }
    if (is(next_, "-v") && next_ + 1 < words_.size() && words_[next_ + 1].is_exact() &&
        is_name(words_[next_ + 1].text)) {
      next_ += 2;
      return std::nullopt;
    }
    const bool is_alone = next_ + 1 == words_.size() || is(next_ + 1, "-a") || is(next_ + 1, "-o");
    if (!is_alone || next_ >= words_.size()) return std::string("a test that is not plain");
    if (!words_[next_].is_exact() && next_ + 1 != words_.size()) return unknown_word("test", words_[next_]);
    ++next_;
    return std::nullopt;
  }

  Words words_;
  std::size_t next_ = 0;
};

}  // namespace

Problem judge_test(Words words, const Situation&) { return TestReader(words).read(); }

Problem judge_bracket(Words words, const Situation&) {
  if (words.empty() || !words.back().is_exact() || words.back().text != "]") return std::string("[ without ]");
  return TestReader(words.first(words.size() - 1)).read();
}

}  // namespace deft::shell
