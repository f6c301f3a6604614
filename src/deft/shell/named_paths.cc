#include "deft/shell/named_paths.h"

#include <algorithm>
#include <span>
#include <utility>

#include "deft/base/path.h"
#include "deft/base/text.h"
#include "deft/shell/known/command.h"

// A command that the tables of known/ describe is told apart by them: which word is an option's value and which is an
// operand is certain then. All others are read word by word, and in doubt a word is a path.

namespace deft::shell {
namespace {

// Their words are text, never the name of a file.
constexpr std::string_view kTextCommands =
    ": true false echo printf export declare typeset local readonly set unset shift read sleep exit return seq "
    "whoami id hostname uname pwd type hash alias unalias kill wait jobs umask ulimit break continue let expr basename "
    "dirname which tty nproc arch uptime getopts trap eval tr";
// Their first operand is a pattern or a program, unless an option gave it.
constexpr std::string_view kPatternFirst =
    "grep egrep fgrep rgrep zgrep zegrep zfgrep bzgrep xzgrep rg ag ack sed gsed awk gawk mawk nawk jq yq fd fdfind";
constexpr std::string_view kPatternOptions = "-e -f --regexp --file --expression --from-file --files --type-list";
// Of those that the tables do not describe: options that take the next word.
constexpr std::string_view kSedValues = "-e -f -l --expression --file --line-length";
constexpr std::string_view kAwkValues = "-F -f -v -i -l -e -E --assign --field-separator --file --include --load";
constexpr std::string_view kSearchValues =
    "-A -B -C -D -d -e -f -g -j -m -M -r -t -T -E --after-context --before-context --context --regexp --file "
    "--max-count "
    "--exclude --exclude-from --exclude-dir --include --glob --iglob --ignore-file --type --pre --pre-glob";
// Values that are never files, whatever they look like.
constexpr std::string_view kPatternValues =
    "-e --regexp --include --exclude --exclude-dir --glob --iglob -g --expression";
constexpr std::string_view kDelimiterOptions = "-d -t -F -s --delimiter --field-separator --separator";
constexpr std::string_view kReaders =
    "cat tac head tail less more most nl bat batcat grep egrep fgrep zgrep rg ag ack sed gsed awk gawk mawk nawk cut "
    "sort uniq wc diff cmp comm sdiff colordiff strings xxd od hexdump base64 base32 jq yq fold fmt paste join column "
    "rev expand unexpand pr tr zcat zless bzcat xzcat md5sum sha1sum sha256sum sha512sum cksum sum view cp install ln "
    "dd "
    "source .";
constexpr std::string_view kWriters =
    "tee cp mv rm rmdir mkdir touch ln install dd truncate shred chmod chown chgrp unlink patch rsync split csplit "
    "mkfifo mknod setfacl setfattr chattr sponge";
constexpr std::string_view kTreeReaders = "rg ag ack tree rsync tar zip mv scp";
constexpr std::string_view kNoFiles = "/dev/stdin /dev/stdout /dev/stderr";

bool is_option(const Argument& word) { return word.text.starts_with('-') && word.text.size() > 1; }
bool has_letter(const Argument& word, std::string_view letters) {
  return word.text.starts_with('-') && !word.text.starts_with("--") &&
         word.text.find_first_of(letters) != std::string::npos;
}
bool contains(std::string_view text, std::string_view piece) { return text.find(piece) != std::string_view::npos; }
bool has_option(const CommandUse& use, std::string_view letters, std::string_view long_options) {
  return std::ranges::any_of(use.words, [&](const Argument& word) {
    if (!is_option(word)) return false;
    if (word.text.starts_with("--")) return is_among_words(word.text.substr(0, word.text.find('=')), long_options);
    return has_letter(word, letters);
  });
}

bool reads_trees(std::string_view name, const CommandUse& use) {
  if (is_among_words(name, kTreeReaders)) return true;
  if (name == "git") return use.words.size() > 1 && use.words[1].text == "grep";
  if (name == "ls") return has_option(use, "R", "--recursive");
  if (name == "diff") return has_option(use, "r", "--recursive");
  if (!is_among_words(name, "grep egrep fgrep rgrep cp rm")) return false;
  const auto recurses = [](const Argument& word) {
    return word.text == "recurse" || word.text == "--directories=recurse" || word.text == "-drecurse";
  };
  return name == "rgrep" || std::ranges::any_of(use.words, recurses) ||
         has_option(use, "rRa", "--recursive --archive --dereference-recursive");
}

// Links that lie inside the trees lead wherever they like.
bool follows_links(std::string_view name, const CommandUse& use) {
  if (is_among_words(name, "grep egrep fgrep")) return has_option(use, "R", "--dereference-recursive");
  if (name == "rgrep") return true;
  if (is_among_words(name, "rg fd fdfind")) return has_option(use, "L", "--follow");
  if (is_among_words(name, "ag ack")) return has_option(use, "f", "--follow");
  if (name == "ls") return has_option(use, "R", "--recursive") && has_option(use, "L", "--dereference");
  if (name == "du") return has_option(use, "L", "--dereference");
  if (name == "tree") return has_option(use, "l", "");
  if (name == "diff") return has_option(use, "r", "--recursive") && !has_option(use, "", "--no-dereference");
  if (name == "cp" || name == "rsync") return has_option(use, "L", "--dereference --copy-links");
  return false;
}

// {print "x" > "file"}
bool awk_writes(std::string_view program) {
  for (std::size_t at = program.find("print"); at != std::string_view::npos; at = program.find("print", at + 1)) {
    const std::string_view statement = program.substr(at, program.find_first_of(";}\n", at) - at);
    if (contains(statement, ">")) return true;
  }
  return false;
}

// Programs of sed, awk, jq and yq may open files themselves.
bool may_name_files(std::string_view name, const Argument& program) {
  if (is_among_words(name, "sed gsed")) return !program.is_exact() || sed_script_names_files(program.text);
  if (is_among_words(name, "jq yq")) {
    return program.is_exact() &&
           (contains(program.text, "import") || contains(program.text, "include") || contains(program.text, "load"));
  }
  if (!is_among_words(name, "awk gawk mawk nawk")) return false;
  return !program.is_exact() || contains(program.text, "getline") || contains(program.text, "ARGV") ||
         program.text.find_first_of("@|") != std::string::npos || awk_writes(program.text);
}

std::string_view value_options(std::string_view name) {
  if (is_among_words(name, "sed gsed")) return kSedValues;
  if (is_among_words(name, "awk gawk mawk nawk")) return kAwkValues;
  return is_among_words(name, kPatternFirst) ? kSearchValues : std::string_view();
}

class Collector {
 public:
  explicit Collector(const CommandUse& use) : use_(use) {}

