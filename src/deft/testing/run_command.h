#pragma once

#include <string>
#include <vector>

namespace deft::testing {

struct CommandOutput {
  int exit_code = 0;
  std::string output;
  std::string errors;
};

// Runs a program that a test uses as an oracle, found in the usual folders, with a home of its own that holds nothing.
// If the program is not there, an exception ends the test and names the package that holds it.
CommandOutput run_command(const std::vector<std::string>& argv, const std::string& directory,
                          const std::string& package, const std::string& input = {});

}  // namespace deft::testing
