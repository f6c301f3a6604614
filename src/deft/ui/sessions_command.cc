#include "deft/ui/sessions_command.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdio>
#include <ctime>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "deft/agent/journal.h"
#include "deft/agent/session.h"
#include "deft/agent/session_index.h"
#include "deft/agent/sweep_sessions.h"
#include "deft/agent/transcript.h"
#include "deft/base/secret_mask.h"
#include "deft/base/text.h"
#include "deft/base/utf8.h"
#include "deft/base/visible_text.h"
#include "deft/os/secrecy.h"
#include "deft/ui/input_line.h"
#include "deft/ui/meant_word.h"
#include "deft/ui/safe_display.h"
#include "deft/ui/session_argument.h"

namespace deft {
namespace {

constexpr const char* kHelp = R"(Sessions: what was said and done, kept below $XDG_STATE_HOME/deft/sessions.

Usage: deft sessions list [--all] [--limit N] [--json]     of this directory, or all; the last one first
       deft sessions show [SESSION] [--json]               what was said and done
       deft sessions export [SESSION] [--json]             the conversation, as Markdown or as the API has it
       deft sessions search WORDS… [--all] [--json]        sessions in which all of these words were said
       deft sessions remove SESSION… [--yes]
       deft sessions remove --older-than DAYS [--yes]

SESSION is an id, the beginning of one, a title or a folder; without it the last one of this directory is meant. Keys
and passwords that look like it, or that the environment holds, are shown as ****.

Examples:
  deft sessions list
  deft sessions show 3f2a
  deft sessions search "connection reset" --all
  deft sessions export --json > conversation.json
  deft -p --resume 3f2a "Where were we?"

Exit code: 0; 1 if search finds nothing or a session cannot be removed; 2 unusable arguments, or there is no such session.
)";

constexpr std::size_t kListedDefault = 50;
constexpr std::size_t kShownLineCharacters = 160;
constexpr std::size_t kResultLinesInMarkdown = 40;
constexpr const char* kWentBackTo = "What was said since counts no longer: the session goes on after";
constexpr const char* kCleared = "What was said before is forgotten";
constexpr std::int64_t kMillisecondsPerDay = 86'400'000;

struct Options {
  std::vector<std::string> words;
  bool all = false;
  bool json = false;
  bool yes = false;
  std::size_t limit = kListedDefault;
  std::optional<std::int64_t> older_than_days;
};

int complain(std::string_view message) {
  std::fprintf(stderr, "deft sessions: %s\n", safe_display(message).c_str());
  return 2;
}

Result<std::int64_t> parse_count(std::string_view option, std::string_view text) {
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error == std::errc() && end == text.data() + text.size() && number >= 0 && number < 1'000'000) return number;
  return fail(Errc::invalid_input, std::string(option) + " needs a number, not " + json_quote(text));
}

Result<Options> parse(int argc, const char* const* argv) {
  Options options;
  for (int i = 2; i < argc; ++i) {
    const std::string_view word = argv[i];
    if (word == "--all") {
      options.all = true;
    } else if (word == "--json") {
      options.json = true;
    } else if (word == "--yes" || word == "-y") {
      options.yes = true;
    } else if ((word == "--limit" || word == "--older-than") && i + 1 < argc) {
      const auto number = parse_count(word, argv[++i]);
      if (!number) return std::unexpected(number.error());
      if (word == "--limit") options.limit = static_cast<std::size_t>(*number);
      if (word == "--older-than") options.older_than_days = *number;
    } else if (word.starts_with('-')) {
      return fail(Errc::invalid_input, "unknown option " + std::string(word) + "; see deft sessions --help");
    } else {
      options.words.emplace_back(word);
    }
  }
  return options;
}

std::string time_text(std::int64_t milliseconds) {
  const std::time_t seconds = milliseconds / 1000;
  std::tm parts{};
  std::array<char, 32> text{};
  if (!::localtime_r(&seconds, &parts)) return "";
  std::strftime(text.data(), text.size(), "%Y-%m-%d %H:%M", &parts);
  return text.data();
}