  void as(bool written, bool tree, bool links) { written_ = written, tree_ = tree, links_ = links; }

  void add_word(const Argument& word) {
    if (!word.is_exact()) return add_unknown(word);
    add_text(word.text, word.source);
    const std::size_t equals = word.text.find('=');
    if (equals != std::string::npos) add_text(word.text.substr(equals + 1), word.source);
  }

  // A value glued to its option: --file=x, -fx.
  void add_option(const Argument& word) {
    if (!word.is_exact()) return add_unknown(word);
    const std::string& text = word.text;
    const std::size_t equals = text.find('=');
    if (equals != std::string::npos) {
      if (!is_among_words(text.substr(0, equals), kPatternValues)) add_text(text.substr(equals + 1), word.source);
    } else if (!text.starts_with("--") && text.size() > 2) {
      if (text.size() == 3 && is_among_words(text.substr(0, 2), kDelimiterOptions)) return;  // -F/
      add_text(text.substr(2), word.source);                                                 // -f.env
      const std::size_t slash = text.find_first_of("/~.", 2);
      if (slash != std::string::npos && slash > 2) add_text(text.substr(slash), word.source);
    }
  }

  void add_text(std::string text, const std::string& source) {
    if (text.starts_with('@')) text.erase(0, 1);  // curl -d @file
    if (text.starts_with("file://")) text.erase(0, 7);
    if (text.empty() || contains(text, "://") || is_among_words(text, kNoFiles)) return;
    const bool is_absolute = text[0] == '/';
    if (!is_absolute && !use_.directory_known) return add_nameless(source);
    // A path that leaves by ".." leaves the folder that a link led to: by text alone that is not known, so the text
    // with its dots is what will be resolved; normal_path is what the words say.
    const auto add_in = [&](std::string_view directory) {
      NamedPath& path = put(source);
      path.path = is_absolute ? text : std::string(directory) + "/" + text;
      path.is_tree = tree_;
      path.follows_links = links_;
    };
    if (is_absolute) return add_in("");
    for (const std::string& directory : use_.directories) add_in(directory);
  }

