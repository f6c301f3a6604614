#include <algorithm>

#include "deft/shell/known/command.h"
#include "deft/shell/parser.h"

// Which variables may be set, and to what. Programs read many; only those are let through that choose no file and no
// program.

namespace deft::shell {
namespace {

// Any plain value will do.
constexpr std::string_view kHarmlessVariables =
    "LANG LANGUAGE TZ COLUMNS LINES NO_COLOR CLICOLOR CLICOLOR_FORCE FORCE_COLOR COLORTERM TERM CI BLOCK_SIZE "
    "BLOCKSIZE "
    "TIME_STYLE LS_COLORS GREP_COLOR GREP_COLORS NODE_ENV RAILS_ENV RUST_BACKTRACE RUST_LOG DEBIAN_FRONTEND "
    "SYSTEMD_COLORS GIT_OPTIONAL_LOCKS GIT_TERMINAL_PROMPT NPM_CONFIG_COLOR PYTHONUNBUFFERED PYTHONDONTWRITEBYTECODE";
// Pagers are not started without a terminal, and cat is harmless with one.
constexpr std::string_view kPagers = "PAGER GIT_PAGER MANPAGER SYSTEMD_PAGER BAT_PAGER";

// Names that scripts use for their own purposes and that no program or shell looks at.
constexpr std::string_view kOwnNames =
    "_ A B C D F I J K L N P Q R S T V W X Y Z ARG ARGS BASE BASE_DIR BRANCH COMMIT COUNT CUR CURRENT D1 D2 DATA DATE "
    "DEST "
    "DIR DIRS END EXT F1 F2 FILE FILES FILENAME FOO BAR BAZ FOUND HASH HEAD_SHA I J ID IDX INDEX ITEM KEY KEYWORD LAST "
    "LINE "
    "LINE_NUM "
    "LIMIT LIST LOG LOGFILE LOG_FILE MATCH MAX MERGE_BASE MIN MSG NAME NUM OFFSET OUT OUTPUT P1 P2 PAT PATTERN PID PKG "
    "PORT "
    "PREFIX PREV PROJECT PROJECT_DIR REF REMOTE REPO REPO_DIR REPO_ROOT RESULT REV ROOT ROOT_DIR SEARCH SHA SIZE SRC "
    "SRC_DIR START STATUS STR SUFFIX TAG TARGET TEXT TODAY TOTAL TYPE URL VAL VALUE VAR VERSION WORD";

// LOG_DIR, BASE_BRANCH: made of such names. What programs obey has the program's name in it, or a word that is not
// here.
bool is_own_name(std::string_view name) {
  constexpr std::string_view kMoreParts = "PATH TEST TESTS BUILD OLD NEW MAIN CONFIG LOGS HEAD APP LIB LOCAL FIRST";
  if (is_among_words(name, kOwnNames)) return true;
  int parts = 0;
  for (std::size_t start = 0; start <= name.size(); ++parts) {
    const std::size_t end = std::min(name.find('_', start), name.size());
    const std::string_view part = name.substr(start, end - start);
    if (part.size() < 2 || (!is_among_words(part, kOwnNames) && !is_among_words(part, kMoreParts))) return false;
    start = end + 1;
  }
  return parts > 1;
}

bool is_plain_value(std::string_view text) {
  return std::ranges::all_of(
      text, [](char c) { return is_name_char(c) || std::string_view(".,:;=@+-*").find(c) != std::string_view::npos; });
}

}  // namespace

Problem judge_environment(const std::string& name, const Argument& value) {
  if (value.is_exact()) {
    const bool is_locale = name.starts_with("LC_");
    // A time zone may have a "/" inside, as in Europe/Berlin, but neither begin with one nor with a colon.
    std::string text = value.text;
    if (name == "TZ" && !text.starts_with('/') && !text.starts_with(':') && text.find("..") == std::string::npos) {
      std::ranges::replace(text, '/', '_');
    }
    if ((is_locale || is_among_words(name, kHarmlessVariables)) && is_plain_value(text)) return std::nullopt;
    if (is_among_words(name, kPagers) && (text.empty() || text == "cat")) return std::nullopt;
  }
  return "sets " + name + ", which programs may obey";
}

Problem judge_shell_variable(const std::string& name) {
  if (is_own_name(name)) return std::nullopt;
  // Small letters are the script's own, but for the few that programs and bash look at.
  const bool is_own = std::ranges::any_of(name, [](char c) { return c >= 'a' && c <= 'z'; });
  const bool is_watched = name.ends_with("_proxy") || name.starts_with("npm_") || name.starts_with("BASH") ||
                          name.starts_with("LD_") || name.starts_with("GIT_") ||
                          is_among_words(name, "auto_resume histchars");
  if (is_own && !is_watched) return std::nullopt;
  return "sets " + name + ", which programs or the shell may obey";
}

}  // namespace deft::shell
