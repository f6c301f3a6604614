// A change of one cell of a notebook of any bytes: three bytes say what to do, one how long the source is, then come
// the source and the notebook. The result is a notebook that has the change, and every other cell has its bytes still.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "deft/base/check.h"
#include "deft/base/json.h"
#include "deft/base/utf8.h"
#include "deft/core/notebook.h"

namespace {

std::vector<std::string_view> raw_cells(std::string_view bytes) {
  return deft::raw_elements(deft::raw_member(bytes, "cells").value_or(""));
}

void check_others(std::string_view before, std::string_view after, std::size_t index, deft::CellEdit::Mode mode) {
  auto old_cells = raw_cells(before);
  auto new_cells = raw_cells(after);
  const auto at = static_cast<std::ptrdiff_t>(index);
  if (mode != deft::CellEdit::Mode::insert) old_cells.erase(old_cells.begin() + at);
  if (mode != deft::CellEdit::Mode::erase) new_cells.erase(new_cells.begin() + at);
  DEFT_CHECK(old_cells == new_cells);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 4) return 0;
  std::string_view rest(reinterpret_cast<const char*>(data) + 4, size - 4);
  deft::CellEdit edit;
  edit.mode = static_cast<deft::CellEdit::Mode>(data[0] % 3);
  edit.source = deft::to_valid_utf8(rest.substr(0, data[3]));
  rest.remove_prefix(std::min<std::size_t>(data[3], rest.size()));
  if (data[2] % 3 != 0) edit.cell_type = data[2] % 3 == 1 ? "code" : "markdown";

  const auto notebook = deft::parse_notebook(rest);
  if (!notebook) return 0;
  const std::size_t index = notebook->cells.empty() ? 0 : data[1] % notebook->cells.size();
  if (!notebook->cells.empty()) edit.cell_id = notebook->cells[index].id;
  const auto edited = deft::edit_notebook(rest, edit);
  if (!edited) return 0;

  const bool is_insert = edit.mode == deft::CellEdit::Mode::insert;
  const std::size_t changed = is_insert && edit.cell_id ? index + 1 : index;
  const auto after = deft::parse_notebook(edited->bytes);
  DEFT_CHECK(after.has_value());
  check_others(rest, edited->bytes, changed, edit.mode);
  if (edit.mode == deft::CellEdit::Mode::erase) return 0;
  DEFT_CHECK(after->cells[changed].source == edit.source);
  if (edit.cell_type) DEFT_CHECK(after->cells[changed].type == *edit.cell_type);
  return 0;
}