  void add_unknown(const Argument& word) {
    const bool is_pipe = word.text.starts_with("/dev/fd/") && word.is_one_word();  // <(…)
    if (word.is_integer || (is_pipe && !written_)) return;
    const bool is_glob = word.unknown == "*" || word.unknown == "?" || word.unknown == "[";
    const bool is_in_folder = is_glob && word.extent == Extent::many && (word.rootless || word.text.starts_with('/')) &&
                              use_.directory_known && !contains(word.source, "..");
    if (!is_in_folder) return add_nameless(word.source);
    const std::string folder = word.text.substr(0, word.text.rfind('/') + 1);
    for (const std::string& directory : use_.directories) {
      NamedPath& path = put(word.source);
      path.is_known = false;
      path.is_pattern = true;
      path.path = absolute_path(folder, directory);
      if (!word.glob.empty()) path.glob = word.glob.starts_with('/') ? word.glob : directory + "/" + word.glob;
      path.is_tree = tree_;
      path.follows_links = links_;
    }
  }

  // Something that only the world knows.
  void add_nameless(const std::string& source) { put(source).is_known = false; }

  std::vector<NamedPath> take() { return std::move(paths_); }

 private:
  NamedPath& put(const std::string& source) {
    NamedPath& path = paths_.emplace_back();
    path.source = source;
    path.is_written = written_;
    return path;
  }

  const CommandUse& use_;
  std::vector<NamedPath> paths_;
  bool written_ = false;
  bool tree_ = false;
  bool links_ = false;
};

// The words of one command, once it is clear that it has paths.
class WordReader {
 public:
  WordReader(const CommandUse& use, Collector& out)
      : words_(std::span(use.words).subspan(1)), name_(command_name(use.words[0].text)), out_(out) {
    is_program_next_ = is_among_words(name_, kPatternFirst);
    if (const auto invocation = read_invocation(use.words)) {
      read(*invocation);
    } else {
      read_words();
    }
  }

  bool has_operand() const { return has_operand_; }

 private:
  void read(const Invocation& invocation) {
    const auto gives_program = [](const GivenOption& option) { return is_among_words(option.name, kPatternOptions); };
    if (std::ranges::any_of(invocation.options, gives_program)) is_program_next_ = false;
    for (const GivenOption& option : invocation.options) {
      if (option.value) take_value(option.name, *option.value, option.value_text, option.value_exact);
      if (lists_files(option.name)) out_.add_nameless(option.name);
    }
    for (const Argument* operand : invocation.operands) take_operand(*operand);
    for (const Argument& word : words_) {  // an option that may be any
      if (is_option(word) && !word.is_exact()) out_.add_nameless(word.source);
    }
  }

