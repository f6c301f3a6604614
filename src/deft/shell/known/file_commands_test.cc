#include <gtest/gtest.h>

#include "deft/shell/classify_expectations.h"

namespace deft::shell {
namespace {

const ClassifyOptions kHere{.cwd = "/p", .home = "/home/me", .files = {}};

TEST(KnownFiles, FindOnlyLooksUnlessAnActionDoesMore) {
  expect_read_only({"find . -name '*.py'", "find . -type f -not -path '*/x/*'", "find src tests -newer f",
                    "find . \\( -name a -o -name b \\) -print", "find . -printf '%s %p\\n'", "find . -ls",
                    "find . -exec grep -l x {} +", "find . -exec ls -l {} \\;", "find . -name '-delete'",
                    "find . -name \"$x\"", "find . -newermt 2024-01-01", "find . -exec sort {} \\;",
                    "find \"$PWD\" -name x", "find . -path ./d -prune -o -print0"},
                   kHere);
  expect_not_read_only({"find . -delete",
                        "find . -name x -delete",
                        "find . '-del'ete",
                        "find . $'-delete'",
                        "find . -exec rm {} \\;",
                        "find . -exec rm {} +",
                        "find . -execdir ls {} \\;",
                        "find . -ok ls {} \\;",
                        "find . -fprint x",
                        "find . -fprint0 x",
                        "find . -fprintf x %p",
                        "find . -fls x",
                        "find . -exec sh -c id \\;",
                        "find . -exec {} \\;",
                        "find . -exec ./x {} \\;",
                        "find . -exec tee {} \\;",
                        "find . -exec sed -i p {} \\;",
                        "find . -exec sort -o {} {} \\;",
                        "find . -exec find {} -delete \\;",
                        "find . -exec env rm {} \\;",
                        "find . -exec cd {} \\;",
                        "find . -exec grep x {} \\; -delete",
                        "find $x",
                        "find . $x",
                        "find . -name $x",
                        "find *",
                        "find . $(echo -delete)",
                        "find -D exec . -delete",
                        "find . -exec ls",
                        "find . -unknown"},
                       kHere);
}

TEST(KnownFiles, XargsIsAsHarmlessAsItsCommandWithAnyWordsAdded) {
  expect_read_only({"xargs cat", "xargs -0 grep x", "xargs -n1 -P4 wc -l", "xargs -I{} echo {}", "xargs", "xargs -r ls",
                    "xargs -I % head -1 %", "xargs -d '\\n' stat"},
                   kHere);
  expect_not_read_only({"xargs rm",
                        "xargs -I{} rm {}",
                        "xargs -I{} {}",
                        "xargs -I ls ls",
                        "xargs sh -c id",
                        "xargs env",
                        "xargs find",
                        "xargs sort",
                        "xargs git log",
                        "xargs -I{} git show {}",
                        "xargs file",
                        "xargs rg x",
                        "xargs tee",
                        "xargs time",
                        "xargs xargs",
                        "xargs -p rm",
                        "xargs -o vi",
                        "xargs $x",
                        "xargs -I \"$x\" ls",
                        "xargs export",
                        "xargs -I{} env A={} ls",
                        "xargs -I{} test -v {}",
                        "xargs -I{} timeout {} ls",
                        "xargs -i {}",
                        "xargs -- rm"},
                       kHere);
}

TEST(KnownFiles, WrappersAreAsHarmlessAsWhatTheyRun) {
  expect_read_only({"timeout 5 ls", "timeout -s KILL 5s grep x f", "nice -n 5 ls", "nice -5 ls", "time ls", "env ls",
                    "env LC_ALL=C sort f", "env -u X ls", "command ls", "builtin echo", "stdbuf -oL grep x f",
                    "ionice -c 3 du", "\\time ls", "command -v rm", "command -V rm"},
                   kHere);
  expect_not_read_only({"timeout 5 rm x",
                        "timeout -k 1 5 rm x",
                        "timeout $x ls",
                        "timeout 5 $x",
                        "nice rm x",
                        "nice -n 5 rm x",
                        "ionice -c 3 rm x",
                        "stdbuf -oL ./x",
                        "time rm x",
                        "\\time -o x ls",
                        "command time --output=x ls",
                        "env rm x",
                        "env -S 'rm x'",
                        "env -iS 'rm x'",
                        "env -- rm x",
                        "env --split-string='rm x'",
                        "env -C d ls",
                        "env PATH=. ls",
                        "env LD_PRELOAD=x ls",
                        "env $x",
                        "nohup ls",
                        "setsid ls",
                        "watch ls",
                        "command rm x",
                        "command -p rm x",
                        "command -- rm x",
                        "command eval x",
                        "builtin eval x",
                        "command exec rm",
                        "sudo ls",
                        "xargs timeout 5 rm",
                        "timeout 5 nice -n 1 env A=1 rm x",
                        "flock x ls",
                        "script x",
                        "strace ls"},
                       kHere);
}

TEST(KnownFiles, SearchToolsRunNoHelpers) {
  expect_read_only(
      {"rg foo src", "rg -n -C2 -g '*.ts' foo", "rg --files", "rg -e \"$x\" src", "fd -e py", "fd -tf x src",
       "ag foo src", "bat f", "bat -p --paging=never f", "batcat -n f", "zgrep x a.gz", "gofmt -l ."},
      kHere);
  expect_not_read_only({"rg --pre x foo",
                        "rg --pre=x foo",
                        "rg foo --pre x",
                        "rg --hostname-bin=x foo",
                        "rg -z foo",
                        "rg -nz foo",
                        "rg --search-zip foo",
                        "rg \"$x\" src",
                        "rg foo *",
                        "fd -x rm",
                        "fd -X rm",
                        "fd . --exec rm",
                        "fd -HIx rm",
                        "fd foo -xrm",
                        "ag --pager=x foo",
                        "ag $x",
                        "bat --pager=x f",
                        "bat --pager x f",
                        "bat --paging=always f",
                        "bat cache --build",
                        "bat --list-themes",
                        "bat *",
                        "BAT_PAGER=x bat f",
                        "zgrep x *",
                        "gofmt -w .",
                        "gofmt -lw .",
                        "gofmt -l -w ."},
                       kHere);
}

TEST(KnownFiles, OptionFilesOfBinaryToolsAreNotRead) {
  expect_read_only(
      {"nm -D x.so", "objdump -d x", "readelf -h x", "size x", "addr2line -e x 0x10", "c++filt _Z1fv", "ar t x.a"},
      kHere);
  expect_not_read_only({"nm @x", "nm -t @x y", "nm --plugin=x y", "objdump -M @x y", "objdump -j @x y", "objdump -S x",
                        "readelf -x @f y", "size @x", "addr2line -e @x 1", "nm $x", "nm *", "ar x a.a", "ar rcs a.a b",
                        "ar t @x", "strip x", "objcopy a b", "ldd x"},
                       kHere);
}

TEST(KnownFiles, FileTreeAndDateDoNotWrite) {
  expect_read_only({"file a", "file -b --mime-type a", "file d/*", "tree -L 2 -I x", "date", "date +%F",
                    "date -d yesterday '+%F'", "date -u \"+$x\"", "hostname", "hostname -I"},
                   kHere);
  expect_not_read_only({"file -C -m x", "file -z x", "file -f l", "file -m x y", "file *", "tree -o x", "tree -ox",
                        "tree -R -H . -L 1", "date -s now", "date --set=now", "date --se now", "date -us x",
                        "date 01010000", "date \"$x\"", "hostname x", "hostname -F x", "hostname -f"},
                       kHere);
}

TEST(KnownFiles, ArchivesAreListedAndPrintedOnly) {
  expect_read_only({"tar -tf a.tar", "tar tzf a.tgz", "tar tvf ./a.tar", "tar --list --file=a.tar", "unzip -l a.zip",
                    "unzip -p a.zip x", "zipinfo a.zip", "gzip -l a.gz", "gzip -dc a.gz", "gunzip -c a.gz", "zcat a.gz",
                    "xz -l a.xz", "xzcat a.xz", "zstd -dc a.zst", "bzip2 -t a.bz2"},
                   kHere);
  expect_not_read_only({"tar xf a",
                        "tar -xf a",
                        "tar cf a b",
                        "tar -tf a --to-command=x",
                        "tar -tf a -I x",
                        "tar -tf a --use-compress-program=x",
                        "tar -tf a --checkpoint-action=exec=x",
                        "tar tf h:a",
                        "tar -tf h:a",
                        "tar -tf a -F x",
                        "tar -tf a --index-file=x",
                        "tar -tf a -T x",
                        "tar -txf a",
                        "tar -t -g x -f a",
                        "tar tf $x",
                        "unzip a",
                        "unzip -o a",
                        "unzip -l a -d x",
                        "unzip -q a",
                        "gzip a",
                        "gzip -d a",
                        "gzip -td a",
                        "gunzip a",
                        "xz -d a",
                        "xz --files=x",
                        "zstd a",
                        "zstd -c a -o x",
                        "zstd -t --rm a",
                        "bzip2 a",
                        "zip a b",
                        "7z x a"},
                       kHere);
}

}  // namespace
}  // namespace deft::shell
