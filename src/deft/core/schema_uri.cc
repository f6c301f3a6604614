#include "deft/core/schema_uri.h"

namespace deft::schema {
namespace {

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

struct Parts {
  std::optional<std::string_view> scheme;
  std::optional<std::string_view> authority;
  std::string_view path;
  std::optional<std::string_view> query;
};

std::optional<std::string_view> scheme_of(std::string_view uri) {
  if (uri.empty() || !is_letter(uri.front())) return std::nullopt;
  for (std::size_t i = 1; i < uri.size(); ++i) {
    const char c = uri[i];
    if (c == ':') return uri.substr(0, i);
    if (!is_letter(c) && !is_digit(c) && c != '+' && c != '-' && c != '.') return std::nullopt;
  }
  return std::nullopt;
}

Parts split(std::string_view uri) {
  Parts parts;
  parts.scheme = scheme_of(uri);
  if (parts.scheme) uri.remove_prefix(parts.scheme->size() + 1);
  if (const auto mark = uri.find('?'); mark != std::string_view::npos) {
    parts.query = uri.substr(mark + 1);
    uri = uri.substr(0, mark);
  }
  if (uri.starts_with("//")) {
    uri.remove_prefix(2);
    const auto end = std::min(uri.find('/'), uri.size());
    parts.authority = uri.substr(0, end);
    uri.remove_prefix(end);
  }
  parts.path = uri;
  return parts;
}

std::string join(const Parts& parts, std::string_view path) {
  std::string uri;
  if (parts.scheme) uri.append(*parts.scheme).append(":");
  if (parts.authority) uri.append("//").append(*parts.authority);
  uri.append(path);
  if (parts.query) uri.append("?").append(*parts.query);
  return uri;
}

std::string without_dot_segments(std::string_view path) {
  std::string out;
  const bool rooted = path.starts_with('/');
  while (!path.empty()) {
    const auto slash = path.find('/', path.front() == '/' ? 1 : 0);
    const std::string_view segment = path.substr(0, slash);  // with the slash before it
    path.remove_prefix(segment.size());
    const std::string_view name = segment.starts_with('/') ? segment.substr(1) : segment;
    if (name != "." && name != "..") {
      out.append(segment);
      continue;
    }
    if (name == "..") out.resize(out.find('/') == std::string::npos ? 0 : out.rfind('/'));
    if (path.empty() && (rooted || !out.empty())) out += '/';
  }
  if (rooted && out.empty()) out = "/";
  return out;
}

std::string merged_path(const Parts& base, std::string_view path) {
  if (base.authority && base.path.empty()) return "/" + std::string(path);
  const auto slash = base.path.rfind('/');
  const std::string_view folder = slash == std::string_view::npos ? std::string_view() : base.path.substr(0, slash + 1);
  return std::string(folder).append(path);
}

int hex_value(char c) {
  if (is_digit(c)) return c - '0';
  const char lower = static_cast<char>(c | 0x20);
  return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
}

}  // namespace

UriAndFragment split_fragment(std::string_view reference) {
  const auto mark = reference.find('#');
  if (mark == std::string_view::npos) return {reference, {}};
  return {reference.substr(0, mark), reference.substr(mark + 1)};
}

std::string resolve_uri(std::string_view base, std::string_view reference) {
  Parts target = split(reference);
  if (target.scheme)
    return join(target, target.authority ? without_dot_segments(target.path) : std::string(target.path));

  const Parts from = split(base);
  target.scheme = from.scheme;
  if (target.authority) return join(target, without_dot_segments(target.path));

  target.authority = from.authority;
  if (target.path.empty()) {
    if (!target.query) target.query = from.query;
    return join(target, from.path);
  }
  if (target.path.starts_with('/')) return join(target, without_dot_segments(target.path));
  return join(target, without_dot_segments(merged_path(from, target.path)));
}

std::optional<std::string> percent_decode(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      out += text[i];
      continue;
    }
    if (i + 2 >= text.size()) return std::nullopt;
    const int high = hex_value(text[i + 1]);
    const int low = hex_value(text[i + 2]);
    if (high < 0 || low < 0) return std::nullopt;
    out += static_cast<char>(high * 16 + low);
    i += 2;
  }
  return out;
}

}  // namespace deft::schema
