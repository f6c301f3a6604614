#include "deft/core/command_paths.h"

#include <algorithm>

#include "deft/base/path.h"
#include "deft/base/text.h"
#include "deft/core/shell_line.h"
#include "deft/shell/paths.h"

namespace deft {
namespace {

using shell::Argument;
using shell::CommandUse;

constexpr std::string_view kTextCommands =
    ": true false echo printf export declare typeset local readonly set unset shift read sleep exit return seq date "
    "whoami id hostname uname pwd type hash alias unalias kill wait jobs umask ulimit break continue let expr basename "
    "dirname which tty nproc arch uptime getopts trap eval";
constexpr std::string_view kPatternFirst = "grep egrep fgrep zgrep rg ag ack sed gsed awk gawk mawk nawk jq yq";
constexpr std::string_view kReaders =
    "cat tac head tail less more most nl bat batcat grep egrep fgrep zgrep rg ag ack sed gsed awk gawk mawk nawk cut "
    "sort uniq wc diff cmp comm sdiff colordiff strings xxd od hexdump base64 base32 jq yq fold fmt paste join column "
    "rev "
    "expand unexpand pr tr zcat zless bzcat xzcat md5sum sha1sum sha256sum sha512sum cksum sum view cp install ln dd";
constexpr std::string_view kWriters =
    "tee cp mv rm rmdir mkdir touch ln install dd truncate shred chmod chown chgrp unlink patch rsync split csplit "
    "mkfifo "
    "mknod setfacl setfattr chattr sponge";
constexpr std::string_view kTreeReaders = "rg ag ack tree rsync tar zip";

bool is_option(const Argument& word) { return word.text.starts_with('-') && word.text.size() > 1; }
bool has_letter(const Argument& word, std::string_view letters) {
  return word.text.starts_with('-') && !word.text.starts_with("--") &&
         word.text.find_first_of(letters) != std::string::npos;
}

bool reads_trees(std::string_view name, const CommandUse& use) {
  if (is_among_words(name, kTreeReaders)) return true;
  const std::string_view letters = is_among_words(name, "grep egrep fgrep cp rm") ? "rRa" : name == "ls" ? "R" : "";
  if (name == "git") return use.words.size() > 1 && use.words[1].text == "grep";
  if (letters.empty() && name != "diff") return false;
  return std::ranges::any_of(use.words, [&](const Argument& word) {
    return has_letter(word, name == "diff" ? "r" : letters) || word.text == "--recursive" || word.text == "--archive" ||
           word.text == "recurse" || word.text == "--directories=recurse" || word.text == "--dereference-recursive";
  });
}

class Collector {
 public:
  explicit Collector(const CommandUse& use) : use_(use) {}

  void add_word(const Argument& word, bool written, bool tree) {
    if (!word.is_exact()) return add_unknown(word, written);
    add_text(word.text, word.source, written, tree);
    const std::size_t equals = word.text.find('=');
    if (equals != std::string::npos) add_text(word.text.substr(equals + 1), word.source, written, tree);
  }

  void add_option(const Argument& word, bool written) {
    if (!word.is_exact()) return add_unknown(word, written);
    const std::string& text = word.text;
    const std::size_t equals = text.find('=');
    if (equals != std::string::npos) {
      add_text(text.substr(equals + 1), word.source, written, false);
    } else if (!text.starts_with("--") && text.size() > 2) {
      add_text(text.substr(2), word.source, written, false);  // -f.env
      const std::size_t slash = text.find_first_of("/~.", 2);
      if (slash != std::string::npos && slash > 2) add_text(text.substr(slash), word.source, written, false);
    }
  }

  void add_text(std::string text, const std::string& source, bool written, bool tree) {
    if (text.starts_with('@')) text.erase(0, 1);  // curl -d @file
    if (text.starts_with("file://")) text.erase(0, 7);
    if (text.empty() || text.find("://") != std::string::npos) return;
    const bool is_absolute = text[0] == '/';
    if (!is_absolute && !use_.directory_known) {
      NamedPath path{.path = {}, .source = source, .is_known = false};
      path.is_written = written;
      paths_.push_back(std::move(path));
      return;
    }
    // A path that leaves by ".." leaves the folder that a link led to: by text alone that is not known, so the text
    // with its dots is what will be resolved; normal_path is what the words say.
    const auto add_in = [&](std::string_view directory) {
      NamedPath path{.path = is_absolute ? text : std::string(directory) + "/" + text, .source = source};
      path.is_written = written;
      path.is_tree = tree;
      paths_.push_back(std::move(path));
    };
    if (is_absolute) return add_in("");
    for (const std::string& directory : use_.directories) add_in(directory);
  }

