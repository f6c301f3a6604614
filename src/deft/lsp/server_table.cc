#include "deft/lsp/server_table.h"

#include <sstream>

#include "deft/base/path.h"

namespace deft::lsp {
namespace {

// Words separated by blanks; a language as "extension:name".
struct Row {
  const char* name;
  const char* programs;
  const char* arguments;
  const char* languages;
  const char* root_markers;
  // clangd and bash-language-server read files and run nothing that a project names; of the others: TypeScript is taken
  // from the project's node_modules, an interpreter from its virtual environment, build scripts and tool chains from
  // its manifests.
  bool runs_project_code;
  bool works_read_only;
  const char* install;
};

constexpr Row kRows[] = {
    {"clangd", "clangd clangd-21 clangd-20 clangd-19 clangd-18 clangd-17 clangd-16 clangd-15 clangd-14",
     "--log=error --header-insertion=never",
     ".c:c .h:cpp .cc:cpp .cpp:cpp .cxx:cpp .c++:cpp .hh:cpp .hpp:cpp .hxx:cpp .h++:cpp .ipp:cpp .inl:cpp .tpp:cpp "
     ".cu:cuda .cuh:cuda .m:objective-c .mm:objective-cpp .cppm:cpp .ixx:cpp",
     "", false, true, "apt install clangd, or brew install llvm"},
    {"pyright", "pyright-langserver basedpyright-langserver", "--stdio", ".py:python .pyi:python .pyw:python",
     "pyproject.toml pyrightconfig.json setup.py", true, false, "npm install -g pyright"},
    {"pylsp", "pylsp", "", ".py:python .pyi:python .pyw:python", "pyproject.toml setup.py", true, false,
     "pip install python-lsp-server"},
    {"typescript-language-server", "typescript-language-server", "--stdio",
     ".ts:typescript .tsx:typescriptreact .mts:typescript .cts:typescript .js:javascript .jsx:javascriptreact "
     ".mjs:javascript .cjs:javascript",
     "tsconfig.json jsconfig.json package.json", true, false, "npm install -g typescript-language-server typescript"},
    {"bash-language-server", "bash-language-server", "start", ".sh:shellscript .bash:shellscript .ksh:shellscript", "",
     false, true, "npm install -g bash-language-server"},
    {"gopls", "gopls", "", ".go:go .mod:go.mod .work:go.work", "go.work go.mod", true, false,
     "go install golang.org/x/tools/gopls@latest"},
    {"rust-analyzer", "rust-analyzer", "", ".rs:rust", "Cargo.toml rust-project.json", true, false,
     "rustup component add rust-analyzer"},
};

std::vector<std::string> words(const char* text) {
  std::istringstream in(text);
  std::vector<std::string> found;
  for (std::string word; in >> word;) found.push_back(std::move(word));
  return found;
}

LanguageServerSpec spec_of(const Row& row) {
  LanguageServerSpec spec{.name = row.name, .programs = words(row.programs)};
  spec.arguments = words(row.arguments);
  for (const std::string& word : words(row.languages)) {
    const std::size_t colon = word.find(':');
    spec.languages[word.substr(0, colon)] = word.substr(colon + 1);
  }
  spec.root_markers = words(row.root_markers);
  spec.runs_project_code = row.runs_project_code;
  spec.works_read_only = row.works_read_only;
  spec.install = row.install;
  return spec;
}

void add_names(std::string& text, const std::vector<LanguageServerSpec>& specs) {
  for (const LanguageServerSpec& spec : specs) {
    text += (text.empty() ? "" : ", ") + spec.name + " (";
    bool is_first = true;
    for (const auto& [extension, language] : spec.languages) {
      text += (is_first ? "" : " ") + extension;
      is_first = false;
    }
    text += ")";
  }
}

}  // namespace

const std::vector<LanguageServerSpec>& known_servers() {
  static const std::vector<LanguageServerSpec> specs = [] {
    std::vector<LanguageServerSpec> made;
    for (const Row& row : kRows) made.push_back(spec_of(row));
    return made;
  }();
  return specs;
}

std::vector<const LanguageServerSpec*> servers_for(std::string_view path,
                                                   const std::vector<LanguageServerSpec>& configured) {
  std::vector<const LanguageServerSpec*> found;
  for (const auto* list : {&configured, &known_servers()}) {
    for (const LanguageServerSpec& spec : *list) {
      if (language_of(path, spec)) found.push_back(&spec);
    }
  }
  return found;
}

std::optional<std::string> language_of(std::string_view path, const LanguageServerSpec& spec) {
  const std::string_view name = file_name(path);
  // The longest ending wins: ".d.ts" before ".ts".
  for (std::size_t dot = name.find('.'); dot != name.npos; dot = name.find('.', dot + 1)) {
    const auto language = spec.languages.find(name.substr(dot));
    if (language != spec.languages.end()) return language->second;
  }
  return std::nullopt;
}

std::string known_languages(const std::vector<LanguageServerSpec>& configured) {
  std::string text;
  add_names(text, configured);
  add_names(text, known_servers());
  return text;
}

}  // namespace deft::lsp
