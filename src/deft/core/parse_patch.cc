#include <algorithm>
#include <optional>
#include <utility>

#include "deft/base/text.h"
#include "deft/core/apply_patch.h"

namespace deft {
namespace {

constexpr std::string_view kBegin = "*** Begin Patch";
constexpr std::string_view kEnd = "*** End Patch";
constexpr std::string_view kAdd = "*** Add File:";
constexpr std::string_view kDelete = "*** Delete File:";
constexpr std::string_view kUpdate = "*** Update File:";
constexpr std::string_view kMove = "*** Move to:";
constexpr std::string_view kEndOfFile = "*** End of File";
constexpr std::size_t kLineShownCharactersMax = 80;

std::string_view without_blanks_at_end(std::string_view text) {
  const std::size_t last = text.find_last_not_of(" \t\r");
  return text.substr(0, last == std::string_view::npos ? 0 : last + 1);
}

std::string_view without_blanks(std::string_view text) {
  text = without_blanks_at_end(text);
  return text.substr(std::min(text.find_first_not_of(" \t"), text.size()));
}

std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    lines.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  // Somebody who ends every line with a carriage return does not mean it as a part of the lines.
  const auto ends_so = [&](const std::string_view& line) {
    return line.empty() || line.ends_with('\r') || &line == &lines.back();
  };
  const bool has_returns = std::ranges::all_of(lines, ends_so);
  for (std::string_view& line : lines) {
    if (has_returns && line.ends_with('\r')) line.remove_suffix(1);
  }
  return lines;
}

// "<<'EOF'", also behind "apply_patch" or "cat": the word that ends the text; nothing: it is something else.
std::optional<std::string_view> here_document_word(std::string_view line) {
  const std::size_t at = line.find("<<");
  if (at == std::string_view::npos) return std::nullopt;
  const std::string_view command = without_blanks(line.substr(0, at));
  if (!command.empty() && command != "apply_patch" && command != "applypatch" && command != "cat") return std::nullopt;
  std::string_view word = without_blanks(line.substr(at + 2));
  if (word.starts_with('-')) word = without_blanks(word.substr(1));
  const bool is_quoted = word.size() > 2 && (word[0] == '\'' || word[0] == '"') && word.back() == word[0];
  if (is_quoted) word = word.substr(1, word.size() - 2);
  const auto is_letter = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
  };
  if (word.empty() || !std::ranges::all_of(word, is_letter)) return std::nullopt;
  return word;
}

// Models wrap a patch as if it were given to a shell, or shown in Markdown. The wrapping is no part of it: what stands
// before the patch becomes empty, so that lines keep their numbers, and what stands behind it goes.
void unwrap(std::vector<std::string_view>& lines) {
  const auto drop_empty_end = [&] {
    while (!lines.empty() && without_blanks(lines.back()).empty()) lines.pop_back();
  };
  drop_empty_end();
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const std::string_view text = without_blanks(lines[i]);
    const std::optional<std::string_view> word = text.starts_with("```") ? "```" : here_document_word(text);
    if (!word && !text.empty() && text != "%%bash") break;
    lines[i] = "";
    if (word && without_blanks(lines.back()) == *word) lines.pop_back();
    drop_empty_end();
  }
  if (!lines.empty() && without_blanks(lines.back()) == kEnd) lines.back() = kEnd;
}

std::vector<std::string_view> patch_lines(std::string_view text) {
  std::vector<std::string_view> lines = lines_of(text);
  unwrap(lines);
  return lines;
}

std::optional<std::string> header(std::string_view line, std::string_view word) {
  if (!line.starts_with(word)) return std::nullopt;
  return std::string(without_blanks(line.substr(word.size())));
}

bool is_header(std::string_view line) {
  return line.starts_with(kAdd) || line.starts_with(kDelete) || line.starts_with(kUpdate) ||
         without_blanks_at_end(line) == kEnd;
}