  void add_unknown(const Argument& word, bool written) {
    if (word.is_integer) return;
    NamedPath path{.path = {}, .source = word.source, .is_known = false};
    path.is_written = written;
    const bool is_glob = word.unknown == "*" || word.unknown == "?" || word.unknown == "[";
    if (is_glob && word.extent == shell::Extent::many && (word.rootless || word.text.starts_with('/')) &&
        use_.directory_known && word.source.find("..") == std::string::npos) {
      const std::string folder = word.text.substr(0, word.text.rfind('/') + 1);
      path.is_pattern = true;
      for (const std::string& directory : use_.directories) {
        path.path = absolute_path(folder, directory);
        paths_.push_back(path);
      }
      return;
    }
    paths_.push_back(std::move(path));
  }

  std::vector<NamedPath> take() { return std::move(paths_); }

 private:
  const CommandUse& use_;
  std::vector<NamedPath> paths_;
};

// Whether the first operand is a pattern and no path. In doubt it is both.
bool begins_with_pattern(const CommandUse& use) {
  for (std::size_t i = 1; i < use.words.size(); ++i) {
    const Argument& word = use.words[i];
    if (!word.is_exact()) return true;
    if (!is_option(word)) continue;
    if (has_letter(word, "ef") || word.text.starts_with("--regexp") || word.text.starts_with("--expression") ||
        word.text.starts_with("--file") || word.text.starts_with("--from-file")) {
      return false;
    }
  }
  return true;
}

void add_operands_of_find(const CommandUse& use, Collector& out) {
  std::size_t i = 1;
  const auto is_start = [](const Argument& word) {
    return !word.is_exact() || !(word.text.starts_with('-') || word.text == "(" || word.text == "!");
  };
  while (i < use.words.size() && is_among_words(use.words[i].text, "-H -L -P")) ++i;
  for (; i < use.words.size() && is_start(use.words[i]); ++i) out.add_word(use.words[i], false, false);
  for (; i + 1 < use.words.size(); ++i) {
    const std::string& test = use.words[i].text;
    const bool writes = test.starts_with("-fprint") || test == "-fls";
    if (writes || test.starts_with("-newer") || test == "-samefile" || test == "-files0-from") {
      out.add_word(use.words[i + 1], writes, false);
    }
  }
}

}  // namespace

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
  for (const auto& redirection : use.redirections) {
    const bool writes = redirection.access == shell::Access::write || redirection.access == shell::Access::append ||
                        redirection.access == shell::Access::read_write;
    if (!writes || (redirection.target.is_exact() && redirection.target.text == "/dev/null")) continue;
    if (redirection.target.is_exact() && redirection.target.text.empty()) {
      Argument nothing = redirection.target;
      nothing.extent = shell::Extent::one;
      out.add_unknown(nothing, true);
    } else if (redirection.target.is_exact()) {
      out.add_text(redirection.target.text, redirection.target.source, true, false);
    } else {
      out.add_unknown(redirection.target, true);
    }
  }
  return out.take();
}

std::vector<NamedPath> named_paths(const CommandUse& use) {
  Collector out(use);
  for (const auto& redirection : use.redirections) {
    if (redirection.access == shell::Access::read) out.add_word(redirection.target, false, false);
  }
  std::vector<NamedPath> paths = written_targets(use);
  if (!use.words.empty() && use.words[0].is_exact()) {
    const std::string_view name = command_name(use.words[0].text);
    const bool written = changes_files(use);
    const bool tree = reads_trees(name, use);
    if (name == "find" || name == "gfind") {
      add_operands_of_find(use, out);
    } else if (!is_among_words(name, kTextCommands)) {
      bool skip_one = is_among_words(name, kPatternFirst) && begins_with_pattern(use);
      bool only_operands = false;
      bool has_operand = false;
      for (std::size_t i = 1; i < use.words.size(); ++i) {
        const Argument& word = use.words[i];
        if (!only_operands && word.is_exact() && word.text == "--") {
          only_operands = true;
        } else if (!only_operands && is_option(word)) {
          out.add_option(word, written);
        } else if (skip_one) {
          skip_one = false;
        } else {
          has_operand = true;
          out.add_word(word, written, tree);
          if (name == "git" && word.is_exact() && word.text.find(':') != std::string::npos) {
            out.add_text(word.text.substr(word.text.find(':') + 1), word.source, false, false);  // HEAD:file
          }
        }
      }
      if (tree && !has_operand) out.add_text(".", ".", false, true);
    }
  }
  for (NamedPath& path : out.take()) paths.push_back(std::move(path));
  return paths;
}

}  // namespace deft
