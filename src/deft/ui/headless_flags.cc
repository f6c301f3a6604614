#include "deft/ui/headless_flags.h"

namespace deft {
namespace {

constexpr std::string_view kIntroduction =
    R"(Carries out one prompt: the model is asked, its tool calls run, until the work is done; then the answer is printed.

Usage: deft -p [OPTIONS] "PROMPT"
)";

constexpr std::string_view kExamples = R"text(
Examples:
  deft -p "Why does the build fail?"
  git diff | deft -p "Review this change" --permission-mode plan
  deft -p "Repair the tests" --allowedTools "Edit,Bash(make:*)" --max-turns 40
  deft -p "List the public functions" --json-schema '{"type":"object","properties":{"names":{"type":"array"}}}'
  deft -p "Go on" --continue --output-format json | jq -r .result
  deft -p "Say hello" --output-format stream-json --include-partial-messages
  deft -p "Answer by script" --script answers.jsonl

A list takes every word up to the next option: put the prompt first, or behind "--".
Exit code: 0 done, 1 an error or unusable arguments, 130 interrupted, 143 ended by SIGTERM.
docs/headless.md describes every line of the output, docs/models.md how the model is chosen.
)text";

}  // namespace

std::string headless_help() { return std::string(kIntroduction) + flags_help(kHeadlessFlags) + std::string(kExamples); }

}  // namespace deft
