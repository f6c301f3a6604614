#include "deft/os/resolve_path.h"

#include <vector>

#include "deft/base/path.h"
#include "deft/os/files.h"

namespace deft {

namespace {

// Puts the parts of `path` on top of what is left to do, the first part last, so that it is taken first.
void push_parts(std::vector<std::string>& to_do, std::string_view path) {
  std::vector<std::string> parts;
  for (std::size_t start = 0; start < path.size();) {
    const std::size_t slash = std::min(path.find('/', start), path.size());
    if (slash > start) parts.emplace_back(path.substr(start, slash - start));
    start = slash + 1;
  }
  to_do.insert(to_do.end(), parts.rbegin(), parts.rend());
}

}  // namespace

Result<std::string> resolve_path(std::string_view path, const LookAtPath& look) {
  if (auto good = check_path(path); !good) return std::unexpected(good.error());
  std::string done;  // canonical; empty stands for "/"
  std::vector<std::string> to_do;
  push_parts(to_do, path);
  for (int links = 0; !to_do.empty();) {
    const std::string part = std::move(to_do.back());
    to_do.pop_back();
    if (part == ".") continue;
    if (part == "..") {
      done.resize(done.empty() ? 0 : done.rfind('/'));
      continue;
    }
    const std::string next = done + "/" + part;
    const auto step = look(next);
    if (!step) return std::unexpected(step.error());
    if (step->kind == PathStep::Kind::link) {
      if (++links > kPathLinksMax) {
        return fail(Errc::invalid_input,
                    std::string(path) + " goes through a loop of symbolic links: use another path.");
      }
      if (step->text.starts_with('/')) done.clear();
      push_parts(to_do, step->text);
    } else {
      done = step->kind == PathStep::Kind::other_name ? done + "/" + step->text : next;
    }
    if (done.size() > kPathBytesMax)
      return fail(Errc::invalid_input, std::string(path) + " leads to a path that is too long.");
  }
  return done.empty() ? "/" : done;
}

}  // namespace deft
