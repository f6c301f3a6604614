// What the LSP tool adds to a language server: its first answer (the server is started for it) and a warm one, against
// the same server with the same messages driven over bare pipes.
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include "deft/base/json_rpc.h"
#include "deft/lsp/file_uri.h"
#include "deft/lsp/framing.h"
#include "deft/lsp/handshake.h"
#include "deft/lsp/server_table.h"
#include "deft/os/command_file.h"
#include "deft/testing/lsp_bench.h"
#include "deft/tools/shell_environment.h"
#include "measure.h"

namespace {

using namespace deft;

constexpr int kStarts = 10;
constexpr int kWarmAnswers = 300;
constexpr const char* kMain = "#include \"add.h\"\nint main() { return add(1, 2); }\n";
constexpr std::size_t kLine = 2;
constexpr std::size_t kColumn = 21;

void put_project(const TempFolder& folder) {
  folder.put("add.h", "int add(int a, int b);\n");
  folder.put("main.cc", kMain);
}

// A server with a pipe at each end, and nothing around it.
class BareServer {
 public:
  BareServer(const std::string& program, const LanguageServerSpec& spec, const TempFolder& folder)
      : uri_(lsp::file_uri(folder / "main.cc")) {
    int in[2];
    int out[2];
    if (::pipe(in) != 0 || ::pipe(out) != 0) std::abort();
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, in[0], 0);
    posix_spawn_file_actions_adddup2(&actions, out[1], 1);
    posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", 1, 0);
    for (const int fd : {in[0], in[1], out[0], out[1]}) posix_spawn_file_actions_addclose(&actions, fd);
    std::vector<std::string> argv = {program};
    argv.insert(argv.end(), spec.arguments.begin(), spec.arguments.end());
    std::vector<char*> arguments;
    for (std::string& argument : argv) arguments.push_back(argument.data());
    arguments.push_back(nullptr);
    if (posix_spawn(&pid_, program.c_str(), &actions, nullptr, arguments.data(), environ) != 0) std::abort();
    posix_spawn_file_actions_destroy(&actions);
    ::close(in[0]);
    ::close(out[1]);
    input_ = in[1];
    output_ = out[0];
    request("initialize", lsp::initialize_params(spec, folder.path()));
    notify("initialized", JsonObject{});
    notify("textDocument/didOpen",
           JsonObject{
               {"textDocument", JsonObject{{"uri", uri_}, {"languageId", "cpp"}, {"version", 1}, {"text", kMain}}}});
  }
  ~BareServer() {
    ::close(input_);
    ::close(output_);
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
  }

  void definition() {
    const Json position = JsonObject{{"line", kLine - 1}, {"character", kColumn - 1}};
    const Json answer = request("textDocument/definition",
                                JsonObject{{"textDocument", JsonObject{{"uri", uri_}}}, {"position", position}});
    if (!answer.is_array() || answer.get_array().empty()) std::abort();
  }

 private:
  void send(const std::string& message) {
    const std::string bytes = lsp::frame(message);
    if (::write(input_, bytes.data(), bytes.size()) != static_cast<ssize_t>(bytes.size())) std::abort();
  }
  void notify(std::string method, Json params) { send(to_text(RpcNotification{std::move(method), std::move(params)})); }
  Json request(std::string method, Json params) {
    send(to_text(RpcRequest{.id = ++id_, .method = std::move(method), .params = std::move(params)}));
    std::string buffer(65'536, '\0');
    for (;;) {
      const ssize_t count = ::read(output_, buffer.data(), buffer.size());
      if (count <= 0) std::abort();
      for (const std::string& body :
           reader_.feed(std::string_view(buffer).substr(0, static_cast<std::size_t>(count)))) {
        auto message = parse_rpc(body);
        const auto* response = message ? std::get_if<RpcResponse>(&*message) : nullptr;
        if (response && response->id == RpcId(id_)) return *response->outcome;
      }
    }
  }

  const std::string uri_;
  pid_t pid_ = 0;
  int input_ = -1;
  int output_ = -1;
  std::int64_t id_ = 0;
  lsp::FrameReader reader_;
};

void ask(testing::LspBench& bench) {
  if (bench.ask("goto_definition", "main.cc", kLine, kColumn) != "add.h:1:5: int add(int a, int b);") std::abort();
}

}  // namespace

int main() {
  const LanguageServerSpec& clangd = lsp::known_servers().front();
  std::string program;
  for (const std::string& name : clangd.programs) {
    const auto found = find_program(name, ShellEnvironment::own());
    if (found && program.empty()) program = *found;
  }
  if (program.empty()) return std::puts("install clangd to measure"), 1;

  double bare_first = 1e9;
  double ours_first = 1e9;
  for (int i = 0; i < kStarts; ++i) {  // in turns: the machine is the same for both
    const TempFolder folder;
    put_project(folder);
    std::unique_ptr<BareServer> bare;
    bare_first = std::min(bare_first, bench::seconds_of([&] {
                            bare = std::make_unique<BareServer>(program, clangd, folder);
                            bare->definition();
                          }));
    testing::LspBench ours;
    put_project(ours.folder);
    ours_first = std::min(ours_first, bench::seconds_of([&] { ask(ours); }));
  }
  bench::print_ratio("the first answer, with the start of clangd", ours_first, "clangd over bare pipes", bare_first);

  const TempFolder folder;
  put_project(folder);
  BareServer bare(program, clangd, folder);
  bare.definition();
  testing::LspBench ours;
  put_project(ours.folder);
  ask(ours);
  const double bare_warm = bench::fastest(kWarmAnswers, [&] { bare.definition(); });
  const double ours_warm = bench::fastest(kWarmAnswers, [&] { ask(ours); });
  bench::print_ratio("a warm answer", ours_warm, "clangd over bare pipes", bare_warm);
}
