#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "deft/base/result.h"

// Jupyter notebooks (nbformat 4): reading their cells, and changing one cell without touching the bytes of the rest.

namespace deft {

struct NotebookImage {
  std::string media_type;
  std::string base64;
};

struct NotebookOutput {
  std::string type;  // "stream", "display_data", "execute_result", "error"
  std::string text;  // plain, without terminal escapes
  std::vector<NotebookImage> images;
};

struct NotebookCell {
  std::string id;    // its own, or "cell-N" counted from 0 where it has no good one (nbformat before 4.5 has none)
  std::string type;  // "code", "markdown" or "raw"
  std::string source;
  std::optional<std::int64_t> execution_count;
  std::vector<NotebookOutput> outputs;
};

struct Notebook {
  std::string language;  // of the code cells
  std::vector<NotebookCell> cells;
};

// "cell-N" unless `id` is one that the format allows: 1 to 64 letters, digits, hyphens and underscores.
std::string cell_id_or_position(std::string_view id, std::size_t index);
bool has_notebook_name(std::string_view path);  // ends in .ipynb
// An error: not a notebook, and why.
Result<Notebook> parse_notebook(std::string_view bytes);

struct CellEdit {
  enum class Mode : std::uint8_t { replace, insert, erase };
  Mode mode = Mode::replace;
  // Which cell. For insert, after which one; nothing: before all others.
  std::optional<std::string> cell_id;
  std::optional<std::string> cell_type;  // replace: nothing keeps the type; insert: must be given
  std::string source;
};

struct EditedNotebook {
  std::string bytes;
  std::string cell_id;
  std::string cell_type;
  std::string language;
  std::optional<std::string> old_source;
};

Result<EditedNotebook> edit_notebook(std::string_view bytes, const CellEdit& edit);

}  // namespace deft
