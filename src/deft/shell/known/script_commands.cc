#include "deft/shell/known/command.h"

// Commands with a little language of their own. Interpreters of whole languages are not among them.

namespace deft::shell {

Problem judge_sed(Words words, const Situation& situation);
Problem judge_awk(Words words, const Situation& situation);

namespace {

constexpr CommandRule kRules[] = {
    {"sed gsed", Operands::files, kPlain, "", nullptr, judge_sed},
    {"awk gawk mawk nawk", Operands::files, kPlain, "", nullptr, judge_awk},
    // The language of bc has no way out; that of dc has.
    {"bc", Operands::none, kPlain, "-lqsw --mathlib --quiet --standard --warn"},
};

}  // namespace

std::span<const CommandRule> script_commands() { return kRules; }

}  // namespace deft::shell
