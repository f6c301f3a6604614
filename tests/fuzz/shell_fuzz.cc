// Shell command lines: parsing, reduction and verdict never crash, hang or contradict themselves. Whether bash accepts
// what the parser accepts is compared in a unit test, since a fuzz target starts no processes.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "deft/base/check.h"
#include "deft/base/json.h"
#include "deft/shell/classify.h"
#include "deft/shell/exit_codes.h"
#include "deft/shell/named_files.h"
#include "deft/shell/named_paths.h"
#include "deft/shell/parse.h"
#include "deft/shell/render.h"

namespace {

using namespace deft;

const shell::ClassifyOptions kHere{.cwd = "/p", .home = "/home/me", .files = {}};

void check_line(std::string_view text) {
  const auto parsed = shell::parse(text);
  const bool read_only = shell::classify(text, kHere).read_only;
  if (!parsed) {
    DEFT_CHECK(!read_only);
    return;
  }
  const shell::Commands commands = shell::commands_of(*parsed, {kHere.cwd, kHere.home});
  DEFT_CHECK(!render(*parsed).empty() || parsed->items.empty());
  (void)render(commands);
  (void)shown_files(commands);
  (void)touched_paths(commands);
  (void)shell::meaning_of_exit(*parsed, 1);
  // A line end after it changes nothing, and no text hides a command in the next line.
  const std::string line(text);
  DEFT_CHECK(shell::parse(line + "\n").has_value());
  DEFT_CHECK(shell::classify(line + "\n", kHere).read_only == read_only ||
             line.size() >= shell::kClassifiedCharactersMax);
  DEFT_CHECK(!shell::classify(line + "\nrm x", kHere).read_only);
  DEFT_CHECK(!shell::classify("rm x\n" + line, kHere).read_only);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  check_line(bytes);
  DEFT_CHECK(deft::parse_json(shell::classify_json_line(bytes, kHere)).has_value());
  return 0;
}
