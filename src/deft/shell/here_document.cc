#include <utility>

#include "deft/shell/parser.h"

// Here-documents. Their text begins after the line in which they are announced, so the parser keeps a queue.

namespace deft::shell {
namespace {

// The next line at `position` without its line end. Where the document expands, a backslash at a line's end joins it
// with the next one, before the line is compared with the delimiter: bash does it in this order.
std::string next_line(std::string_view text, std::size_t& position, bool joins) {
  std::string line;
  while (position < text.size() && text[position] != '\n') {
    if (joins && text[position] == '\\' && position + 1 < text.size()) {
      if (text[position + 1] != '\n') line.append(text, position, 2);
      position += 2;
      continue;
    }
    line += text[position++];
  }
  if (position < text.size()) ++position;
  return line;
}

}  // namespace

bool Parser::here_document_delimiter(Redirection& out, bool strips_tabs) {
  auto document = std::make_unique<HereDocument>();
  document->expands = true;
  const std::size_t start = position_;
  while (!at_end() && !is_metacharacter(peek())) {
    const char c = peek();
    if (c == '$' || c == '`') return fail("a here-document delimiter with an expansion");
    if (c == '\\') {
      if (peek(1) == '\n' || peek(1) == '\0') return fail("a here-document delimiter that is cut");
      document->expands = false;
      document->delimiter += peek(1);
      position_ += 2;
    } else if (c == '\'' || c == '"') {
      document->expands = false;
      const std::size_t end = text_.find(c, position_ + 1);
      if (end == std::string_view::npos) return fail("a quote that is not closed");
      const std::string_view quoted = text_.substr(position_ + 1, end - position_ - 1);
      if (quoted.find_first_of("\\$`\n") != std::string_view::npos) return fail("an unusual here-document delimiter");
      document->delimiter += quoted;
      position_ = end + 1;
    } else {
      document->delimiter += c;
      ++position_;
    }
  }
  if (document->delimiter.empty()) return fail("a here-document without a delimiter");
  out.target.source = since(start);
  pending_.push_back({document.get(), strips_tabs});
  out.document = std::move(document);
  return true;
}

bool Parser::here_document_body(const PendingDocument& pending) {
  HereDocument& document = *pending.document;
  ++documents_read_;
  std::string body;
  while (true) {
    if (at_end()) return fail("a here-document without its end");
    std::string line = next_line(text_, position_, document.expands);
    if (pending.strips_tabs) line.erase(0, line.find_first_not_of('\t'));
    if (line == document.delimiter) break;
    body += line;
    body += '\n';
  }
  document.body.source = body;
  if (!document.expands) {
    document.body.parts.push_back(text_part(PartKind::quoted, std::move(body)));
    return true;
  }
  Parser inside(document.body.source, depth_ + 1);
  if (inside.double_quoted_parts(document.body.parts, /*in_document=*/true)) return true;
  return fail("in a here-document: " + inside.error().reason);
}

}  // namespace deft::shell