// "-1,3 +1,4 @@ int main()": numbers of other formats say nothing here; what stands behind them does.
std::string_view without_numbers(std::string_view text) {
  const bool has_numbers = text.starts_with('-') && text.size() > 1 && text[1] >= '0' && text[1] <= '9';
  const std::size_t end = has_numbers ? text.find("@@") : std::string_view::npos;
  if (end == std::string_view::npos) return text;
  const bool is_range = text.substr(0, end).find_first_not_of("-+, 0123456789") == std::string_view::npos;
  return is_range ? text.substr(end + 2) : text;
}

class Parser {
 public:
  explicit Parser(std::string_view text) : lines_(patch_lines(text)) {}

  Result<std::vector<FilePatch>> parse() {
    while (at_ < lines_.size() && without_blanks(lines_[at_]).empty()) ++at_;
    if (at_ == lines_.size() || without_blanks(lines_[at_]) != kBegin) {
      return fail(Errc::invalid_input, "A patch begins with the line " + std::string(kBegin) + ".");
    }
    ++at_;
    std::vector<FilePatch> files;
    for (;;) {
      while (at_ < lines_.size() && without_blanks(lines_[at_]).empty()) ++at_;
      if (at_ == lines_.size()) {
        return fail(Errc::invalid_input, "The patch does not end with the line " + std::string(kEnd) +
                                             ", so a part of it may be missing: send it again, whole.");
      }
      if (without_blanks_at_end(lines_[at_]) == kEnd) break;
      auto file = parse_file();
      if (!file) return std::unexpected(file.error());
      if (files.size() == kPatchFilesMax) {
        return fail(Errc::limit, "A patch changes at most " + std::to_string(kPatchFilesMax) + " files: send several.");
      }
      files.push_back(std::move(*file));
    }
    for (++at_; at_ < lines_.size(); ++at_) {
      if (!without_blanks(lines_[at_]).empty()) return complain("stands behind the end of the patch");
    }
    if (files.empty()) return fail(Errc::invalid_input, "The patch names no file.");
    return files;
  }

 private:
  std::unexpected<Error> complain(std::string_view what) const {
    return fail(Errc::invalid_input, "Line " + std::to_string(at_ + 1) + " of the patch, " + json_quoted(lines_[at_]) +
                                         ", " + std::string(what) + ".");
  }
  static std::string json_quoted(std::string_view line) { return "“" + one_line(line, kLineShownCharactersMax) + "”"; }

  Result<FilePatch> parse_file() {
    const std::string_view line = without_blanks(lines_[at_]);
    FilePatch file;
    if (auto path = header(line, kAdd)) {
      file = {.kind = FilePatch::Kind::add, .path = std::move(*path)};
    } else if (auto removed = header(line, kDelete)) {
      file = {.kind = FilePatch::Kind::remove, .path = std::move(*removed)};
    } else if (auto updated = header(line, kUpdate)) {
      file = {.kind = FilePatch::Kind::update, .path = std::move(*updated)};
    } else {
      return complain("is none of *** Add File: PATH, *** Update File: PATH, *** Delete File: PATH and *** End Patch");
    }
    if (file.path.empty()) return complain("names no path");
    ++at_;
    Result<void> parsed;
    if (file.kind == FilePatch::Kind::add) parsed = parse_content(file);
    if (file.kind == FilePatch::Kind::update) parsed = parse_update(file);
    if (!parsed) return std::unexpected(parsed.error());
    return file;
  }

  Result<void> parse_content(FilePatch& file) {
    // No line of the file begins with a blank: a header that does is one all the same.
    for (; at_ < lines_.size() && !is_header(without_blanks(lines_[at_])); ++at_) {
      const std::string_view line = lines_[at_];
      if (line.empty() && is_empty_until_header()) continue;
      if (!line.starts_with('+')) return complain("does not begin with +, as every line of an added file does");
      file.content.append(line.substr(1)).push_back('\n');
    }
    return {};
  }

