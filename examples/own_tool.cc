// A tool of your own, and an engine that is fed by hand: two calls in, two answers out, in order.
#include <cstdio>
#include <filesystem>

#include "deft/agent/engine.h"

class WordCountTool final : public deft::Tool {
 public:
  const deft::ToolSpec& spec() const override { return spec_; }
  // So it may run beside others, and needs nobody's permission.
  bool is_read_only(const deft::Json&, const deft::SessionView&) const override { return true; }
  bool is_session_only(const deft::Json&) const override { return true; }

  deft::Result<deft::ToolResult> run(const deft::Json& input, deft::ToolIo&) override {
    const auto text = *deft::find_string(input, "text");  // the schema was checked before run()
    std::size_t words = 0;
    for (std::size_t i = 0; i < text.size(); ++i) words += text[i] != ' ' && (i == 0 || text[i - 1] == ' ');
    return deft::ToolResult{.text = std::to_string(words) + " words"};
  }

 private:
  const deft::ToolSpec spec_{.name = "WordCount",
                             .description = "Counts the words of a text.",
                             .input_schema = *deft::parse_json(R"({"type":"object","required":["text"],
                                 "properties":{"text":{"type":"string"}},"additionalProperties":false})")};
};

class Printer final : public deft::Frontend {
 public:
  void show(deft::Event event) override {
    const auto* answer = std::get_if<deft::CallAnswered>(&event);
    if (answer) std::printf("%s: %s\n", answer->call_id.c_str(), answer->result.text.c_str());
  }
};

int main() {
  Printer printer;
  auto engine = deft::Engine::open({.working_directory = std::filesystem::current_path()}, printer);
  if (!engine || !(*engine)->add_tool(std::make_shared<WordCountTool>())) return 1;
  for (const char* id : {"first", "second"}) {
    (*engine)->feed(deft::CallArrived{{.id = id, .name = "WordCount", .input = {{"text", "to be or not to be"}}}});
  }
  (*engine)->feed(deft::InputEnded{});
  const auto summary = (*engine)->run();
  return summary.calls == 2 && summary.errors == 0 ? 0 : 1;
}
