#include "deft/lsp/lsp_query.h"

#include <algorithm>
#include <utility>

#include "deft/base/text.h"
#include "deft/base/utf8.h"
#include "deft/core/file_text.h"
#include "deft/core/source_lines.h"
#include "deft/lsp/file_uri.h"
#include "deft/lsp/lsp_tool.h"
#include "deft/os/files.h"

namespace deft::lsp {
namespace {

constexpr std::size_t kShownCharactersMax = 60;

Result<void> check(const LspQuery& query) {
  const OperationTraits& traits = traits_of(query.operation);
  const std::string name(traits.name);
  if (query.operation == Operation::workspace_symbols) {
    if (query.text.empty()) return fail(Errc::invalid_input, name + " needs query: a part of the name to look for.");
    return {};
  }
  if (query.path.empty()) return fail(Errc::invalid_input, name + " needs file_path.");
  if (!traits.at_position) return {};
  if (query.line == 0) return fail(Errc::invalid_input, name + " needs line and column, from 1.");
  if (!query.column && query.text.empty()) {
    return fail(Errc::invalid_input, name + " needs column, from 1, or query: the name in that line.");
  }
  return {};
}

// The column of a name in a line, from 1: as a whole word if it is there as one.
std::optional<std::size_t> column_of(std::string_view line, std::string_view name) {
  const auto is_letter = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           static_cast<unsigned char>(c) >= 0x80;
  };
  std::size_t found = line.npos;
  for (std::size_t at = line.find(name); at != line.npos; at = line.find(name, at + 1)) {
    const std::size_t end = at + name.size();
    const bool is_word = (at == 0 || !is_letter(line[at - 1])) && (end == line.size() || !is_letter(line[end]));
    if (is_word || found == line.npos) found = at;
    if (is_word) break;
  }
  if (found == line.npos) return std::nullopt;
  return count_characters(line.substr(0, found)) + 1;
}

struct Position {
  ServerPlace place;
  std::string word;  // for people: what stands there
};

Result<Position> position_of(const LspQuery& query, ColumnUnit unit) {
  const auto text = FileText::of(query.content.bytes, FileText::LineEnds::exact);
  if (!text) return fail(Errc::unsupported, query.path + " is binary, not text.");
  const SourceLines lines(text->text());
  if (query.line > lines.count()) {
    return fail(Errc::invalid_input, query.path + " has only " + std::to_string(lines.count()) + " lines.");
  }
  const std::string_view line = lines.line(query.line);
  const auto column = query.column ? query.column : column_of(line, query.text);
  const std::string where = "Line " + std::to_string(query.line) + " of " + query.path;
  if (!column) {
    return fail(Errc::invalid_input, where + " does not hold \"" + one_line(query.text, kShownCharactersMax) +
                                         "\"; it reads: " + one_line(line, 2 * kShownCharactersMax));
  }
  const std::size_t columns = count_characters(line);
  if (*column > columns + 1) {
    return fail(Errc::invalid_input, where + " has only " + std::to_string(columns) +
                                         " columns; it reads: " + one_line(line, 2 * kShownCharactersMax));
  }
  return Position{
      .place = {.path = query.path, .line = query.line, .units = lines.units_before(query.line, *column, unit)},
      .word = "line " + std::to_string(query.line) + ", column " + std::to_string(*column)};
}

JsonObject params_at(const ServerPlace& place) {
  return {{"textDocument", JsonObject{{"uri", file_uri(place.path)}}},
          {"position", JsonObject{{"line", place.line - 1}, {"character", place.units}}}};
}

// Of a question at a place.
class PlaceQuestion {
 public:
  PlaceQuestion(LanguageServer& server, const LspQuery& query, const ServerPlace& place, SourceView& view,
                const RequestUntil& until)
      : server_(server), query_(query), place_(place), view_(view), until_(until) {}

  Result<Answer> ask() {
    const OperationTraits& traits = traits_of(query_.operation);
    if (query_.operation == Operation::incoming_calls || query_.operation == Operation::outgoing_calls) return calls();
    JsonObject params = params_at(place_);
    if (query_.operation == Operation::references) params["context"] = JsonObject{{"includeDeclaration", true}};
    const auto result = server_.request(traits.method, std::move(params), until_);
    if (!result) return std::unexpected(result.error());
    if (query_.operation == Operation::hover) return answer_hover(*result);
    if (query_.operation == Operation::call_hierarchy) return answer_call_items(*result, view_);
    return answer_locations(*result, view_);
  }

 private:
  // First the functions at the place, then those around each.
  Result<Answer> calls() {
    const auto items = server_.request(traits_of(Operation::call_hierarchy).method, params_at(place_), until_);
    if (!items) return std::unexpected(items.error());
    JsonArray calls;
    std::string calls_in;
    if (items->is_array()) {
      for (std::size_t i = 0; i < std::min(items->get_array().size(), kCallItemsMax); ++i) {
        const Json& item = items->get_array()[i];
        const auto found = server_.request(traits_of(query_.operation).method, JsonObject{{"item", item}}, until_);
        if (!found) return std::unexpected(found.error());
        if (calls_in.empty()) calls_in = path_of_uri(find_string(item, "uri").value_or("")).value_or("");
        if (!found->is_array()) continue;
        for (const Json& call : found->get_array()) calls.push_back(call);
      }
    }
    return query_.operation == Operation::incoming_calls ? answer_incoming_calls(calls, view_)
                                                         : answer_outgoing_calls(calls, calls_in, view_);
  }

