#include <algorithm>

#include "deft/base/content_hash.h"
#include "deft/base/json.h"
#include "deft/base/text.h"
#include "deft/core/notebook.h"
#include "deft/core/patch.h"

// The notebook is never written anew from parsed values: numbers, escapes, order and white space of what was not
// changed would not survive. The text is cut where the change is, and the new piece is laid out like its neighbours.

namespace deft {

namespace {

constexpr std::size_t kIdsNamedMax = 10;
constexpr std::size_t kNewIdCharacters = 8;

// How the notebook is laid out.
struct Layout {
  std::string newline;  // with the indentation of a cell; empty: all in one line
  std::string unit;     // one level of indentation
  std::string colon;    // between a key and its value

  std::string newline_at(int level) const {  // relative to a cell
    if (newline.empty()) return "";
    std::string out = newline;
    for (; level > 0; --level) out += unit;
    if (level < 0 && out.ends_with(unit)) out.resize(out.size() - unit.size());
    return out;
  }
  std::string comma_at(int level) const { return newline.empty() ? ", " : "," + newline_at(level); }
};

// The white space before a place, from the line end on; empty if there is none or something else is in between.
std::string line_start_before(std::string_view text, std::size_t place) {
  std::size_t start = place;
  while (start > 0 && (text[start - 1] == ' ' || text[start - 1] == '\t')) --start;
  if (start == 0 || text[start - 1] != '\n') return "";
  start -= start >= 2 && text[start - 2] == '\r' ? 2 : 1;
  return std::string(text.substr(start, place - start));
}

struct CellSpan {
  std::string_view text;
  std::vector<RawMember> members;
  std::string id;

  const RawMember* member(std::string_view key) const {
    const auto found = std::find_if(members.begin(), members.end(), [&](const auto& m) { return m.key == key; });
    return found == members.end() ? nullptr : &*found;
  }
};

std::string string_of(std::string_view raw) {
  const auto json = parse_json(raw, {.replace_lone_surrogates = true});
  return json && json->is_string() ? std::string(view(json->get_string())) : "";
}

class NotebookText {
 public:
  explicit NotebookText(std::string_view bytes) : bytes_(bytes), array_(raw_member(bytes, "cells").value_or("")) {
    for (const std::string_view element : raw_elements(array_)) {
      CellSpan cell{element, raw_members(element), {}};
      const RawMember* id = cell.member("id");
      cell.id = cell_id_or_position(id ? string_of(id->value) : "", cells_.size());
      cells_.push_back(std::move(cell));
    }
    find_layout();
  }

  const std::vector<CellSpan>& cells() const { return cells_; }

  Result<std::size_t> find(const std::string& id) const {
    const auto has_id = [&](const CellSpan& cell) { return cell.id == id; };
    const auto found = std::find_if(cells_.begin(), cells_.end(), has_id);
    if (found == cells_.end()) {
      return fail(Errc::not_found, "There is no cell “" + one_line(id, 60) + "”; the cells are " + names() + ".");
    }
    if (std::count_if(cells_.begin(), cells_.end(), has_id) > 1) {
      return fail(Errc::invalid_input, "Several cells have the id “" + one_line(id, 60) +
                                           "”: give them ids of their own first, with a text editor.");
    }
    return static_cast<std::size_t>(found - cells_.begin());
  }

  std::string replace(std::string_view old, std::string_view text) const {
    const std::size_t at = offset_of(old);
    return std::string(bytes_.substr(0, at)) + std::string(text) + std::string(bytes_.substr(at + old.size()));
  }

  std::string insert_after(std::optional<std::size_t> index, const std::string& cell) const {
    if (cells_.empty()) return replace(array_, "[" + layout_.newline_at(0) + cell + layout_.newline_at(-1) + "]");
    if (!index) return replace(bytes_.substr(offset_of(cells_[0].text), 0), cell + layout_.comma_at(0));
    const std::size_t end = offset_of(cells_[*index].text) + cells_[*index].text.size();
    return replace(bytes_.substr(end, 0), layout_.comma_at(0) + cell);
  }

