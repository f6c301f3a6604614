#pragma once

#include <string>

#include "deft/testing/temp_folder.h"

namespace deft::testing {

// A checkout as awkward as real ones become: thousands of files of many kinds in nested folders, ignore files of every
// sort at several depths, a repository inside, binary files, odd encodings, links, a pipe, names that are not UTF-8.
// Always the same. Beside it, `home` is a home folder with global excludes.
struct SearchTree {
  SearchTree();

  TempFolder folder;
  std::string checkout;
  std::string home;
};
// One for all tests that do not change it.
const SearchTree& shared_search_tree();

}  // namespace deft::testing
