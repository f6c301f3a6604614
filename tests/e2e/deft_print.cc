#include "deft_print.h"

#include <stdexcept>

#include "deft/testing/places.h"

namespace deft::testing {

Arguments operator+(Arguments first, const Arguments& second) {
  first.insert(first.end(), second.begin(), second.end());
  return first;
}

std::unique_ptr<Program> PrintPlace::start(const std::string& url, const Arguments& arguments) const {
  ProgramSetup setup{.argv = Arguments{DEFT_PROGRAM} + arguments,
                     .environment = environment,
                     .directory = project.path(),
                     .small_output_pipe = small_output_pipe};
  // The first of two values counts.
  for (const std::string& variable :
       {std::string("PATH=/usr/local/bin:/usr/bin:/bin"), "HOME=" + home.path(), std::string("LANG=C.UTF-8"),
        "TMPDIR=" + home.path(), std::string("SHLVL=1"), std::string("ANTHROPIC_API_KEY=key-of-the-test"),
        "ANTHROPIC_BASE_URL=" + url, std::string("ANTHROPIC_MODEL=test-model"),
        std::string("DEFT_ALLOW_ROOT_BYPASS=1")}) {
    setup.environment.push_back(variable);
  }
  return std::make_unique<Program>(setup);
}

Finished PrintPlace::run(const ModelPeer& model, const Arguments& arguments, std::string_view input) const {
  const auto program = start(model.url(), arguments);
  program->write(input);
  program->close_input();
  Finished finished;
  while (const auto line = program->read_line()) finished.output += *line + "\n";
  finished.exit_code = program->wait();
  finished.errors = program->errors();
  return finished;
}

std::vector<Json> PrintPlace::lines(const ModelPeer& model, const Arguments& arguments, std::string_view input) const {
  return json_lines(run(model, arguments + kStreamJson, input).output);
}

std::vector<Json> json_lines(std::string_view text) {
  std::vector<Json> lines;
  while (!text.empty()) {
    const auto end = std::min(text.find('\n'), text.size());
    auto json = parse_json(text.substr(0, end));
    if (!json) throw std::runtime_error("not a line of JSON: " + std::string(text.substr(0, end)));
    lines.push_back(std::move(*json));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

std::vector<Json> of_type(const std::vector<Json>& lines, std::string_view type, std::string_view subtype) {
  std::vector<Json> found;
  for (const Json& line : lines) {
    if (text_of(line, "type") == type && (subtype.empty() || text_of(line, "subtype") == subtype)) {
      found.push_back(line);
    }
  }
  return found;
}

std::vector<Json> blocks_of(const std::vector<Json>& lines, std::string_view type) {
  std::vector<Json> found;
  for (const Json& line : lines) {
    const Json* message = find(line, "message");
    const JsonArray* content = message ? find_array(*message, "content") : nullptr;
    if (!content) continue;
    for (const Json& block : *content) {
      if (text_of(block, "type") == type) found.push_back(block);
    }
  }
  return found;
}

HostedDeft::HostedDeft(const PrintPlace& place, const std::string& url, const Arguments& more)
    : program(place.start(url, kHosted + more)) {}

void HostedDeft::say(std::string_view text, const JsonObject& more) {
  JsonObject line{{"type", "user"},
                  {"message", JsonObject{{"role", "user"}, {"content", text}}},
                  {"parent_tool_use_id", Json()},
                  {"session_id", ""}};
  for (const auto& member : more) line[member.key()] = member.value();
  send(line);
}

std::string HostedDeft::send_request(JsonObject request) {
  const std::string id = "req_" + std::to_string(++requests_);
  send({{"type", "control_request"}, {"request_id", id}, {"request", std::move(request)}});
  return id;
}

Json HostedDeft::response(const std::string& id) {
  for (std::size_t i = 0; i < lines_.size() || read_line(); ++i) {
    if (text_of(lines_[i], "type") != "control_response") continue;
    const Json& inner = *find(lines_[i], "response");
    if (text_of(inner, "request_id") == id) return inner;
  }
  throw std::runtime_error("no response to " + id + "\n" + program->errors());
}

Json HostedDeft::request(JsonObject request) {
  const Json inner = response(send_request(std::move(request)));
  if (text_of(inner, "subtype") != "success") throw std::runtime_error("refused: " + to_json(inner));
  return *find(inner, "response");
}

void HostedDeft::respond(const Json& request_line, const Json& response) {
  send({{"type", "control_response"},
        {"response",
         JsonObject{
             {"subtype", "success"}, {"request_id", text_of(request_line, "request_id")}, {"response", response}}}});
}

bool HostedDeft::read_line() {
  const auto line = program->read_line();
  if (!line) return false;
  auto json = parse_json(*line);
  if (!json) throw std::runtime_error("not a line of JSON: " + *line);
  lines_.push_back(std::move(*json));
  return true;
}

Json HostedDeft::next(const std::function<bool(const Json&)>& fits) {
  while (looked_at_ < lines_.size() || read_line()) {
    const Json& line = lines_[looked_at_++];
    if (fits(line)) return line;
  }
  std::string told;
  for (const Json& line : lines_) told += to_json(line) + "\n";
  throw std::runtime_error("the output ended without the expected line:\n" + told + program->errors());
}

Json HostedDeft::next(std::string_view type, std::string_view subtype) {
  return next([&](const Json& line) {
    return text_of(line, "type") == type && (subtype.empty() || text_of(line, "subtype") == subtype);
  });
}

Json HostedDeft::next_request(std::string_view subtype) {
  return next([&](const Json& line) {
    return text_of(line, "type") == "control_request" && text_of(*find(line, "request"), "subtype") == subtype;
  });
}

int HostedDeft::finish() {
  program->close_input();
  while (read_line()) {
  }
  return program->wait();
}

}  // namespace deft::testing
