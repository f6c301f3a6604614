#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "deft/testing/split.h"
#include "search_oracle.h"
#include "search_tree.h"

// The same question to Grep and to ripgrep, over real trees: the answers are the same line for line. Debian's ripgrep
// is version 13; DEFT_RIPGREP=/path/to/rg compares with another one. Left out because the versions differ: the type
// "make", to which later ones add Makefile.*. Left out because Grep refuses it and says what to do instead: (?-u).

namespace deft::testing {
namespace {

// One input of Grep a line.
void expect_same(SearchOracle& oracle, std::string_view inputs) {
  for (const std::string& input : split(inputs, '\n')) {
    if (input.empty()) continue;
    EXPECT_EQ(oracle.grep_difference(parse_json(input)->get_object()), "") << input << " in " << oracle.tree();
  }
}

TEST(GrepAgainstRipgrep, TheSystemsHeaders) {
  SearchOracle oracle("/usr/include");
  expect_same(oracle, R"table(
{"pattern":"std::\\w+_ptr<\\s*const"}
{"pattern":"(TODO|FIXME|XXX|HACK)","output_mode":"count"}
)table");
}

TEST(GrepAgainstRipgrep, TheHeadersOfTheStandardLibrary) {
  SearchOracle oracle("/usr/include/c++");
  expect_same(oracle, R"table(
{"pattern":"\\w+_iterator<[A-Z]\\w*>","output_mode":"content"}
{"pattern":"unique_ptr","output_mode":"content","-C":2}
{"pattern":"regex_error","output_mode":"content","-A":3,"-i":true}
{"pattern":"^#\\s*define\\s+_GLIBCXX_\\w+$","output_mode":"content","-n":false}
{"pattern":"\\bnoexcept\\b","output_mode":"count"}
{"pattern":"template\\s*<[^>]*>\\s*struct\\s+is_\\w+","multiline":true}
{"pattern":"struct hash<.*?\\};","multiline":true,"output_mode":"count"}
{"pattern":"[^\\x00-\\x7F]","output_mode":"content"}
{"pattern":"basic_\\w+","output_mode":"content","-o":true,"glob":"*_fwd.h"}
{"pattern":"namespace","glob":"!*.h"}
{"pattern":"namespace","type":"h"}
{"pattern":"no such text anywhere"}
)table");
}

TEST(GrepAgainstRipgrep, ModulesOfNode) {
  SearchOracle oracle("/usr/share/nodejs");
  expect_same(oracle, R"table(
{"pattern":"module\\.exports","output_mode":"count"}
{"pattern":"require\\(['\"]\\./_base\\w+['\"]\\)","output_mode":"content"}
{"pattern":"deprecated","output_mode":"content","-i":true,"-B":1,"-A":2}
{"pattern":"function","type":"ts"}
{"pattern":"function","glob":"*.{ts,mts}","output_mode":"count"}
{"pattern":"\"version\":\\s*\"[\\d.]+\"","glob":"package.json","output_mode":"content"}
{"pattern":"/\\*\\*.*?@since 4\\.0\\.0","multiline":true,"output_mode":"count"}
{"pattern":"(?i)ISARRAY\\b","output_mode":"content","-o":true}
{"pattern":"^$","output_mode":"count","path":"lodash"}
)table");
}

TEST(GrepInACheckout, FilesThatMatch) {
  SearchOracle oracle(shared_search_tree().checkout, shared_search_tree().home);
  expect_same(oracle, R"table(
{"pattern":""}
{"pattern":"foo"}
{"pattern":"FOO","-i":true}
{"pattern":"foo$"}
{"pattern":"^bar"}
{"pattern":"^$"}
{"pattern":"\\s+$"}
{"pattern":"\\p{Greek}"}
{"pattern":"[^\\x00-\\x7F]"}
{"pattern":"x*"}
{"pattern":"kelvin","-i":true}
{"pattern":"\\bSEE\\b","-i":true}
{"pattern":"STRASSE|stra\u00dfe","-i":true}
{"pattern":"(foo|bar) (foo|bar)"}
{"pattern":"foo","path":"src"}
{"pattern":"foo","path":"odd"}
{"pattern":"foo","path":"inner"}
{"pattern":"foo","multiline":true}
{"pattern":"foo\\s+bar","multiline":true}
{"pattern":"\\Afoo","multiline":true}
{"pattern":"foo\\z","multiline":true}
{"pattern":"foo.*bar.*foo","multiline":true}
)table");
}

TEST(GrepInACheckout, LinesThatMatch) {
  SearchOracle oracle(shared_search_tree().checkout, shared_search_tree().home);
  expect_same(oracle, R"table(
{"pattern":"foo","output_mode":"content"}
{"pattern":"foo","output_mode":"content","path":"odd"}
{"pattern":"foo","output_mode":"content","path":"odd","-C":1}
{"pattern":"foo","output_mode":"content","path":"odd","-o":true}
{"pattern":"bar$","output_mode":"content","-n":false}
{"pattern":"^\\s*$","output_mode":"content"}
{"pattern":"\\d{4}-\\d{2}-\\d{2}","output_mode":"content","-o":true}
{"pattern":"unique_ptr<\\s*const","output_mode":"content","-A":2}
{"pattern":"TODO.*FIXME","output_mode":"content","-B":3}
{"pattern":"na\\wve","output_mode":"content","-C":1}
{"pattern":"foo$\\n^bar","multiline":true,"output_mode":"content"}
{"pattern":"TODO\\s+FIXME","multiline":true,"output_mode":"content","-C":1}
{"pattern":"\\w+_iterator<[A-Z]\\w*>","output_mode":"content"}
{"pattern":"[[:upper:]]{4,}","output_mode":"content","-o":true}
)table");
}

TEST(GrepInACheckout, HowOftenFilesMatch) {
  SearchOracle oracle(shared_search_tree().checkout, shared_search_tree().home);
  expect_same(oracle, R"table(
{"pattern":"foo","output_mode":"count"}
{"pattern":"","output_mode":"count"}
{"pattern":"foo","output_mode":"count","-o":true}
{"pattern":"FOO","output_mode":"count","-i":true}
{"pattern":"$","output_mode":"count"}
{"pattern":"\\n","output_mode":"count","multiline":true}
{"pattern":"foo[^b]*bar","output_mode":"count","multiline":true}
)table");
}

TEST(GrepInACheckout, ChosenByGlobOrType) {
  SearchOracle oracle(shared_search_tree().checkout, shared_search_tree().home);
  expect_same(oracle, R"table(
{"pattern":"foo","glob":"*.c"}
{"pattern":"foo","glob":"*.{c,h}"}
{"pattern":"foo","glob":"!*.c"}
{"pattern":"foo","glob":"src/**"}
{"pattern":"foo","glob":"/src/*.py"}
{"pattern":"foo","glob":"**/lib/**/*.md"}
{"pattern":"foo","glob":"**/test/*"}
{"pattern":"foo","glob":"!docs/"}
{"pattern":"foo","glob":"[km]*.??"}
{"pattern":"foo","glob":"*.log"}
{"pattern":"foo","glob":"node_modules"}
{"pattern":"foo","glob":"*.{min.js,ts}","output_mode":"count"}
{"pattern":"foo","type":"c"}
{"pattern":"foo","type":"py","output_mode":"count"}
{"pattern":"foo","type":"js","glob":"!*.min.js"}
{"pattern":"foo","type":"md","path":"src"}
)table");
}

}  // namespace
}  // namespace deft::testing