// People show these to others.
const SecretMask& mask() {
  static const SecretMask known(secrets_of_environment());
  return known;
}

std::string masked(std::string_view text) { return mask().masked_values(text); }

std::string shown(std::string_view text) { return safe_display(one_line(masked(text), kShownLineCharacters)); }

// A terminal would obey what is in it, now or when somebody looks at the file. As JSON every byte is there.
std::string printed(std::string_view text) {
  static const bool is_terminal = ::isatty(STDOUT_FILENO) != 0;
  return is_terminal ? safe_display(masked(text), LineEnds::kept) : visible_text(masked(text));
}

void print_json(const JsonObject& json) { std::puts(to_json(mask().masked_json_values(Json(json))).c_str()); }

// As it is, every digit of it, unless there is a secret in it.
std::string masked_content(const std::string& content) {
  const auto blocks = parse_json(content);
  if (!blocks) return content;
  const Json without = mask().masked_json_values(*blocks);
  return without == *blocks ? content : to_json(without);
}

void print_summary(const SessionSummary& session, bool with_directory) {
  const std::string& about = session.title.empty() ? session.prompt : session.title;
  std::printf("%s  %s  %3lld %s  %s%s%s\n", session.place.id.substr(0, 8).c_str(),
              time_text(session.changed_ms).c_str(), static_cast<long long>(session.turns),
              session.turns == 1 ? "turn " : "turns", with_directory ? safe_display(session.directory).c_str() : "",
              with_directory ? "  " : "", shown(about).c_str());
}

SessionIndex::Query query_of(const Options& options) {
  SessionIndex::Query query{.limit = options.limit};
  if (!options.all) query.directory = current_directory();
  return query;
}

int run_list(const Options& options) {
  auto index = SessionIndex::open(SessionStore(SessionStore::default_folder()));
  if (!index) return complain(index.error().message);
  const auto sessions = index->list(query_of(options));
  if (!sessions) return complain(sessions.error().message);
  for (const SessionSummary& session : *sessions) {
    if (options.json) {
      print_json(summary_json(session));
    } else {
      print_summary(session, options.all);
    }
  }
  if (sessions->empty() && !options.json) {
    std::puts(options.all ? "There are no sessions yet."
                          : "This directory has no sessions yet; --all lists all others.");
  }
  return 0;
}

int run_search(const Options& options) {
  if (options.words.empty()) return complain("which words? See deft sessions --help");
  auto index = SessionIndex::open(SessionStore(SessionStore::default_folder()));
  if (!index) return complain(index.error().message);
  const auto hits = index->search(join(options.words, " "), query_of(options));
  if (!hits) return complain(hits.error().message);
  for (const SessionIndex::Hit& hit : *hits) {
    if (options.json) {
      JsonObject json = summary_json(hit.session);
      json["excerpt"] = hit.excerpt;
      print_json(json);
      continue;
    }
    print_summary(hit.session, options.all);
    std::printf("          %s\n", safe_display(masked(hit.excerpt)).c_str());
  }
  return hits->empty() ? 1 : 0;
}

JsonObject item_json(const TranscriptItem& item) {
  JsonObject json{
      {"kind", to_string(item.kind)}, {"turn", item.turn}, {"message", item.message}, {"time_ms", item.time_ms}};
  if (!item.call_id.empty()) json["call"] = item.call_id;
  if (!item.tool.empty()) json["tool"] = item.tool;
  if (item.kind == TranscriptItem::Kind::result) json["is_error"] = item.is_error;
  json["text"] = item.text;
  return json;
}

