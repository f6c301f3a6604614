#include "deft/lsp/answers.h"

#include <algorithm>
#include <array>
#include <optional>
#include <set>
#include <tuple>
#include <utility>

#include "deft/base/stable_sort.h"
#include "deft/base/text.h"
#include "deft/base/utf8.h"
#include "deft/base/visible_text.h"
#include "deft/lsp/file_uri.h"

namespace deft::lsp {
namespace {

constexpr std::array<std::string_view, 27> kSymbolKinds = {
    "symbol",   "file",        "module",      "namespace", "package",   "class",         "method",
    "property", "field",       "constructor", "enum",      "interface", "function",      "variable",
    "constant", "string",      "number",      "boolean",   "array",     "object",        "key",
    "null",     "enum member", "struct",      "event",     "operator",  "type parameter"};
constexpr std::size_t kCallPlacesShownMax = 10;

std::string_view kind_of(const Json& symbol) {
  const auto kind = find_int(symbol, "kind").value_or(0);
  return kSymbolKinds[kind > 0 && kind < static_cast<std::int64_t>(kSymbolKinds.size()) ? static_cast<std::size_t>(kind)
                                                                                        : 0];
}

std::string text_in(const Json& object, std::string_view key) {
  return one_line(find_string(object, key).value_or(""), kSymbolCharactersMax);
}

// The start of a range; nothing if there is none.
std::optional<std::pair<std::size_t, std::size_t>> start_of(const Json* range) {
  const Json* start = range ? find(*range, "start") : nullptr;
  if (!start) return std::nullopt;
  const auto line = find_int(*start, "line");
  const auto units = find_int(*start, "character");
  if (!line || !units || *line < 0 || *units < 0) return std::nullopt;
  return std::pair(static_cast<std::size_t>(*line) + 1, static_cast<std::size_t>(*units));
}

ServerPlace place_at(std::string_view uri, std::pair<std::size_t, std::size_t> start) {
  return {.path = path_of_uri(uri).value_or(""), .uri = std::string(uri), .line = start.first, .units = start.second};
}

// Location, LocationLink, or a symbol's location that has no range.
std::optional<ServerPlace> read_place(const Json& given) {
  const auto target = find_string(given, "targetUri");
  const auto uri = target ? target : find_string(given, "uri");
  if (!uri) return std::nullopt;
  auto start = start_of(find(given, target ? "targetSelectionRange" : "range"));
  if (!start && target) start = start_of(find(given, "targetRange"));
  return place_at(*uri, start.value_or(std::pair<std::size_t, std::size_t>(1, 0)));
}

// Lines of an answer: sorted by place, what may not be seen left out, what comes twice once.
class Lines {
 public:
  explicit Lines(SourceView& view) : view_(view) {}

  void add(ServerPlace place, std::string what) { found_.emplace_back(std::move(place), std::move(what)); }

  // `line` makes the text of one.
  template <class Line>
  Answer answer(const Line& line) {
    stable_sort_by(found_, [](const auto& one) {
      return std::tuple(one.first.path, one.first.uri, one.first.line, one.first.units, one.second);
    });
    const auto same = [](const auto& a, const auto& b) {
      return a.first.path == b.first.path && a.first.uri == b.first.uri && a.first.line == b.first.line &&
             a.first.units == b.first.units && a.second == b.second;
    };
    found_.erase(std::unique(found_.begin(), found_.end(), same), found_.end());
    Answer answer;
    std::set<std::string> files;
    for (const auto& [place, what] : found_) {
      if (view_.is_hidden(place)) {
        ++answer.hidden;
        continue;
      }
      files.insert(place.path.empty() ? place.uri : place.path);
      if (answer.results++ < kAnswerLinesMax) answer.text += line(place, what) + "\n";
    }
    answer.files = files.size();
    if (answer.results > kAnswerLinesMax) {
      answer.text += "… and " + std::to_string(answer.results - kAnswerLinesMax) + " more\n";
    }
    if (!answer.text.empty()) answer.text.pop_back();
    return answer;
  }

 private:
  SourceView& view_;
  std::vector<std::pair<ServerPlace, std::string>> found_;
};

std::string described(const Json& symbol) {
  std::string text = std::string(kind_of(symbol)) + " " + text_in(symbol, "name");
  if (const std::string container = text_in(symbol, "containerName"); !container.empty()) text += " in " + container;
  return text;
}

// A hover's contents: a text, {value}, or a list of those.
std::string hover_text(const Json& contents) {
  if (contents.is_string()) return std::string(view(contents.get_string()));
  if (contents.is_array()) {
    std::string text;
    for (const Json& part : contents.get_array()) {
      const std::string next = part.is_array() ? "" : hover_text(part);
      if (!text.empty() && !next.empty()) text += "\n\n";
      text += next;
    }
    return text;
  }
  const std::string value(find_string(contents, "value").value_or(""));
  const auto language = find_string(contents, "language");
  if (!language || value.empty()) return value;
  return "```" + one_line(*language, kSymbolCharactersMax) + "\n" + value + "\n```";
}

// The symbols of a file, in the order of the server, with those that they contain below them.
class SymbolTree {
 public:
  SymbolTree(const std::string& path, SourceView& view) : path_(path), view_(view) {}