  std::string erase(std::size_t index) const {
    if (cells_.size() == 1) return replace(array_, "[]");
    const bool is_last = index + 1 == cells_.size();
    const auto end_of = [&](std::size_t i) { return offset_of(cells_[i].text) + cells_[i].text.size(); };
    const std::size_t begin = is_last ? end_of(index - 1) : offset_of(cells_[index].text);
    const std::size_t end = is_last ? end_of(index) : offset_of(cells_[index + 1].text);
    return replace(bytes_.substr(begin, end - begin), "");
  }

  // A cell of these members, whose values are JSON texts.
  std::string write_cell(const std::vector<std::pair<std::string, std::string>>& members) const {
    std::string out = "{";
    for (std::size_t i = 0; i < members.size(); ++i) {
      out += i == 0 ? layout_.newline_at(1) : layout_.comma_at(1);
      out += json_quote(members[i].first) + layout_.colon + members[i].second;
    }
    return out + layout_.newline_at(0) + "}";
  }

  // The source of a cell, as an array of its lines unless it was one string before.
  std::string write_source(std::string_view source, bool as_string) const {
    if (as_string) return json_quote(source);
    const Lines lines = split_lines(source);
    if (lines.empty()) return "[]";
    std::string out = "[";
    for (std::size_t i = 0; i < lines.size(); ++i) {
      out += (i == 0 ? layout_.newline_at(2) : layout_.comma_at(2)) + json_quote(lines[i]);
    }
    return out + layout_.newline_at(1) + "]";
  }

 private:
  std::size_t offset_of(std::string_view part) const { return static_cast<std::size_t>(part.data() - bytes_.data()); }

  void find_layout() {
    layout_.colon = bytes_.find("\": ") == std::string_view::npos ? ":" : ": ";
    const std::size_t key = bytes_.find('"');
    const std::string top = key == std::string_view::npos ? "" : line_start_before(bytes_, key);
    layout_.unit = top.substr(std::min(top.find('\n') + 1, top.size()));
    layout_.newline =
        cells_.empty() ? (top.empty() ? "" : top + layout_.unit) : line_start_before(bytes_, offset_of(cells_[0].text));
  }

  std::string names() const {
    if (cells_.empty()) return "none";
    std::string out;
    for (std::size_t i = 0; i < std::min(cells_.size(), kIdsNamedMax); ++i) out += (i == 0 ? "" : ", ") + cells_[i].id;
    return cells_.size() > kIdsNamedMax ? out + ", …" : out;
  }

