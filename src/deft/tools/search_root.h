#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "deft/base/result.h"
#include "deft/tools/tool.h"

namespace deft {

// How the search tools are set up.
struct SearchOptions {
  bool respect_ignore = false;  // Glob: leave out what ignore files name. Grep always does
  // What must neither be read nor named, by its absolute path; a denied folder is not entered. Called from several
  // threads at once.
  std::function<bool(std::string_view path, bool is_folder)> denied = {};
};

// Where a search begins and how the paths in it are shown: as seen from the working directory if they are below it,
// else absolute. Used by Grep and Glob alike.
struct SearchRoot {
  std::string path;  // canonical
  bool is_folder = true;
  std::string shown_prefix;  // before a path that is seen from the root; of a file, all that is shown
  std::string below;         // the root as seen from the working directory, with a slash; empty: it is not below it
};
Result<SearchRoot> open_search_root(std::optional<std::string_view> path, ToolIo& io);

// What a search that respects ignore files reads: the tree, and such files in the folders around it.
Footprint reads_tree_and_rules(std::string path);

// Of the environment, for git's global excludes.
std::string environment_value(const char* name);

// "1 file", "3 files".
std::string counted(std::size_t count, std::string_view noun, std::string_view plural_ending = "s");

// Puts a line under the others, if there is one.
void add_line(std::string& text, std::string_view line);

// One line, whatever the name holds.
std::string shown_path(std::string_view path);

// "[2 folders could not be read, the first is /p/a.]" or nothing.
std::string unreadable_notice(std::size_t folders, std::string_view first, std::size_t files);

}  // namespace deft
