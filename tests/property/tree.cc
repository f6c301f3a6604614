#include <sys/stat.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <vector>

#include "random_message.h"

namespace deft::testing {

namespace fs = std::filesystem;

void plant_tree(const std::string& folder) {
  const auto put = [&](std::string_view name, std::string_view text) {
    const fs::path path = fs::path(folder) / name;
    fs::create_directories(path.parent_path());
    std::ofstream(path) << text;
  };
  put("a.txt", "alpha\nbeta\ngamma\n");
  put("b.txt", "beta\nbeta\n");
  put("empty.txt", "");
  put("d/c.txt", "gamma delta\nalpha\n");
  put("d/e/f.txt", "omega\n");
  fs::create_symlink("a.txt", folder + "/link_a");
  fs::create_symlink("d", folder + "/link_d");
  fs::create_symlink("..", folder + "/d/up");
  fs::create_symlink("nowhere.txt", folder + "/dangling");
  fs::create_symlink("loop", folder + "/loop");
  fs::create_hard_link(folder + "/b.txt", folder + "/hard_b");
}

std::string tree_below(const std::string& folder) {
  std::vector<std::string> lines;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    struct stat status{};
    ::lstat(entry.path().c_str(), &status);
    char mode[8];
    std::snprintf(mode, sizeof mode, " %03o ", status.st_mode & 0777U);
    std::string line = entry.path().lexically_relative(folder);
    if (entry.is_symlink()) {
      line += " -> " + fs::read_symlink(entry.path()).string();
    } else if (entry.is_directory()) {
      line += mode + std::string("folder");
    } else {
      std::ifstream file(entry.path());
      const std::string text(std::istreambuf_iterator<char>(file), {});
      line += mode + std::to_string(status.st_nlink) + " " + json_quote(text);
    }
    lines.push_back(std::move(line));
  }
  std::sort(lines.begin(), lines.end());
  std::string tree;
  for (const std::string& line : lines) tree += line + "\n";
  return tree;
}

}  // namespace deft::testing