  std::string_view bytes_;
  std::string_view array_;
  std::vector<CellSpan> cells_;
  Layout layout_;
};

using Members = std::vector<std::pair<std::string, std::string>>;

void set_member(Members& members, std::string_view key, std::string value) {
  const auto found = std::find_if(members.begin(), members.end(), [&](const auto& m) { return m.first == key; });
  if (found == members.end()) {
    members.emplace_back(key, std::move(value));
  } else {
    found->second = std::move(value);
  }
}

// Code cells have two members more than others.
void fit_to_type(Members& members, std::string_view type) {
  const auto remove = [&](std::string_view key) {
    std::erase_if(members, [&](const auto& m) { return m.first == key; });
  };
  const auto add = [&](const char* key, const char* value) {
    const auto has_key = [&](const auto& m) { return m.first == key; };
    if (std::none_of(members.begin(), members.end(), has_key)) members.emplace_back(key, value);
  };
  if (type == "code") {
    add("execution_count", "null");
    add("outputs", "[]");
    std::sort(members.begin(), members.end());  // as notebooks are usually written
  } else {
    remove("execution_count");
    remove("outputs");
  }
}

Result<EditedNotebook> replace_cell(const NotebookText& text, const Notebook& parsed, std::size_t index,
                                    const CellEdit& edit) {
  const CellSpan& cell = text.cells()[index];
  const NotebookCell& before = parsed.cells[index];
  const RawMember* source = cell.member("source");
  if (!source) return fail(Errc::unsupported, "The cell " + cell.id + " has no source.");
  const std::string type = edit.cell_type.value_or(before.type);
  const std::string new_source = text.write_source(edit.source, source->value.starts_with('"'));
  EditedNotebook edited{
      .bytes = {}, .cell_id = cell.id, .cell_type = type, .language = parsed.language, .old_source = before.source};
  if (type == before.type) {
    edited.bytes = text.replace(source->value, new_source);
    return edited;
  }
  Members members;
  for (const RawMember& member : cell.members) members.emplace_back(member.key, std::string(member.value));
  set_member(members, "source", new_source);
  set_member(members, "cell_type", json_quote(type));
  fit_to_type(members, type);
  edited.bytes = text.replace(cell.text, text.write_cell(members));
  return edited;
}

bool has_cell_ids(std::string_view bytes) {
  const auto number = [&](std::string_view key) {
    const auto json = parse_json(raw_member(bytes, key).value_or("0"));
    return json && json->is_int64() ? json->get_int64() : 0;
  };
  return number("nbformat") > 4 || number("nbformat_minor") >= 5;
}

// Different from all others, and always the same for the same change: tests and retries stay comparable.
std::string new_id(std::string_view bytes, const NotebookText& text, const CellEdit& edit) {
  for (std::string seed = std::string(bytes) + edit.source;; seed += '+') {
    const std::string id = content_hash(seed).substr(0, kNewIdCharacters);
    const auto has_id = [&](const CellSpan& cell) { return cell.id == id; };
    if (std::none_of(text.cells().begin(), text.cells().end(), has_id)) return id;
  }
}

EditedNotebook insert_cell(std::string_view bytes, const NotebookText& text, const Notebook& parsed,
                           std::optional<std::size_t> after, const CellEdit& edit) {
  const std::size_t position = after ? *after + 1 : 0;
  EditedNotebook edited{.bytes = {},
                        .cell_id = "cell-" + std::to_string(position),
                        .cell_type = *edit.cell_type,
                        .language = parsed.language,
                        .old_source = std::nullopt};
  Members members = {{"cell_type", json_quote(edited.cell_type)}};
  if (has_cell_ids(bytes)) {
    edited.cell_id = new_id(bytes, text, edit);
    members.emplace_back("id", json_quote(edited.cell_id));
  }
  members.emplace_back("metadata", "{}");
  members.emplace_back("source", text.write_source(edit.source, false));
  fit_to_type(members, edited.cell_type);
  edited.bytes = text.insert_after(after, text.write_cell(members));
  return edited;
}

}  // namespace

Result<EditedNotebook> edit_notebook(std::string_view bytes, const CellEdit& edit) {
  const auto parsed = parse_notebook(bytes);
  if (!parsed) return std::unexpected(parsed.error());
  const NotebookText text(bytes);
  // The raw text is read more strictly than the values: half a surrogate pair in a key is an error there.
  if (text.cells().size() != parsed->cells.size()) {
    return fail(Errc::unsupported, "it is a notebook whose text has damaged keys");
  }

  std::optional<std::size_t> index;
  if (edit.cell_id) {
    const auto found = text.find(*edit.cell_id);
    if (!found) return std::unexpected(found.error());
    index = *found;
  }
  if (edit.mode == CellEdit::Mode::insert) {
    if (!edit.cell_type) return fail(Errc::invalid_input, "Say which cell_type the new cell has: code or markdown.");
    return insert_cell(bytes, text, *parsed, index, edit);
  }
  if (!index) return fail(Errc::invalid_input, "Say which cell to change: give its cell_id, as Read shows it.");
  if (edit.mode == CellEdit::Mode::replace) return replace_cell(text, *parsed, *index, edit);
  const NotebookCell& before = parsed->cells[*index];
  return EditedNotebook{.bytes = text.erase(*index),
                        .cell_id = before.id,
                        .cell_type = before.type,
                        .language = parsed->language,
                        .old_source = before.source};
}

}  // namespace deft