  Result<void> parse_update(FilePatch& file) {
    if (at_ < lines_.size()) {
      if (auto target = header(lines_[at_], kMove)) {
        if (target->empty()) return complain("names no path");
        file.move_to = std::move(*target);
        ++at_;
      }
    }
    while (at_ < lines_.size() && !is_header(lines_[at_])) {
      if (lines_[at_].empty() && is_empty_until_header()) {
        ++at_;
        continue;
      }
      auto chunk = parse_chunk();
      if (!chunk) return std::unexpected(chunk.error());
      file.chunks.push_back(std::move(*chunk));
    }
    if (file.chunks.empty() && file.move_to.empty()) {
      return fail(Errc::invalid_input, "The patch updates " + file.path + ", but says no change of it.");
    }
    return {};
  }

  Result<PatchChunk> parse_chunk() {
    PatchChunk chunk{.line_number = at_ + 1};
    for (; at_ < lines_.size() && lines_[at_].starts_with("@@"); ++at_) {
      const std::string_view text = without_blanks(without_numbers(without_blanks(lines_[at_].substr(2))));
      if (!text.empty()) chunk.anchors.emplace_back(text);
    }
    std::size_t bare = 0;  // empty lines at its end, which may as well only set it apart from what follows
    for (; at_ < lines_.size() && !is_header(lines_[at_]) && !lines_[at_].starts_with("@@"); ++at_) {
      const std::string_view line = lines_[at_];
      if (without_blanks_at_end(line) == kEndOfFile) {
        chunk.at_end = true;
        ++at_;
        break;
      }
      using Kind = PatchLine::Kind;
      bare = line.empty() ? bare + 1 : 0;
      if (line.empty()) {
        chunk.lines.push_back({Kind::stays, ""});
      } else if (line[0] == ' ' || line[0] == '+' || line[0] == '-') {
        const Kind kind = line[0] == ' ' ? Kind::stays : line[0] == '+' ? Kind::comes : Kind::goes;
        chunk.lines.push_back({kind, std::string(line.substr(1))});
      } else {
        return complain("begins with none of a blank (it stays), - (it goes), + (it comes), @@ and ***");
      }
    }
    chunk.lines.resize(chunk.lines.size() - bare);
    if (std::ranges::all_of(chunk.lines, [](const PatchLine& line) { return line.kind == PatchLine::Kind::stays; })) {
      return fail(Errc::invalid_input,
                  "The chunk at line " + std::to_string(chunk.line_number) + " of the patch changes nothing.");
    }
    return chunk;
  }

  bool is_empty_until_header() const {
    std::size_t next = at_;
    while (next < lines_.size() && lines_[next].empty()) ++next;
    return next == lines_.size() || is_header(without_blanks(lines_[next]));
  }

  const std::vector<std::string_view> lines_;
  std::size_t at_ = 0;
};

}  // namespace

Result<std::vector<FilePatch>> parse_patch(std::string_view text) {
  if (text.size() > kPatchTextBytesMax) {
    return fail(Errc::limit, "The patch is larger than " + human_bytes(kPatchTextBytesMax) + ": send several.");
  }
  return Parser(text).parse();
}

std::vector<std::string> paths_in_patch(std::string_view text) {
  std::vector<std::string> paths;
  if (const auto files = parse_patch(text)) {
    for (const FilePatch& file : *files) {
      paths.push_back(file.path);
      if (!file.move_to.empty()) paths.push_back(file.move_to);
    }
    return paths;
  }
  for (const std::string_view line : lines_of(text)) {
    for (const std::string_view word : {kAdd, kDelete, kUpdate, kMove}) {
      auto path = header(without_blanks(line), word);
      if (path && !path->empty()) paths.push_back(std::move(*path));
    }
  }
  return paths;
}

}  // namespace deft