  // Without a table: which words belong to options is known for few.
  void read_words() {
    const auto gives_program = [](const Argument& word) {
      if (!word.is_exact() || !is_option(word)) return false;
      if (word.text.starts_with("--")) {  // it may be cut: --reg=x
        return word.text.size() > 2 &&
               contains(" " + std::string(kPatternOptions), " " + word.text.substr(0, word.text.find('=')));
      }
      return has_letter(word, "ef");
    };
    if (std::ranges::any_of(words_, gives_program)) is_program_next_ = false;
    bool only_operands = false;
    for (std::size_t i = 0; i < words_.size(); ++i) {
      const Argument& word = words_[i];
      if (only_operands || !is_option(word)) {
        take_operand(word);
      } else if (word.is_exact() && word.text == "--") {
        only_operands = true;
      } else {
        out_.add_option(word);
        if (is_program_glued(word)) out_.add_nameless(word.source);
        if (lists_files(word.text.substr(0, word.text.find('=')))) out_.add_nameless(word.source);
        const std::string letter = std::string("-") + word.text.back();
        const std::string option = word.text.starts_with("--") ? word.text : letter;
        if (!is_among_words(option, value_options(name_)) || i + 1 == words_.size()) continue;
        ++i;
        take_value(option, words_[i], words_[i].text, words_[i].is_exact());
      }
    }
  }

  // --expression=CODE, -eCODE
  bool is_program_glued(const Argument& word) const {
    if (!is_among_words(name_, "sed gsed awk gawk mawk nawk")) return false;
    const std::size_t equals = word.text.find('=');
    const bool is_long = word.text.starts_with("--");
    if (is_long &&
        (equals == std::string::npos || !std::string_view("--expression").starts_with(word.text.substr(0, equals))))
      return false;
    const std::size_t letter = word.text.find('e', 1);
    if (!is_long && (letter == std::string::npos || letter + 1 == word.text.size())) return false;
    Argument program = word;
    program.text = word.text.substr((is_long ? equals : letter) + 1);
    return may_name_files(name_, program);
  }

  bool lists_files(std::string_view option) const {
    if (contains(option, "files0-from") || contains(option, "files-from")) return true;
    return name_.ends_with("sum") && (option == "-c" || option == "--check");
  }

  void take_value(std::string_view option, const Argument& word, const std::string& text, bool is_exact) {
    const bool is_program = is_among_words(option, "-e --expression") && is_among_words(name_, kPatternFirst);
    Argument value = word;
    value.text = text;
    if (is_exact) value.extent = Extent::exact;
    if (is_program && may_name_files(name_, value)) out_.add_nameless(word.source);
    if (is_program || is_among_words(option, kPatternValues)) return;
    if (is_exact && text.size() < 2 && is_among_words(option, kDelimiterOptions)) return;
    const bool may_be_file = is_among_words(option, kPatternOptions) && is_among_words(name_, kPatternFirst);
    if (is_exact && word.is_integer && !may_be_file) return;
    out_.add_word(value);
  }

  void take_operand(const Argument& word) {
    if (std::exchange(is_program_next_, false)) {
      if (may_name_files(name_, word)) out_.add_nameless(word.source);
      return;
    }
    has_operand_ = true;
    out_.add_word(word);
    if (name_ == "git" && word.is_exact() && contains(word.text, ":")) {
      out_.add_text(word.text.substr(word.text.find(':') + 1), word.source);  // HEAD:file
    }
  }