void print_item(const TranscriptItem& item, std::size_t& turn) {
  if (item.turn != turn) std::printf("%sturn %zu\n", turn == 0 ? "" : "\n", item.turn);
  turn = item.turn;
  const std::string text = shown(item.text);
  switch (item.kind) {
    case TranscriptItem::Kind::prompt: return std::printf("  > %s\n", text.c_str()), void();
    case TranscriptItem::Kind::thinking: return;
    case TranscriptItem::Kind::compaction: return std::printf("  = %s\n", text.c_str()), void();
    case TranscriptItem::Kind::went_back: return std::printf("  < %s %s\n", kWentBackTo, text.c_str()), void();
    case TranscriptItem::Kind::cleared: return std::printf("  < %s\n", kCleared), void();
    case TranscriptItem::Kind::text: return std::printf("  message %zu  %s\n", item.message, text.c_str()), void();
    case TranscriptItem::Kind::call:
      std::printf("  message %zu  %s %s  (call %s)\n", item.message, safe_display(item.tool).c_str(), text.c_str(),
                  safe_display(item.call_id).c_str());
      return;
    case TranscriptItem::Kind::result:
      std::printf("    %s %s  %s\n", item.is_error ? "failed" : "result", safe_display(item.call_id).c_str(),
                  text.c_str());
      return;
  }
}

int run_show(const Options& options) {
  const auto place = session_argument(options.words.empty() ? "" : options.words[0]);
  if (!place) return complain(place.error().message);
  const auto summary = summarise_session(*place);
  if (!summary) return complain(summary.error().message);
  if (options.json) {
    print_json(summary_json(*summary));
  } else {
    std::printf("%s\n%s\n%s to %s, %lld turns, %lld messages, %lld tokens\n\n", place->id.c_str(),
                safe_display(summary->directory).c_str(), time_text(summary->began_ms).c_str(),
                time_text(summary->changed_ms).c_str(), static_cast<long long>(summary->turns),
                static_cast<long long>(summary->messages), static_cast<long long>(summary->tokens));
  }
  std::size_t turn = 0;
  const auto told = read_transcript(place->journal(), [&](const TranscriptItem& item) {
    if (options.json) return print_json(item_json(item));
    print_item(item, turn);
  });
  return told ? 0 : complain(told.error().message);
}

// Between more backticks than there are in it.
std::string fenced(std::string_view text, std::string_view language) {
  std::string fence = "```";
  while (text.find(fence) != std::string_view::npos) fence += '`';
  return fence + std::string(language) + "\n" + std::string(text) + (text.ends_with('\n') ? "" : "\n") + fence + "\n";
}

std::string first_lines(std::string_view text, std::size_t lines_max) {
  std::size_t end = 0;
  for (std::size_t line = 0; line < lines_max; ++line) {
    const std::size_t next = text.find('\n', end);
    if (next == std::string_view::npos) return std::string(text);
    end = next + 1;
  }
  return std::string(text.substr(0, end)) + "…\n";
}

int export_markdown(const SessionPlace& place) {
  const auto summary = summarise_session(place);
  if (!summary) return complain(summary.error().message);
  std::printf("# %s\n\n%s, %s\n", printed(summary->title.empty() ? summary->prompt : summary->title).c_str(),
              printed(summary->directory).c_str(), time_text(summary->began_ms).c_str());
  const auto told = read_transcript(place.journal(), [&](const TranscriptItem& item) {
    switch (item.kind) {
      case TranscriptItem::Kind::prompt: return std::printf("\n## User\n\n%s\n", printed(item.text).c_str()), void();
      case TranscriptItem::Kind::thinking: return;
      case TranscriptItem::Kind::text: return std::printf("\n%s\n", printed(item.text).c_str()), void();
      case TranscriptItem::Kind::compaction:
        return std::printf("\n## Compacted\n\n%s\n", printed(item.text).c_str()), void();
      case TranscriptItem::Kind::went_back:
        return std::printf("\n## Went back\n\n%s %s.\n", kWentBackTo, printed(item.text).c_str()), void();
      case TranscriptItem::Kind::cleared: return std::printf("\n## Cleared\n\n%s.\n", kCleared), void();
      case TranscriptItem::Kind::call:
        return std::printf("\n**%s**\n\n%s", printed(item.tool).c_str(), fenced(printed(item.text), "json").c_str()),
               void();
      case TranscriptItem::Kind::result:
        std::printf("\n%s\n\n%s", item.is_error ? "Failed:" : "Result:",
                    fenced(first_lines(printed(item.text), kResultLinesInMarkdown), "").c_str());
        return;
    }
  });
  return told ? 0 : complain(told.error().message);
}

