#include "deft/core/notebook.h"

#include <algorithm>

#include "deft/base/json.h"

namespace deft {

namespace {

// nbformat writes long text as an array of lines.
std::string joined(const Json* text) {
  std::string out;
  if (!text) return out;
  if (text->is_string()) return std::string(view(text->get_string()));
  if (!text->is_array()) return out;
  for (const Json& line : text->get_array()) {
    if (line.is_string()) out += view(line.get_string());
  }
  return out;
}

// "\x1b[31mred\x1b[0m" → "red". Tracebacks are coloured.
std::string without_terminal_escapes(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '\x1b' || i + 1 >= text.size() || text[i + 1] != '[') {
      out += text[i];
      continue;
    }
    i += 2;
    while (i < text.size() && (text[i] < '@' || text[i] > '~')) ++i;
  }
  return out;
}

std::string without_line_ends(std::string text) {
  std::erase_if(text, [](char c) { return c == '\n' || c == '\r'; });
  return text;
}

NotebookOutput parse_output(const Json& output) {
  NotebookOutput parsed{.type = std::string(find_string(output, "output_type").value_or("")), .text = {}, .images = {}};
  if (parsed.type == "stream") parsed.text = joined(find(output, "text"));
  if (parsed.type == "error") {
    parsed.text = std::string(find_string(output, "ename").value_or("")) + ": " +
                  std::string(find_string(output, "evalue").value_or(""));
    if (const JsonArray* trace = find_array(output, "traceback")) {
      for (const Json& line : *trace) {
        if (line.is_string()) parsed.text += "\n" + std::string(view(line.get_string()));
      }
    }
  }
  if (const Json* data = find(output, "data")) {
    parsed.text = joined(find(*data, "text/plain"));
    if (parsed.text.empty()) parsed.text = joined(find(*data, "text/html"));
    for (const char* media_type : {"image/png", "image/jpeg"}) {
      std::string base64 = without_line_ends(joined(find(*data, media_type)));
      if (!base64.empty()) parsed.images.push_back({media_type, std::move(base64)});
    }
  }
  parsed.text = without_terminal_escapes(parsed.text);
  return parsed;
}

NotebookCell parse_cell(const Json& cell, std::size_t index) {
  const auto type = find_string(cell, "cell_type").value_or("raw");
  NotebookCell parsed{.id = cell_id_or_position(find_string(cell, "id").value_or(""), index),
                      .type = std::string(type == "code" || type == "markdown" ? type : "raw"),
                      .source = joined(find(cell, "source")),
                      .execution_count = find_int(cell, "execution_count"),
                      .outputs = {}};
  if (const JsonArray* outputs = find_array(cell, "outputs")) {
    for (const Json& output : *outputs) parsed.outputs.push_back(parse_output(output));
  }
  return parsed;
}

std::string language_of(const Json& notebook) {
  const Json* metadata = find(notebook, "metadata");
  const Json* info = metadata ? find(*metadata, "language_info") : nullptr;
  if (const auto name = info ? find_string(*info, "name") : std::nullopt) return std::string(*name);
  const Json* kernel = metadata ? find(*metadata, "kernelspec") : nullptr;
  if (const auto name = kernel ? find_string(*kernel, "language") : std::nullopt) return std::string(*name);
  return "python";
}

}  // namespace

std::string cell_id_or_position(std::string_view id, std::size_t index) {
  constexpr std::size_t kIdCharactersMax = 64;
  constexpr std::string_view kIdCharacters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
  const bool is_good =
      !id.empty() && id.size() <= kIdCharactersMax && id.find_first_not_of(kIdCharacters) == std::string_view::npos;
  return is_good ? std::string(id) : "cell-" + std::to_string(index);
}

bool has_notebook_name(std::string_view path) { return path.ends_with(".ipynb"); }

Result<Notebook> parse_notebook(std::string_view bytes) {
  const auto json = parse_json(bytes, {.replace_lone_surrogates = true});
  if (!json) return fail(Errc::unsupported, "it is not valid JSON (" + json.error().message + ")");
  const JsonArray* cells = find_array(*json, "cells");
  if (!cells || find_int(*json, "nbformat").value_or(0) < 4) {
    return fail(Errc::unsupported, "it is not a notebook of format 4 or later");
  }
  Notebook notebook{.language = language_of(*json), .cells = {}};
  for (const Json& cell : *cells) {
    if (!cell.is_object()) return fail(Errc::unsupported, "one of its cells is not an object");
    notebook.cells.push_back(parse_cell(cell, notebook.cells.size()));
  }
  return notebook;
}

}  // namespace deft
