// An agent of your own: a model, the tools that come with deft, words as they stream in, and questions of permission.
//   own_agent "Why does the build fail?"    asks the model that your environment names (docs/models.md)
//   own_agent                               lets a script say what a model would
#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <functional>
#include <mutex>

#include "deft/agent/agent.h"
#include "deft/model/make_client.h"
#include "deft/model/scripted_client.h"
#include "deft/os/system_http_client.h"
#include "deft/os/warden_processes.h"
#include "deft/tools/builtin.h"

namespace {

constexpr const char* kScript = R"script(
{"answer": ["I look around. ", {"call": "Bash", "input": {"command": "ls | wc -l"}}, {"call": "Bash", "input": {"command": "touch own_agent.txt && rm own_agent.txt"}}]}
{"answer": "That is all that there is."}
)script";

class Printer final : public deft::Frontend {
 public:
  std::function<void(const std::string& id)> allow = nullptr;

  // From several threads, and it must not block. A question could wait for a person: answer it whenever you like.
  void show(deft::Event event) override {
    const std::lock_guard lock(mutex_);
    if (const auto* text = std::get_if<deft::TextArrived>(&event)) std::fputs(text->text.c_str(), stdout);
    if (const auto* call = std::get_if<deft::CallAdmitted>(&event)) std::printf("\n> %s\n", call->title.c_str());
    if (const auto* end = std::get_if<deft::CallAnswered>(&event)) std::printf("< %s\n", end->result.text.c_str());
    if (const auto* question = std::get_if<deft::PermissionAsked>(&event)) {
      std::printf("? %s: yes\n", question->title.c_str());
      allow(question->id);
    }
  }
  bool wants_stages() const override { return true; }  // for CallAdmitted

 private:
  std::mutex mutex_;
};

// What clients of a model's API are made of; it outlives them.
struct World {
  deft::SystemClock clock;
  deft::WardenProcesses processes{clock};
  deft::SystemHttpClient http{deft::HttpNetwork{}};
};

deft::Result<deft::ProviderChoice> choose() {
  std::vector<std::string> environment;
  for (char** entry = environ; *entry; ++entry) environment.emplace_back(*entry);
  return deft::choose_provider({}, {}, environment);
}

int complain(const deft::Error& error) { return std::fprintf(stderr, "own_agent: %s\n", error.message.c_str()), 1; }

int converse(deft::ModelClient& model, const std::string& name, std::string_view prompt) {
  Printer printer;
  deft::AgentOptions options{
      .engine = {.working_directory = std::filesystem::current_path(), .executor = {.asking = deft::Asking::person}},
      .model = name,
      .system = "You help in the directory that you are in."};
  auto agent = deft::Agent::open(std::move(options), model, printer);
  if (!agent) return complain(agent.error());
  for (auto& tool : deft::make_builtin_tools()) {
    if (auto added = (*agent)->add_tool(std::move(tool)); !added) return complain(added.error());
  }
  printer.allow = [&](const std::string& id) {
    (*agent)->feed(deft::PermissionAnswer{.id = id, .verdict = deft::Verdict::allow});
  };
  const deft::TurnEnd end = (*agent)->run_turn(deft::Prompt::of(prompt));  // the next prompt is the next turn
  std::printf("\n%s\n", end.reason == deft::TurnReason::completed ? "done" : end.explanation.c_str());
  return end.reason == deft::TurnReason::completed ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) {
    deft::ScriptedClient scripted(deft::Script::parse(kScript).value());
    return converse(scripted, "scripted", "What is here?");
  }
  const auto choice = choose();
  if (!choice) return complain(choice.error());
  World world;
  auto model = deft::make_model_client(
      *choice, {.http = world.http, .processes = world.processes, .clock = world.clock, .command_environment = {}});
  return model ? converse(**model, choice->model, argv[1]) : complain(model.error());
}
