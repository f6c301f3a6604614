#include "deft/tools/file_types.h"

#include <algorithm>
#include <array>

namespace deft {
namespace {

struct FileType {
  std::string_view names;  // separated by spaces; the first is the one that is shown
  std::string_view globs;  // separated by spaces
};

constexpr auto kFileTypes = std::to_array<FileType>({
    {"asciidoc", "*.adoc *.asc *.asciidoc"},
    {"asm", "*.asm *.s *.S"},
    {"awk", "*.awk"},
    {"bazel", "*.bazel *.bzl *.bazelrc *.BUILD BUILD WORKSPACE MODULE.bazel"},
    {"c", "*.c *.h *.H *.c.in *.h.in *.H.in *.cats"},
    {"clojure clj", "*.clj *.cljc *.cljs *.cljx"},
    {"cmake", "*.cmake CMakeLists.txt"},
    {"coffeescript coffee", "*.coffee"},
    {"config", "*.cfg *.conf *.config *.ini"},
    {"cpp cxx",
     "*.cc *.cpp *.cxx *.C *.h *.H *.hh *.hpp *.hxx *.inl *.cc.in *.cpp.in *.cxx.in *.C.in *.h.in *.H.in *.hh.in "
     "*.hpp.in *.hxx.in"},
    {"csharp cs", "*.cs"},
    {"css", "*.css *.scss"},
    {"csv", "*.csv"},
    {"cuda", "*.cu *.cuh"},
    {"cython", "*.pyx *.pxi *.pxd"},
    {"d", "*.d"},
    {"dart", "*.dart"},
    {"diff", "*.diff *.patch"},
    {"docker", "*Dockerfile*"},
    {"dockercompose", "docker-compose.yml docker-compose.*.yml compose.yml compose.yaml"},
    {"elisp", "*.el"},
    {"elixir", "*.ex *.eex *.exs *.heex *.leex *.livemd"},
    {"elm", "*.elm"},
    {"erlang", "*.erl *.hrl"},
    {"fish", "*.fish"},
    {"fortran", "*.f *.F *.f77 *.F77 *.f90 *.F90 *.f95 *.F95 *.pfo"},
    {"fsharp", "*.fs *.fsi *.fsx"},
    {"go", "*.go"},
    {"gradle", "*.gradle *.gradle.kts gradle-wrapper.* gradle.properties gradlew gradlew.bat settings.gradle"},
    {"graphql", "*.graphql *.graphqls"},
    {"groovy", "*.groovy *.gradle"},
    {"h", "*.h *.hpp *.hh"},
    {"haskell hs", "*.hs *.lhs *.cpphs *.c2hs *.hsc"},
    {"html", "*.html *.htm *.ejs"},
    {"java", "*.java *.jsp *.jspx *.properties"},
    {"jinja", "*.j2 *.jinja *.jinja2"},
    {"js javascript", "*.js *.jsx *.mjs *.cjs *.vue"},
    {"json", "*.json composer.lock *.sarif"},
    {"jsonl", "*.jsonl"},
    {"julia jl", "*.jl"},
    {"jupyter", "*.ipynb *.jpynb"},
    {"kotlin", "*.kt *.kts"},
    {"less", "*.less"},
    {"lisp", "*.lisp *.lsp *.el *.jl *.scm *.sc"},
    {"lock", "*.lock package-lock.json"},
    {"log", "*.log"},
    {"lua", "*.lua"},
    {"m4", "*.m4 *.ac"},
    {"make",
     "*.mk *.mak [Mm]akefile [Mm]akefile.in [Mm]akefile.am [Gg][Nn][Uu]makefile [Gg][Nn][Uu]makefile.in "
     "[Gg][Nn][Uu]makefile.am"},
    {"markdown md", "*.md *.markdown *.mdown *.mkdn *.mdx *.mkd *.mdwn"},
    {"matlab", "*.m"},
    {"meson", "meson.build meson_options.txt meson.options"},
    {"msbuild", "*.csproj *.fsproj *.vcxproj *.proj *.props *.targets *.sln"},
    {"nim", "*.nim *.nimf *.nimble *.nims"},
    {"nix", "*.nix"},
    {"objc", "*.m *.h"},
    {"objcpp", "*.mm *.h"},
    {"ocaml ml", "*.ml *.mli *.mll *.mly"},
    {"org", "*.org *.org_archive"},
    {"pascal", "*.pas *.dpr *.lpr *.pp *.inc"},
    {"perl", "*.pl *.PL *.pm *.perl *.plh *.plx *.t"},
    {"php", "*.php *.php3 *.php4 *.php5 *.php7 *.php8 *.pht *.phtml"},
    {"protobuf proto", "*.proto"},
    {"ps powershell", "*.ps1 *.psm1 *.psd1 *.ps1xml *.cdxml"},
    {"py python", "*.py *.pyi"},
    {"qml", "*.qml"},
    {"r", "*.r *.R *.Rmd *.rmd *.Rnw *.rnw"},
    {"rst", "*.rst"},
    {"ruby rb", "*.rb *.rbw *.gemspec Gemfile Rakefile config.ru .irbrc"},
    {"rust rs", "*.rs"},
    {"sass", "*.sass *.scss"},
    {"scala", "*.scala *.sbt"},
    {"sh shell bash",
     "*.sh *.bash *.bashrc *.csh *.cshrc *.ksh *.kshrc *.tcsh *.zsh .bash_login .bash_logout .bash_profile .bashrc "
     ".profile .cshrc .login .logout .tcshrc .kshrc .zlogin .zlogout .zprofile .zshenv .zshrc bash_login bash_logout "
     "bash_profile bashrc profile zlogin zlogout zprofile zshenv zshrc"},
    {"sql", "*.sql *.psql"},
    {"svelte", "*.svelte *.svelte.ts"},
    {"svg", "*.svg"},
    {"swift", "*.swift"},
    {"systemd",
     "*.automount *.conf *.device *.link *.mount *.path *.scope *.service *.slice *.socket *.swap *.target *.timer"},
    {"tcl", "*.tcl"},
    {"tex", "*.tex *.ltx *.cls *.sty *.bib *.dtx *.ins"},
    {"tf terraform", "*.tf *.tf.json *.tfvars *.tfvars.json *.auto.tfvars *.terraformrc *.tfrc terraform.rc"},
    {"thrift", "*.thrift"},
    {"toml", "*.toml Cargo.lock"},
    {"ts typescript", "*.ts *.tsx *.cts *.mts"},
    {"txt", "*.txt"},
    {"vb", "*.vb"},
    {"verilog", "*.v *.vh *.sv *.svh"},
    {"vhdl", "*.vhd *.vhdl"},
    {"vim", "*.vim *.vimrc .vimrc vimrc"},
    {"vue", "*.vue"},
    {"xml", "*.xml *.xml.dist *.dtd *.xsl *.xslt *.xsd *.xjb *.rng *.sch *.xhtml"},
    {"yacc", "*.y"},
    {"yaml yml", "*.yaml *.yml"},
    {"zig", "*.zig"},
    {"zsh", "*.zsh .zlogin .zlogout .zprofile .zshenv .zshrc zlogin zlogout zprofile zshenv zshrc"},
});

bool holds_word(std::string_view words, std::string_view word) {
  while (!words.empty()) {
    const std::size_t space = std::min(words.find(' '), words.size());
    if (words.substr(0, space) == word) return true;
    words.remove_prefix(std::min(space + 1, words.size()));
  }
  return false;
}

}  // namespace

std::optional<IgnoreFile> file_type(std::string_view type) {
  const auto* const found =
      std::ranges::find_if(kFileTypes, [&](const FileType& one) { return holds_word(one.names, type); });
  if (found == kFileTypes.end()) return std::nullopt;
  std::string rules(found->globs);
  std::ranges::replace(rules, ' ', '\n');
  return IgnoreFile::parse(rules);
}

std::string file_type_names() {
  std::string names;
  for (const FileType& type : kFileTypes) {
    names += names.empty() ? "" : ", ";
    names += type.names.substr(0, type.names.find(' '));
  }
  return names;
}

}  // namespace deft
