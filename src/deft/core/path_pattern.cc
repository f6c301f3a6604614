#include "deft/core/path_pattern.h"

#include <algorithm>
#include <utility>

#include "deft/base/path.h"

namespace deft {
namespace {

constexpr std::string_view kWild = "*?[\\{";

bool is_plain(std::string_view text) { return text.find_first_of(kWild) == std::string_view::npos; }

// The leading segments without anything special in them, and the rest.
std::pair<std::string_view, std::string_view> split_literal(std::string_view pattern) {
  const std::size_t wild = pattern.find_first_of(kWild);
  if (wild == std::string_view::npos) return {pattern, {}};
  const std::size_t slash = pattern.rfind('/', wild);
  if (slash == std::string_view::npos) return {{}, pattern};
  return {pattern.substr(0, slash), pattern.substr(slash + 1)};
}

std::string join(std::string_view root, std::string_view below) {
  if (below.empty()) return std::string(root);
  return (root == "/" ? "" : std::string(root)) + "/" + std::string(below);
}

// What is below `root` in `path`; nothing if it is not.
std::optional<std::string_view> below_root(std::string_view path, std::string_view root) {
  if (!is_at_or_below(path, root) || path.size() == root.size()) return std::nullopt;
  return path.substr(root == "/" ? 1 : root.size() + 1);
}

// "." and ".." have no place in a pattern but at its beginning.
bool has_dot_segment(std::string_view pattern) {
  for (std::size_t start = 0; start <= pattern.size();) {
    const std::size_t slash = std::min(pattern.find('/', start), pattern.size());
    const std::string_view segment = pattern.substr(start, slash - start);
    if (segment == "." || segment == "..") return true;
    start = slash + 1;
  }
  return false;
}

std::string without_double_slashes(std::string_view pattern) {
  std::string out;
  for (const char c : pattern) {
    if (c != '/' || !out.ends_with('/')) out += c;
  }
  return out;
}

struct Anchored {
  std::string root;
  std::string_view pattern;
  bool is_fixed = false;  // a slash in front: not at any depth
};

Result<Anchored> find_anchor(std::string_view pattern, const PatternPlace& place) {
  const auto unusable = [](std::string why) { return fail(Errc::invalid_input, std::move(why)); };
  if (pattern.starts_with("//")) return Anchored{"/", pattern.substr(2), true};
  if (pattern.starts_with('/')) {
    if (place.source_root.empty()) return unusable("begins with '/', but its settings have no folder");
    return Anchored{place.source_root, pattern.substr(1), true};
  }
  if (pattern == "~" || pattern.starts_with("~/")) {
    if (place.home.empty()) return unusable("begins with '~', but there is no home folder");
    return Anchored{place.home, pattern.substr(std::min<std::size_t>(2, pattern.size())), true};
  }
  if (pattern.starts_with('~')) return unusable("names another user's home; write //path instead");
  Anchored anchored{place.directory, pattern};
  while (true) {
    if (anchored.pattern.starts_with("./")) {
      anchored.pattern.remove_prefix(2);
    } else if (anchored.pattern.starts_with("../")) {
      anchored.pattern.remove_prefix(3);
      anchored.root = std::string(parent_path(anchored.root));
      anchored.is_fixed = true;
    } else {
      break;
    }
  }
  if (anchored.pattern == ".") anchored.pattern = "";
  return anchored;
}

}  // namespace

Result<PathPattern> PathPattern::compile(std::string_view text, RuleList list, const PatternPlace& place) {
  if (text.starts_with('!')) return fail(Errc::invalid_input, "begins with '!', which rules do not have");
  auto anchored = find_anchor(text, place);
  if (!anchored) return std::unexpected(anchored.error());
  anchored->root = normal_path(anchored->root);
  const std::string cleaned = without_double_slashes(anchored->pattern);
  std::string_view pattern = cleaned;
  if (pattern.ends_with('/')) pattern.remove_suffix(1);  // "dir/" is the folder and all that is in it
  if (has_dot_segment(pattern)) return fail(Errc::invalid_input, "has '.' or '..' inside; write the path without");
  const bool denies = list != RuleList::allow;
  const std::size_t slash = pattern.find('/');
  const bool is_one_folder = slash != std::string_view::npos && pattern.substr(slash) == "/**" && slash > 0;
  // Behind "/" a bare name has its place; behind "~/" and "./" it is denied at any depth, but allowed only there.
  const bool has_place = anchored->is_fixed || text.starts_with("./");
  const bool is_bare =
      slash == std::string_view::npos && !pattern.empty() && !text.starts_with('/') && (denies || !has_place);
  const bool any_depth = is_bare || (is_one_folder && denies && !anchored->is_fixed);

  // A folder that matches covers what is in it. To allow so, its name must be there: src/* allows no deeper than that.
  const std::string_view last = pattern.substr(pattern.rfind('/') + 1);
  const bool covers_below = denies || is_plain(last) || pattern == "**";

  PathPattern compiled;
  std::vector<std::string> roots = {anchored->root};
  if (place.resolve) {
    auto resolved = place.resolve(anchored->root);
    if (resolved && *resolved != anchored->root) roots.push_back(std::move(*resolved));
  }
  std::vector<std::string> patterns = {std::string(pattern)};
  if (covers_below && !is_plain(pattern) && !pattern.ends_with("/**")) patterns.push_back(std::string(pattern) + "/**");
  for (const std::string& root : roots) {
    for (const std::string& one : patterns) {
      // gitignore knows no braces; whoever denies with them means them.
      const bool has_braces = denies && one.find('{') != std::string::npos;
      for (const bool braces : {false, true}) {
        if (braces && !has_braces) continue;
        if (auto added = compiled.add(root, one, any_depth, braces); !added) return std::unexpected(added.error());
      }
    }
  }
  // What lies behind a link is denied under its real name, too. To allow, both names must be allowed by themselves.
  const auto [literal, rest] = split_literal(pattern);
  if (denies && place.resolve && !literal.empty() && !any_depth) {
    const std::string written = join(anchored->root, literal);
    const auto resolved = place.resolve(written);
    if (resolved && *resolved != written) {
      for (const std::string& one : {std::string(rest), rest.empty() ? std::string() : std::string(rest) + "/**"}) {
        if (auto added = compiled.add(*resolved, one, /*any_depth=*/false, /*braces=*/false); !added) {
          return std::unexpected(added.error());
        }
        if (rest.empty()) break;
      }
    }
  }
  return compiled;
}

Result<void> PathPattern::add(const std::string& root, std::string_view pattern, bool any_depth, bool braces) {
  Variant variant{.root = root};
  const bool is_below = pattern.ends_with("/**");
  const std::string_view name = is_below ? pattern.substr(0, pattern.size() - 3) : pattern;
  if (any_depth && is_plain(name) && name.find('/') == std::string_view::npos) {
    variant.any_depth_name = name;
    variant.only_below = is_below;
  } else if (!any_depth && is_plain(pattern)) {
    variant.is_literal = true;
    variant.literal = pattern;
  } else {
    if (!any_depth) variant.literal = split_literal(pattern).first;
    auto glob = Glob::compile((any_depth ? "**/" : "") + std::string(pattern), {.braces = braces, .characters = false});
    if (!glob) return std::unexpected(glob.error());
    variant.glob = std::move(*glob);
  }
  variants_.push_back(std::move(variant));
  return {};
}

bool PathPattern::matches(const Variant& variant, std::string_view below) {
  if (!variant.any_depth_name.empty()) {
    for (std::size_t start = 0; start <= below.size();) {
      const std::size_t slash = std::min(below.find('/', start), below.size());
      const bool is_last = slash == below.size();
      if (below.substr(start, slash - start) == variant.any_depth_name && !(is_last && variant.only_below)) return true;
      start = slash + 1;
    }
    return false;
  }
  if (variant.is_literal) return variant.literal.empty() || is_at_or_below(below, variant.literal);
  if (!variant.literal.empty() && !is_at_or_below(below, variant.literal)) return false;
  return variant.glob->matches(below);
}

bool PathPattern::matches(std::string_view path) const {
  return std::ranges::any_of(variants_, [&](const Variant& variant) {
    // The root itself: only what means the root as a whole.
    if (path == variant.root) return variant.is_literal && variant.literal.empty();
    const auto below = below_root(path, variant.root);
    return below && matches(variant, *below);
  });
}

bool PathPattern::covers_folder(std::string_view folder) const {
  // A name that no pattern was written for: what matches it matches everything there.
  return matches(join(folder, "\x01")) || matches(folder);
}

bool PathPattern::covers_tree(std::string_view folder) const {
  return matches(join(folder, "\x01")) && matches(join(folder, "\x01/\x01"));
}

bool PathPattern::may_match_below(std::string_view folder) const {
  return std::ranges::any_of(variants_, [&](const Variant& variant) {
    if (is_at_or_below(variant.root, folder)) return true;
    const auto below = below_root(folder, variant.root);
    if (!below) return false;
    if (!variant.any_depth_name.empty() || matches(variant, *below)) return true;
    if (variant.is_literal) return is_at_or_below(variant.literal, *below);
    return variant.glob->may_match_below(*below);
  });
}

}  // namespace deft