int export_json(const SessionPlace& place) {
  const auto session = Session::load(place.journal());
  if (!session) return complain(session.error().message);
  const auto summary = summarise_session(place);
  if (!summary) return complain(summary.error().message);
  // Contents are texts that are JSON already: every digit stays as it is.
  std::string out =
      "{\"session\":" + to_json(mask().masked_json_values(Json(summary_json(*summary)))) + ",\"messages\":[";
  bool is_first = true;
  for (const HistoryMessage& message : session->history) {
    if (!std::exchange(is_first, false)) out += ",";
    out += std::string("\n{\"role\":\"") + (message.role == Role::user ? "user" : "assistant") +
           "\",\"content\":" + masked_content(message.content) + "}";
  }
  std::puts((out + "\n]}").c_str());
  return 0;
}

int run_export(const Options& options) {
  const auto place = session_argument(options.words.empty() ? "" : options.words[0]);
  if (!place) return complain(place.error().message);
  return options.json ? export_json(*place) : export_markdown(*place);
}

Result<std::vector<SessionPlace>> places_to_remove(const Options& options) {
  std::vector<SessionPlace> places;
  const SessionStore store(SessionStore::default_folder());
  for (const std::string& word : options.words) {
    auto place = find_session(store, word);
    if (!place) return std::unexpected(place.error());
    places.push_back(std::move(*place));
  }
  if (!options.older_than_days) return places;
  const auto entries = store.list();
  if (!entries) return std::unexpected(entries.error());
  const auto now = std::chrono::duration_cast<std::chrono::milliseconds>(SystemClock().wall_time().time_since_epoch());
  for (const SessionStore::Entry& entry : *entries) {
    const std::int64_t age_ms = now.count() - entry.used_ns / 1'000'000;
    if (age_ms >= *options.older_than_days * kMillisecondsPerDay) places.push_back(entry.place);
  }
  return places;
}

int run_remove(const Options& options) {
  if (options.words.empty() && !options.older_than_days) return complain("which session? See deft sessions --help");
  remove_unfinished(SessionStore::default_folder());
  const auto places = places_to_remove(options);
  if (!places) return complain(places.error().message);
  if (places->empty()) return 0;
  if (!options.yes && !confirms("sessions", "Remove " + std::to_string(places->size()) + " sessions for good?"))
    return 1;
  const SessionStore store(SessionStore::default_folder());
  int code = 0;
  for (const SessionPlace& place : *places) {
    if (const auto removed = store.remove(place); !removed) {
      std::fprintf(stderr, "deft sessions: %s\n", safe_display(removed.error().message).c_str());
      code = 1;
    }
  }
  SessionIndex::forget_removed(store);
  return code;
}

}  // namespace

int run_sessions(int argc, const char* const* argv) {
  const std::string_view command = argc > 1 ? argv[1] : "";
  const auto asks_for_help = [](std::string_view word) { return word == "--help" || word == "-h"; };
  if (command == "help" || std::any_of(argv + std::min(argc, 1), argv + argc, asks_for_help)) {
    return std::fputs(kHelp, stdout), 0;
  }
  if (command.empty()) return std::fputs(kHelp, stderr), 2;
  const auto options = parse(argc, argv);
  if (!options) return complain(options.error().message);
  if (command == "list") return run_list(*options);
  if (command == "show") return run_show(*options);
  if (command == "export") return run_export(*options);
  if (command == "search") return run_search(*options);
  if (command == "remove") return run_remove(*options);
  return complain("unknown command " + std::string(command) +
                  meant_word(command, {"list", "show", "export", "search", "remove"}) + "; see deft sessions --help");
}

}  // namespace deft
