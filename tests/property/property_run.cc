#include "property_run.h"

#include <chrono>
#include <functional>
#include <thread>

#include "deft/agent/engine.h"
#include "deft/base/check.h"
#include "deft/testing/engine_bench.h"
#include "deft/testing/temp_folder.h"
#include "deft/tools/builtin.h"

namespace deft::testing {

namespace {

constexpr std::size_t kShakeMicrosMax = 2'000;

// Load, not synchronisation: whatever order it brings about must give the same.
void dawdle(Dice& dice) {
  if (dice.one_in(2)) std::this_thread::sleep_for(std::chrono::microseconds(dice.below(kShakeMicrosMax)));
}

class ShakingHooks final : public HookRunner {
 public:
  explicit ShakingHooks(std::uint64_t seed) : seed_(seed) {}
  bool listens(HookEvent event) const override { return is_tool_event(event); }
  HookOutcome run(const HookMoment& moment, std::stop_token) override {
    dawdle_around(moment.call->id + std::string(to_string(moment.event)));
    return {};
  }

 private:
  void dawdle_around(const std::string& what) const {
    if (seed_ == 0) return;
    Dice dice(seed_ ^ std::hash<std::string>()(what));
    dawdle(dice);
  }
  const std::uint64_t seed_;
};

std::string replaced(std::string_view text, std::string_view from, std::string_view to) {
  std::string out;
  for (;;) {
    const std::size_t at = text.find(from);
    out += text.substr(0, at);
    if (at == std::string_view::npos) return out;
    out += to;
    text.remove_prefix(at + from.size());
  }
}

void feed_all(Engine& engine, const std::vector<PropertyMessage>& messages, const RunOptions& options,
              const std::string& folder) {
  Dice dice(options.shake);
  for (const PropertyMessage& message : messages) {
    for (const PropertyCall& call : message) {
      if (options.left_out.contains(call.id)) continue;
      std::string text = with_folder(to_json(call.input), folder);
      Json input = parse_json(text).value();
      engine.feed(Feed(
          CallArrived{{.id = call.id, .name = call.tool, .input = std::move(input), .input_text = std::move(text)}}));
      if (options.one_call_a_message) engine.feed(Feed(MessageEnded{}));
      if (options.shake != 0) dawdle(dice);
    }
    engine.feed(Feed(MessageEnded{}));
  }
  engine.feed(Feed(InputEnded{}));
}

// Lines that an earlier message has shown are not shown again, so what Read says depends on where messages end; what it
// found does not.
std::optional<std::string> what_read_found(const ToolResult& result) {
  if (find_string(result.details, "type") != "text") return std::nullopt;
  JsonObject file = result.details.at("file").as_object();
  if (auto* const unchanged = file.find("isUnchanged"); unchanged != file.end()) file.stable_erase(unchanged);
  return "ok: " + to_json(file);
}

std::string shown(const ToolResult& result) {
  if (const auto found = what_read_found(result)) return *found;
  std::string text = result.error ? "error " + std::string(to_string(*result.error)) + ": " : "ok: ";
  text += result.text;
  if (!result.details.is_null()) text += " " + to_json(result.details);
  return text;
}

}  // namespace

std::string with_folder(std::string_view text, std::string_view folder) { return replaced(text, kRoot, folder); }
std::string without_folder(std::string_view text, std::string_view folder) { return replaced(text, folder, kRoot); }

Outcome run_messages(const std::vector<PropertyMessage>& messages, const RunOptions& options) {
  const TempFolder folder;
  plant_tree(folder.path());
  RecordingFrontend frontend;
  ShakingHooks hooks(options.shake);
  auto engine = Engine::open({.working_directory = folder.path(),
                              .mode = Mode::bypass,
                              .executor = {.slots = options.slots,
                                           .scheduling = options.scheduling,
                                           .streaming = options.streaming,
                                           .sibling_cancellation = options.sibling_cancellation},
                              .hooks = &hooks},
                             frontend);
  DEFT_CHECK(engine.has_value());
  for (auto& tool : make_builtin_tools()) DEFT_CHECK((*engine)->add_tool(std::move(tool)).has_value());
  std::thread host([&] { feed_all(**engine, messages, options, folder.path()); });
  (*engine)->run();
  host.join();

  Outcome outcome;
  for (const CallAnswered& answered : frontend.all<CallAnswered>()) {
    outcome.answers.push_back({answered.call_id, answered.tool, without_folder(shown(answered.result), folder.path())});
  }
  outcome.tree = tree_below(folder.path());
  outcome.working_directory = without_folder((*engine)->session().working_directory, folder.path());
  return outcome;
}

std::string difference(const Outcome& expected, const Outcome& found) {
  for (std::size_t i = 0; i < std::max(expected.answers.size(), found.answers.size()); ++i) {
    if (i >= expected.answers.size()) return "answered but not expected: " + found.answers[i].id;
    if (i >= found.answers.size()) return "not answered: " + expected.answers[i].id;
    if (expected.answers[i] == found.answers[i]) continue;
    return "expected " + expected.answers[i].id + " " + expected.answers[i].text + "\nfound    " + found.answers[i].id +
           " " + found.answers[i].text;
  }
  if (expected.working_directory != found.working_directory) {
    return "expected the working directory " + expected.working_directory + ", found " + found.working_directory;
  }
  if (expected.tree != found.tree) return "expected the tree\n" + expected.tree + "found\n" + found.tree;
  return {};
}

std::string to_text(const std::vector<PropertyMessage>& messages) {
  std::string text;
  for (const PropertyMessage& message : messages) {
    for (const PropertyCall& call : message) text += call.id + " " + call.tool + " " + to_json(call.input) + "\n";
    text += "end\n";
  }
  return text;
}

}  // namespace deft::testing
