#include <algorithm>

#include "deft/base/utf8.h"
#include "deft/core/schema.h"

namespace deft {
namespace {

constexpr std::size_t kValidationErrorBytesMax = std::size_t{8} << 10;

}  // namespace

std::string input_validation_error(std::span<const SchemaProblem> problems) {
  std::string text = "InputValidationError: the input does not fit the tool's input schema.";
  std::size_t shown = 0;
  for (const SchemaProblem& problem : problems) {
    const std::string where = problem.path.empty() ? "the input itself" : problem.path;
    const std::string line = "\n- " + where + ": expected " + problem.expected + ", got " + problem.got;
    if (text.size() + line.size() > kValidationErrorBytesMax) break;
    text += line;
    ++shown;
  }
  if (shown < problems.size()) text += "\nand " + std::to_string(problems.size() - shown) + " more";
  if (problems.size() >= kSchemaProblemsMax) text += "\nThere may be more; only the first are listed.";
  return to_valid_utf8(text);
}

}  // namespace deft