  std::span<const Argument> words_;
  std::string_view name_;
  Collector& out_;
  bool is_program_next_ = false;
  bool has_operand_ = false;
};

void add_operands_of_find(const CommandUse& use, Collector& out) {
  const auto is_follow = [](const Argument& word) { return word.text == "-L" || word.text == "-follow"; };
  const bool links = std::ranges::any_of(use.words, is_follow);
  const bool deletes = std::ranges::any_of(use.words, [](const Argument& word) { return word.text == "-delete"; });
  std::size_t i = 1;
  const auto is_start = [](const Argument& word) {
    return !word.is_exact() || !(word.text.starts_with('-') || word.text == "(" || word.text == "!");
  };
  while (i < use.words.size() && is_among_words(use.words[i].text, "-H -L -P")) ++i;
  out.as(deletes, links || deletes, links);
  const std::size_t first = i;
  for (; i < use.words.size() && is_start(use.words[i]); ++i) out.add_word(use.words[i]);
  if (i == first) out.add_text(".", ".");
  for (; i + 1 < use.words.size(); ++i) {
    const std::string& test = use.words[i].text;
    const bool writes = test.starts_with("-fprint") || test == "-fls";
    out.as(writes, false, false);
    if (test == "-files0-from") out.add_nameless(test);
    if (writes || (test.starts_with("-newer") && !test.ends_with('t')) || test == "-samefile" ||
        test == "-files0-from") {
      out.add_word(use.words[i + 1]);
    }
  }
}

void add_words(const CommandUse& use, Collector& out) {
  if (use.words.empty() || !use.words[0].is_exact()) return;
  const std::string_view name = command_name(use.words[0].text);
  if (name == "find" || name == "gfind") return add_operands_of_find(use, out);
  if (is_among_words(name, kTextCommands)) return;
  const bool tree = reads_trees(name, use);
  const bool links = follows_links(name, use);
  out.as(changes_files(use), tree, links);
  if (is_among_words(name, "xargs gxargs parallel")) out.add_nameless("its input");
  const WordReader reader(use, out);
  out.as(false, tree, links);
  if ((tree || links) && !reader.has_operand()) out.add_text(".", ".");
}

}  // namespace

std::string_view command_name(std::string_view word) {
  const std::size_t slash = word.rfind('/');
  return slash == std::string_view::npos ? word : word.substr(slash + 1);
}

bool shows_files(std::string_view command) { return is_among_words(command_name(command), kReaders); }

bool changes_files(const CommandUse& use) {
  if (use.words.empty() || !use.words[0].is_exact()) return false;
  const std::string_view name = command_name(use.words[0].text);
  if (is_among_words(name, kWriters)) return true;
  if (!is_among_words(name, "sed gsed perl ruby")) return false;
  return std::ranges::any_of(use.words, [](const Argument& word) {
    return has_letter(word, "i") || word.text.starts_with("--in-place") || (!word.is_exact() && !word.dashless);
  });
}

std::vector<NamedPath> written_targets(const CommandUse& use) {
  Collector out(use);
  out.as(/*written=*/true, false, false);
  for (const RedirectionUse& redirection : use.redirections) {
    const bool writes = redirection.access == Access::write || redirection.access == Access::append ||
                        redirection.access == Access::read_write;
    const Argument& target = redirection.target;
    if (!writes || (target.is_exact() && target.text == "/dev/null")) continue;
    if (!target.is_exact()) {
      out.add_unknown(target);
    } else if (target.text.empty()) {
      out.add_nameless(target.source);
    } else {
      out.add_text(target.text, target.source);
    }
  }
  return out.take();
}

std::vector<NamedPath> named_paths(const CommandUse& use) {
  std::vector<NamedPath> paths = written_targets(use);
  Collector out(use);
  for (const RedirectionUse& redirection : use.redirections) {
    if (redirection.access == Access::read) out.add_word(redirection.target);
  }
  add_words(use, out);
  for (NamedPath& path : out.take()) paths.push_back(std::move(path));
  return paths;
}

std::optional<std::vector<std::string>> touched_paths(const Commands& commands) {
  for (const Note& note : commands.notes) {
    if (note.kind != NoteKind::background) return std::nullopt;
  }
  std::vector<std::string> touched;
  for (const CommandUse& use : commands.commands) {
    if (!use.words.empty() && !use.words[0].is_exact()) return std::nullopt;
    for (const NamedPath& path : named_paths(use)) {
      if ((!path.is_known && !path.is_pattern) || path.follows_links) return std::nullopt;
      std::string normal = normal_path(path.path);
      if (normal == "/dev/null") continue;
      if (std::ranges::find(touched, normal) == touched.end()) touched.push_back(std::move(normal));
    }
  }
  return touched;
}

}  // namespace deft::shell