  void add(const JsonArray& symbols, std::size_t depth) {
    for (const Json& symbol : symbols) {
      const Json* location = find(symbol, "location");
      auto start = start_of(find(symbol, "selectionRange"));
      if (!start) start = start_of(find(symbol, "range"));
      if (!start && location) start = start_of(find(*location, "range"));
      if (!start || !find_string(symbol, "name")) continue;
      if (answer.results++ < kAnswerLinesMax) {
        const ServerPlace place{.path = path_, .line = start->first, .units = start->second};
        answer.text += std::string(2 * depth, ' ') + view_.line_and_column(place) + " " + described(symbol);
        const std::string detail = text_in(symbol, "detail");
        answer.text += (detail.empty() ? "" : " : " + detail) + "\n";
      }
      const JsonArray* children = find_array(symbol, "children");
      if (children && depth < kSymbolDepthMax) add(*children, depth + 1);
    }
  }

  Answer answer;

 private:
  const std::string& path_;
  SourceView& view_;
};

std::optional<ServerPlace> item_place(const Json& item) {
  const auto uri = find_string(item, "uri");
  auto start = start_of(find(item, "selectionRange"));
  if (!start) start = start_of(find(item, "range"));
  if (!uri || !start) return std::nullopt;
  return place_at(*uri, *start);
}

Answer answer_calls(const JsonArray& calls, std::string_view side, const std::string& calls_in, SourceView& view) {
  Lines lines(view);
  for (const Json& call : calls) {
    const Json* item = find(call, side);
    const auto place = item ? item_place(*item) : std::nullopt;
    if (!place) continue;
    std::string what = described(*item);
    const JsonArray* ranges = find_array(call, "fromRanges");
    std::string places;
    for (std::size_t i = 0; ranges && i < std::min(ranges->size(), kCallPlacesShownMax); ++i) {
      const auto start = start_of(&(*ranges)[i]);
      if (!start) continue;
      const ServerPlace at{
          .path = calls_in.empty() ? place->path : calls_in, .line = start->first, .units = start->second};
      places += (places.empty() ? "" : ", ") + view.line_and_column(at);
    }
    if (ranges && ranges->size() > kCallPlacesShownMax) places += ", …";
    if (!places.empty()) what += ", called at " + places;
    lines.add(*place, std::move(what));
  }
  return lines.answer(
      [&](const ServerPlace& place, const std::string& what) { return view.place(place) + ": " + what; });
}

}  // namespace

Answer answer_locations(const Json& result, SourceView& view) {
  Lines lines(view);
  if (result.is_array()) {
    for (const Json& given : result.get_array()) {
      if (auto place = read_place(given)) lines.add(std::move(*place), "");
    }
  } else if (auto place = read_place(result)) {
    lines.add(std::move(*place), "");
  }
  return lines.answer([&](const ServerPlace& place, const std::string&) { return view.with_line(place); });
}

Answer answer_hover(const Json& result) {
  const Json* contents = find(result, "contents");
  if (!contents) return {};
  const std::string text = visible_text(to_valid_utf8(hover_text(*contents)));
  const std::string_view shown = first_characters(text, kHoverCharactersMax);
  if (shown.find_first_not_of(" \t\r\n") == shown.npos) return {};
  return {.text = std::string(shown) + (shown.size() < text.size() ? "\n… (cut)" : ""), .results = 1, .files = 1};
}

Answer answer_document_symbols(const Json& result, const std::string& path, SourceView& view) {
  if (!result.is_array()) return {};
  SymbolTree tree(path, view);
  tree.add(result.get_array(), 0);
  Answer answer = std::move(tree.answer);
  if (answer.results > kAnswerLinesMax) {
    answer.text += "… and " + std::to_string(answer.results - kAnswerLinesMax) + " more\n";
  }
  if (!answer.text.empty()) answer.text.pop_back();
  answer.files = answer.results > 0 ? 1 : 0;
  return answer;
}

Answer answer_workspace_symbols(const Json& result, SourceView& view) {
  Lines lines(view);
  if (result.is_array()) {
    for (const Json& symbol : result.get_array()) {
      const Json* location = find(symbol, "location");
      auto place = location ? read_place(*location) : std::nullopt;
      if (place) lines.add(std::move(*place), described(symbol));
    }
  }
  return lines.answer(
      [&](const ServerPlace& place, const std::string& what) { return view.place(place) + ": " + what; });
}

Answer answer_call_items(const Json& result, SourceView& view) {
  Lines lines(view);
  if (result.is_array()) {
    for (const Json& item : result.get_array()) {
      if (auto place = item_place(item)) lines.add(std::move(*place), described(item));
    }
  }
  return lines.answer(
      [&](const ServerPlace& place, const std::string& what) { return view.place(place) + ": " + what; });
}

Answer answer_incoming_calls(const JsonArray& calls, SourceView& view) { return answer_calls(calls, "from", "", view); }

Answer answer_outgoing_calls(const JsonArray& calls, const std::string& calls_in, SourceView& view) {
  return answer_calls(calls, "to", calls_in, view);
}

Answer answer_diagnostics(const std::vector<Diagnostic>& list, const std::string& path, SourceView& view) {
  Answer answer{.results = list.size(), .files = list.empty() ? 0U : 1U};
  for (std::size_t i = 0; i < std::min(list.size(), kAnswerLinesMax); ++i) {
    answer.text += (i == 0 ? "" : "\n") + view.shown(path, list[i]);
  }
  if (list.size() > kAnswerLinesMax) {
    answer.text += "\n… and " + std::to_string(list.size() - kAnswerLinesMax) + " more";
  }
  return answer;
}

}  // namespace deft::lsp
