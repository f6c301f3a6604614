#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "deft/base/json.h"
#include "deft/testing/temp_folder.h"

namespace deft::testing {

// `deft -p` at work in a folder, with a scripted model, a home of its own and stream-json as its output.
class DeftHeadless {
 public:
  // `script`: the lines of the scripted model.
  DeftHeadless(const TempFolder& folder, std::vector<std::string> script);

  struct Run {
    int exit_code = 0;
    std::vector<Json> lines;
    std::string errors;

    Json result() const;       // the last line
    std::string text() const;  // of the result: what it says, or why it says nothing
    Json init() const;
    std::string all() const;
  };
  // In `directory` below the folder.
  Run run(std::vector<std::string> arguments, std::string_view input = {});

  std::string directory;                      // where it works
  std::vector<std::string> environment = {};  // further variables

 private:
  const TempFolder& folder_;
};

}  // namespace deft::testing
