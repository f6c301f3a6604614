#include "deft/tools/read_notebook.h"

#include <algorithm>

#include "deft/base/base64.h"
#include "deft/base/utf8.h"
#include "deft/core/image_info.h"
#include "deft/tools/image_block.h"
#include "deft/tools/read.h"
#include "deft/tools/shown_image.h"

namespace deft {

namespace {

constexpr std::size_t kNoticeCharactersMax = 500;
constexpr std::size_t kMarkupCharacters = 200;  // around a cell or an output, at most; ids are short
constexpr std::size_t kCellSourceCharactersMax = kReadCharactersMax / 2;

struct Shown {
  JsonArray cells;
  std::size_t room = kReadCharactersMax - kNoticeCharactersMax;
  std::size_t images = 0;
  bool is_cut = false;
};

std::string cut_text(std::string_view text, std::size_t characters_max, Shown& shown) {
  const std::string_view start = first_characters(text, characters_max);
  if (start.size() == text.size()) return std::string(text);
  shown.is_cut = true;
  return std::string(start) + "\n[cut: " + std::to_string(characters_max) + " of " +
         std::to_string(count_characters(text)) + " characters]";
}

// A picture that the model's API would refuse must not get into the conversation.
bool is_good_image(const NotebookImage& image) {
  if (image.base64.size() > kImageBase64BytesMax) return false;
  const auto bytes = from_base64(image.base64);
  const auto info = bytes ? image_info(*bytes) : std::nullopt;
  return info && info->media_type == image.media_type && info->width > 0 && info->height > 0 &&
         std::max(info->width, info->height) <= kImageSidePointsMax;
}

JsonObject show_output(const NotebookOutput& output, Shown& shown) {
  JsonObject out = {{"output_type", output.type}};
  std::string text = cut_text(output.text, kNotebookOutputCharactersMax, shown);
  for (const NotebookImage& image : output.images) {
    if (shown.images >= kNotebookImagesMax || !is_good_image(image)) {
      text += "\n[a picture that is not shown]";
      shown.is_cut = true;
      continue;
    }
    ++shown.images;
    out["image"] = JsonObject{{"image_data", image.base64}, {"media_type", image.media_type}};
    break;  // png and jpeg of one output are the same picture
  }
  out["text"] = text;
  return out;
}

// False: there is no room for it any more. A first cell always fits.
bool show_cell(const NotebookCell& cell, const std::string& language, Shown& shown) {
  const std::string source = cut_text(cell.source, kCellSourceCharactersMax, shown);
  std::size_t cost = kMarkupCharacters + count_characters(source);
  if (cost > shown.room) return false;
  JsonObject out = {{"cellType", cell.type}, {"source", source}, {"cell_id", cell.id}};
  if (cell.type == "code") out["language"] = language;
  if (cell.execution_count) out["execution_count"] = *cell.execution_count;
  JsonArray outputs;
  for (const NotebookOutput& output : cell.outputs) {
    JsonObject one = show_output(output, shown);
    cost += kMarkupCharacters + count_characters(view(one["text"].as_string()));
    if (cost > shown.room) {
      // Outputs are the first to go: the source is what will be changed.
      outputs.push_back(JsonObject{{"output_type", output.type}, {"text", "[output left out: the result is full]"}});
      shown.is_cut = true;
      cost = shown.room;
      break;
    }
    outputs.push_back(std::move(one));
  }
  if (!outputs.empty()) out["outputs"] = std::move(outputs);
  shown.room -= cost;
  shown.cells.push_back(std::move(out));
  return true;
}

std::string_view text_of(const Json& json, std::string_view key) { return find_string(json, key).value_or(""); }

}  // namespace

Result<ToolResult> read_notebook(const NotebookPart& part, const OpenedFile& file, const Notebook& notebook) {
  const std::size_t total = notebook.cells.size();
  if (part.offset > std::max<std::size_t>(total, 1)) {
    return fail(Errc::invalid_input, part.path + " has only " + std::to_string(total) +
                                         " cells, and offset counts cells here: give a smaller one.");
  }
  Shown shown;
  const std::size_t end =
      part.offset - 1 + std::min(part.limit.value_or(total), total - std::min(total, part.offset - 1));
  for (std::size_t i = part.offset - 1; i < end; ++i) {
    if (!show_cell(notebook.cells[i], notebook.language, shown)) break;
  }
  FileSeen seen = seen_wholly(file.path, file.content.status, file.content.bytes);
  seen.whole = shown.cells.size() == total && !shown.is_cut;
  JsonObject details = {
      {"filePath", part.path}, {"cells", std::move(shown.cells)}, {"startCell", part.offset}, {"totalCells", total}};
  return ToolResult{.details = JsonObject{{"type", "notebook"}, {"file", std::move(details)}},
                    .modifiers = {FileWasSeen{std::move(seen)}}};
}

void map_notebook(ToolResult& result) {
  const Json* file = find(result.details, "file");
  const JsonArray* cells = file ? find_array(*file, "cells") : nullptr;
  if (!cells) return;
  result.text.clear();
  result.blocks.clear();
  for (const Json& cell : *cells) {
    const std::string id(text_of(cell, "cell_id"));
    result.text += "<cell id=\"" + id + "\" type=\"" + std::string(text_of(cell, "cellType")) + "\">\n" +
                   std::string(text_of(cell, "source")) + "\n</cell>\n";
    const JsonArray* outputs = find_array(cell, "outputs");
    if (!outputs) continue;
    for (const Json& output : *outputs) {
      result.text += "<output cell=\"" + id + "\">\n" + std::string(text_of(output, "text"));
      if (const Json* image = find(output, "image")) {
        result.blocks.push_back(image_block(text_of(*image, "media_type"), text_of(*image, "image_data")));
        result.text += "[picture " + std::to_string(result.blocks.size()) + " below]";
      }
      result.text += "\n</output>\n";
    }
  }
  const std::int64_t first = find_int(*file, "startCell").value_or(1);
  const std::int64_t total = find_int(*file, "totalCells").value_or(0);
  const std::int64_t last = first + static_cast<std::int64_t>(cells->size()) - 1;
  if (total == 0) result.text = "The notebook has no cells.";
  if (last < total) {
    result.text += "\n[Cells " + std::to_string(first) + " to " + std::to_string(last) + " of " +
                   std::to_string(total) + ". Go on with offset " + std::to_string(last + 1) + ".]";
  }
}

}  // namespace deft
