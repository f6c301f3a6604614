#include "deft/shell/known/command.h"

// find: an expression, not options. -exec with a command that is harmless itself is harmless; -delete, -fprint and
// relatives are in no list here.

namespace deft::shell {
namespace {

constexpr std::string_view kBeforePaths = "-H -L -P -E -X -d -s -x -O0 -O1 -O2 -O3";
constexpr std::string_view kFlags =
    "! ( ) , -a -and -o -or -not -true -false -daystart -depth -follow -ignore_readdir_race -noignore_readdir_race "
    "-mount "
    "-noleaf -warn -nowarn -xdev -empty -executable -readable -writable -nogroup -nouser -ls -print -print0 -prune "
    "-quit";
constexpr std::string_view kWithValue =
    "-maxdepth -mindepth -regextype -amin -anewer -atime -cmin -cnewer -ctime -fstype -gid -group -ilname -iname -inum "
    "-ipath -iregex -iwholename -links -lname -mmin -mtime -name -newer -path -perm -regex -samefile -size -type -uid "
    "-used -user -wholename -xtype -context -printf -Btime -Bmin -flags -D";

bool is_newer_test(std::string_view text) {
  constexpr std::string_view kTimes = "aBcmt";
  return text.size() == 8 && text.starts_with("-newer") && kTimes.find(text[6]) != std::string_view::npos &&
         kTimes.find(text[7]) != std::string_view::npos;
}

// "{}" becomes a path that begins with a starting point, which never begins with "-".
Argument with_path(const Argument& word, const std::string& start) {
  const std::size_t place = word.text.find("{}");
  if (place == std::string::npos) return word;
  Argument replaced = word;
  replaced.text = word.text.substr(0, place) + start;
  replaced.extent = word.text == "{}" ? Extent::many : Extent::one;
  replaced.rootless = !replaced.text.empty() && !replaced.text.starts_with('/');
  replaced.dashless = !replaced.text.starts_with('-');
  replaced.unknown = "{}";
  return replaced;
}

class FindReader {
 public:
  FindReader(Words words, const Situation& situation) : words_(words), situation_(situation) {}

  Problem read() {
    if (Problem problem = read_paths()) return problem;
    while (next_ < words_.size()) {
      if (Problem problem = read_primary()) return problem;
    }
    return std::nullopt;
  }

 private:
  // Options and starting points, up to the first word that begins the expression.
  Problem read_paths() {
    while (next_ < words_.size()) {
      const Argument& word = words_[next_];
      if (word.is_exact()) {
        if (is_among_words(word.text, kBeforePaths)) {
          ++next_;
          continue;
        }
        if (word.text.starts_with('-') || is_among_words(word.text, "! ( ) ,")) return std::nullopt;
      } else if (word.extent == Extent::spread || !word.dashless) {
        return unknown_word("find", word);
      }
      ++starts_;
      start_ = starts_ == 1 ? word.text : "";
      ++next_;
    }
    return std::nullopt;
  }

  Problem read_primary() {
    const Argument& word = words_[next_++];
    if (!word.is_exact()) return unknown_word("find", word);
    if (is_among_words(word.text, kFlags)) return std::nullopt;
    if (is_among_words(word.text, kWithValue) || is_newer_test(word.text)) return skip_value(word.text);
    if (word.text == "-exec") return read_exec();
    if (!word.text.starts_with('-')) return std::nullopt;  // a path in the wrong place: find refuses it
    if (is_among_words(word.text, "-version --version -help --help")) return std::nullopt;
    return "find " + word.text + " is not known to be harmless";
  }

  Problem skip_value(const std::string& name) {
    if (next_ == words_.size()) return "find " + name + " without its value";
    const Argument& value = words_[next_++];
    if (!value.is_one_word()) return unknown_word("find", value);
    return std::nullopt;
  }

  Problem read_exec() {
    std::vector<Argument> inner;
    bool ended = false;
    while (next_ < words_.size() && !ended) {
      const Argument& word = words_[next_++];
      if (!word.is_exact()) return unknown_word("find", word);
      if (word.text == ";") {
        ended = true;
        for (Argument& argument : inner) {
          if (argument.unknown == "{}") argument.extent = Extent::one;
        }
      } else if (word.text == "+" && !inner.empty() && inner.back().unknown == "{}" &&
                 inner.back().extent == Extent::many) {
        ended = true;
      } else {
        inner.push_back(with_path(word, start_));
      }
    }
    if (!ended || inner.empty()) return "find -exec without its end";
    Situation inside = situation_;
    inside.by_program = true;
    ++inside.depth;
    return judge_command(inner, inside);
  }

  Words words_;
  const Situation& situation_;
  std::size_t next_ = 0;
  int starts_ = 0;
  std::string start_ = ".";  // how every path begins that is found; "" if there are several ways
};

}  // namespace

Problem judge_find(Words words, const Situation& situation) { return FindReader(words, situation).read(); }

}  // namespace deft::shell
