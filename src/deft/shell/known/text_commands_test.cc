#include <gtest/gtest.h>

#include "deft/shell/classify_expectations.h"

// What each command's manual page says about options and operands that write, run or fetch. One test per command or
// family; the names say the rule.

namespace deft::shell {
namespace {

const ClassifyOptions kHere{.cwd = "/p", .home = "/home/me", .files = {}};

TEST(KnownText, SortWritesOnlyWithOutputOptionsHoweverTheyAreWritten) {
  expect_read_only({"sort f", "sort -k2,2nr -t, f g", "sort -u < f", "sort --parallel=4 f", "sort -- * -o x",
                    "sort \"$HOME/x\"", "sort ./*.txt", "sort -k \"$x\" f"},
                   kHere);
  expect_not_read_only({"sort -o x f",
                        "sort -ox f",
                        "sort f -o f",
                        "sort -uo x f",
                        "sort -nroout f",
                        "sort --output=x f",
                        "sort --output x f",
                        "sort --outp x f",
                        "sort --compress-program=./x f",
                        "sort --compr ./x f",
                        "sort -T d f",
                        "sort --temporary-directory=d f",
                        "sort *",
                        "sort *.txt",
                        "sort $x",
                        "sort \"$x\"",
                        "sort \"-$x\"",
                        "sort -k1 -oout f",
                        "sort $(echo -oout)",
                        "sort $(cat f)"},
                       kHere);
}

TEST(KnownText, ASecondOperandOfUniqAndXxdIsWrittenWhateverItLooksLike) {
  expect_read_only({"uniq", "uniq f", "uniq -c f", "uniq -w 5 f", "uniq < f", "xxd f", "xxd -p f", "xxd -ps f",
                    "xxd -l 64 -s 16 f", "xxd -c16 f"},
                   kHere);
  expect_not_read_only({"uniq a b", "uniq -c a b", "uniq -- a b", "uniq a -c", "uniq *", "uniq $x", "xxd a b",
                        "xxd -- a b", "xxd a -p", "xxd a -r", "xxd -r a", "xxd -revert a", "xxd -pr a", "xxd -p -r a b",
                        "xxd *", "find . -exec uniq {} x \\;", "ls | xargs uniq", "ls | xargs -n1 xxd"},
                       kHere);
}

TEST(KnownText, CommandsWithoutAnyHarmfulOptionTakeAnyWords) {
  expect_read_only({"cat *",
                    "cat $x",
                    "head *",
                    "tail -n 5 $x",
                    "wc -l *",
                    "cut -d, -f1 $x",
                    "grep foo *",
                    "grep $x",
                    "ls *",
                    "du -sh *",
                    "stat *",
                    "md5sum *",
                    "diff $a $b",
                    "tac *",
                    "nl *",
                    "strings *",
                    "jq . *",
                    "ls | xargs cat",
                    "ls | xargs -I{} head -5 {}",
                    "ls | xargs grep x",
                    "ls | xargs wc -l"},
                   kHere);
}

TEST(KnownText, SedRunsNoScriptThatWritesOrRuns) {
  expect_read_only(
      {"sed -n '1,5p' f", "sed 's/a/b/g' f", "sed -E 's|(a)/b|\\1|' f", "sed -e p -e '1d' f", "sed -n '/a/,/b/{=;p}' f",
       "sed '/^#/d;/^$/d' f", "sed ':a;N;$!ba;s/\\n/ /g' f", "sed 'y/abc/xyz/' f", "sed -n '5{p;q}' f", "sed '$!d' f",
       "sed 's/[[:space:]]*$//' f", "sed 10q f", "sed '1i hello' f", "sed 'r x' f", "sed -n '2~4p' f", "sed 's/w/e/' f",
       "sed --quiet 1p f", "n=5; sed -n \"${n}p\" f", "find . -name x -exec sed -n 1p {} \\;"},
      kHere);
  expect_not_read_only({"sed -i p f",
                        "sed -n -i p f",
                        "sed -ni p f",
                        "sed -Ei p f",
                        "sed p f -i",
                        "sed -i.bak p f",
                        "sed --in-place p f",
                        "sed --in p f",
                        "sed -s -i p f",
                        "sed -f x f",
                        "sed -nf x f",
                        "sed --file=x f",
                        "sed 'w x' f",
                        "sed -n '/a/w x' f",
                        "sed 's/a/b/w x' f",
                        "sed 's/a/b/gw x' f",
                        "sed 's/a/b/3w x' f",
                        "sed 's/a/b/e' f",
                        "sed 's,a,b,ge' f",
                        "sed '1e id' f",
                        "sed e f",
                        "sed 'W x' f",
                        "sed '1!e id' f",
                        "sed '$!{e id\n}' f",
                        "sed 'p;w x' f",
                        "sed '/[/]/w x' f",
                        "sed '\\,a,w x' f",
                        "sed 's/a\\/b/c/w x' f",
                        "sed 'a t\nw x' f",
                        "sed '#n\nw x' f",
                        "sed 'r y\nw x' f",
                        "sed ':a\nw x' f",
                        "sed 'b;w x' f",
                        "sed 'q5;e id' f",
                        "sed 'l 3;w x' f",
                        "sed -e'w x' f",
                        "sed -ne'w x' f",
                        "sed --expression='w x' f",
                        "sed --expr='w x' f",
                        "sed \"$x\" f",
                        "sed \"s/a/$x/\" f",
                        "sed -n \"/$x/p\" f",
                        "sed p *",
                        "sed p $x",
                        "sed $'p\\nw x' f",
                        "sed s/a/b/\\;w\\ x f",
                        "sed -e 'a\\' -e 'x' -e 'w y' f",
                        "sed 's\\a\\b\\w x' f",
                        "ls | xargs sed -n p",
                        "ls | xargs -I{} sed -n p {}",
                        "gsed -i p f"},
                       kHere);
}

TEST(KnownText, AwkRunsNoProgramThatWritesRunsOrConnects) {
  expect_read_only({"awk '{print $1}' f", "awk -F, '{print $2}' f", "awk 'NR>=10 && NR<=20' f", "awk -v n=5 'NR<=n' f",
                    "awk '$3 > 100 {print}' f", "awk '{ if ($1 > 5) print }' f", "awk '!seen[$0]++' *.txt",
                    "awk '/a/,/b/' f", "awk '{s+=$1} END {print s/NR}' f", "awk '{gsub(/\"/, \"\", $2); print $2}' f",
                    "awk 'length > 80' f", "awk '{print ($1 > 5) ? \"a\" : \"b\"}' f", "awk 'END{print NR}' $HOME/x",
                    "awk '{printf \"%-20s|%s\\n\", $1, $2}' f", "awk '/x/ || /system/ {n++} END {print n}' f"},
                   kHere);
  expect_not_read_only({"awk 'BEGIN{system(\"id\")}'",
                        "awk '{print > \"x\"}' f",
                        "awk '{print >> \"x\"}' f",
                        "awk '{print | \"sh\"}' f",
                        "awk '{print |& \"sh\"}' f",
                        "awk 'BEGIN{\"id\" | getline}'",
                        "awk '{getline < \"x\"}' f",
                        "awk '{printf(\"a\") > \"x\"}'",
                        "awk '{print($1)>\"x\"}' f",
                        "awk '{print a,b > \"x\"}' f",
                        "awk '{if(x)print>\"y\"}' f",
                        "awk '{print a,\nb>\"x\"}' f",
                        "awk -f p f",
                        "awk -fp f",
                        "awk --file=p f",
                        "awk -i inplace 1 f",
                        "gawk -e 1 f",
                        "gawk -l x 1",
                        "gawk -o 1 f",
                        "gawk --dump-variables=x 1 f",
                        "gawk '@load \"x\"'",
                        "gawk 'BEGIN{@f()}'",
                        "awk \"$x\" f",
                        "awk 1 /inet/tcp/0/h/80",
                        "awk 'a/system(\"id\")/b' f",
                        "awk 'x++/system(\"id\")/1' f",
                        "awk '1/system(\"id\")/1' f",
                        "awk '/\\// {system(\"id\")}'",
                        "awk 'BEGIN{x=1;\nsystem(1)}'",
                        "awk '{a=\"\\\"\"; system(1)}'",
                        "awk --assign x=1 'BEGIN{system(1)}'",
                        "awk --field-separator : 'BEGIN{system(1)}'",
                        "awk -- 'BEGIN{system(1)}'",
                        "awk -W exec x",
                        "ls | xargs awk 1",
                        "ls | xargs -I{} awk 1 {}",
                        "ls | xargs -I{} awk {} f",
                        "find . -exec awk '{}' x \\;"},
                       kHere);
}

TEST(KnownText, JqAndYqNeitherWriteNorLoadPrograms) {
  expect_read_only({"jq . f", "jq -r '.a' f", "jq --arg k v '.[$k]' f", "jq -n 1", "jq \"$x\" f", "yq .a f",
                    "yq e '.a' f", "yq -r .a f", "yq -o=json . f"},
                   kHere);
  expect_not_read_only({"jq -f x f", "jq -nf x", "jq --from-file x f", "jq -L d . f", "yq -i .a f", "yq e -i .a f",
                        "yq --inplace .a f", "yq -yi .a f", "yq -s .a f", "yq --from-file x f", "yq \"$x\" f"},
                       kHere);
}

TEST(KnownText, OthersThatCanWriteOrFetch) {
  expect_read_only({"shuf -n 5 f", "iconv -f utf-8 -t ascii f", "base64 -d f", "xmllint --xpath '//a' f.xml",
                    "pdftotext a.pdf -", "pdftotext -layout -f 1 -l 2 a.pdf -", "echo x | tee /dev/null", "bc <<< 1+1"},
                   kHere);
  expect_not_read_only({"shuf -o x f",
                        "shuf -ox f",
                        "iconv -o x f",
                        "iconv --output=x f",
                        "base64 -o x",
                        "base64 a b",
                        "xmllint --output x f",
                        "xmllint http://h/x",
                        "xmllint --shell f",
                        "pdftotext a.pdf",
                        "pdftotext a.pdf x",
                        "tee x",
                        "tee -a x",
                        "tee /dev/null x",
                        "dc -e '!id'",
                        "bc x",
                        "split f",
                        "csplit f 1",
                        "dd of=x",
                        "patch < x",
                        "sponge f"},
                       kHere);
}

}  // namespace
}  // namespace deft::shell