  LanguageServer& server_;
  const LspQuery& query_;
  const ServerPlace& place_;
  SourceView& view_;
  const RequestUntil& until_;
};

// Puts a count before many, says so of none, and what else is to be known.
void complete(Answer& answer, const LspQuery& query, const std::string& where, const std::optional<std::string>& busy,
              const std::string& server) {
  const OperationTraits& traits = traits_of(query.operation);
  const bool is_list = query.operation != Operation::hover;
  if (answer.results == 0) {
    answer.text = "No " + std::string(traits.noun) + " was found" + where + ".";
  } else if (is_list && answer.results > 1) {
    std::string count = std::to_string(answer.results) + " " + std::string(traits.plural);
    if (answer.files > 1) count += " in " + std::to_string(answer.files) + " files";
    answer.text = count + ":\n" + answer.text;
  }
  if (answer.hidden > 0) {
    answer.text += "\n[" + std::to_string(answer.hidden) + " more in files that the rules keep from being read.]";
  }
  if (busy) answer.text += "\n[" + server + " is still busy (" + *busy + "): there may be more. Ask again later.]";
}

Result<Answer> ask_diagnostics(LanguageServer& server, const LspQuery& query, const Documents::Document& shown,
                               SourceView& view, ToolIo& io) {
  const RequestUntil until{.deadline = io.os.clock.now() + kDiagnosticsTimeMax, .stop = io.stop};
  const auto list = server.diagnostics(query.path, shown, until);
  if (!list) return std::unexpected(list.error());
  if (!*list) {
    return fail(Errc::timeout, server.spec().name + " has not looked at " + query.path +
                                   " yet. Ask again later, or run the compiler or linter itself.");
  }
  return answer_diagnostics(**list, query.path, view);
}

// One question, with everything that is needed for it.
struct Question {
  LanguageServer& server;
  const LspQuery& query;
  const ServerAbilities& can;
  SourceView& view;
  std::optional<Documents::Document> shown;  // the file that it is about
  ToolIo& io;
  std::string where = {};  // " in src/a.cc": what it is about, for people
};

Result<Answer> ask_once(Question& question) {
  const LspQuery& query = question.query;
  const OperationTraits& traits = traits_of(query.operation);
  SourceView& view = question.view;
  const RequestUntil until{.deadline = question.io.os.clock.now() + kRequestTimeMax, .stop = question.io.stop};
  if (traits.at_position) {
    const auto position = position_of(query, question.can.unit);
    if (!position) return std::unexpected(position.error());
    question.where = " at " + position->word + " of " + view.shown_path(position->place);
    return PlaceQuestion(question.server, query, position->place, view, until).ask();
  }
  if (query.operation == Operation::workspace_symbols) {
    question.where = " for \"" + one_line(query.text, kShownCharactersMax) + "\"";
    const auto result = question.server.request(traits.method, JsonObject{{"query", query.text}}, until);
    if (!result) return std::unexpected(result.error());
    return answer_workspace_symbols(*result, view);
  }
  question.where = " in " + view.shown_path({.path = query.path});
  if (query.operation == Operation::diagnostics) {
    return ask_diagnostics(question.server, query, *question.shown, view, question.io);
  }
  const Json document = JsonObject{{"uri", file_uri(query.path)}};
  const auto result = question.server.request(traits.method, JsonObject{{"textDocument", document}}, until);
  if (!result) return std::unexpected(result.error());
  return answer_document_symbols(*result, query.path, view);
}

}  // namespace

Result<LspQuery> parse_query(const Json& input) {
  const std::string_view name = find_string(input, "operation").value_or("");
  const auto operation = parse_operation(name);
  if (!operation) {
    return fail(Errc::invalid_input, "There is no operation \"" + one_line(name, kShownCharactersMax) +
                                         "\". The operations are: " + operation_names() + ".");
  }
  LspQuery query{.operation = *operation};
  query.path = find_string(input, "file_path").value_or("");
  query.text = find_string(input, "query").value_or("");
  query.line = static_cast<std::size_t>(std::max<std::int64_t>(find_int(input, "line").value_or(0), 0));
  if (const auto column = find_int(input, "column"); column && *column > 0) {
    query.column = static_cast<std::size_t>(*column);
  }
  if (auto good = check(query); !good) return std::unexpected(good.error());
  return query;
}

Result<Answer> ask_server(LanguageServer& server, const LspQuery& query, ToolIo& io) {
  const OperationTraits& traits = traits_of(query.operation);
  const std::string& name = server.spec().name;
  std::optional<Documents::Document> shown;
  if (query.path.empty()) {
    server.refresh(io.os.files);
  } else {
    const auto synchronised = server.synchronise(query.path, query.content, io.os.files);
    if (!synchronised) return std::unexpected(synchronised.error());
    shown = *synchronised;
    server.warm_up(query.path, *shown, io.stop);
  }
  std::optional<std::string> busy;
  if (traits.about_project) {
    busy = server.wait_until_idle({.deadline = io.os.clock.now() + kIndexWaitMax, .stop = io.stop});
  }
  const ServerAbilities can = server.abilities();
  const Error cannot{Errc::unsupported, name + " cannot tell " + std::string(traits.plural) + ". Use Grep instead."};
  if (traits.ability && !(can.*traits.ability)) return std::unexpected(cannot);

  SourceView view(io, can.unit);
  if (!query.path.empty()) view.know(query.path, query.content.bytes);
  Question question{.server = server, .query = query, .can = can, .view = view, .shown = shown, .io = io};
  Result<Answer> answer = ask_once(question);
  const bool found_nothing = answer && answer->results == 0 && answer->hidden == 0;
  if (found_nothing && shown && query.operation != Operation::diagnostics &&
      server.wait_for_first_look(query.path, *shown, io.stop)) {
    answer = ask_once(question);
  }
  if (!answer && answer.error().code == Errc::unsupported) return std::unexpected(cannot);
  if (answer) complete(*answer, query, question.where, busy, name);
  return answer;
}

}  // namespace deft::lsp
