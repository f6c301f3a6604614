#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "deft/core/notebook.h"
#include "deft/tools/file_access.h"
#include "deft/tools/tool.h"

// How Read shows a notebook: cells with their outputs, text and pictures.

namespace deft {

inline constexpr std::size_t kNotebookOutputCharactersMax = 10'000;  // of one output
inline constexpr std::size_t kNotebookImagesMax = 10;

struct NotebookPart {
  std::string path;        // as it was asked for
  std::size_t offset = 1;  // the first cell, counted from 1
  std::optional<std::size_t> limit;
};
Result<ToolResult> read_notebook(const NotebookPart& part, const OpenedFile& file, const Notebook& notebook);

// Text and pictures for the model, from the details.
void map_notebook(ToolResult& result);

}  // namespace deft
