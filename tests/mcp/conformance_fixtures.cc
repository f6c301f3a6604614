#include "conformance_fixtures.h"

#include <chrono>
#include <utility>

#include "deft/os/uuid.h"

namespace deft {
namespace {

constexpr std::string_view kPixel =
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==";
constexpr std::string_view kSound = "UklGRiYAAABXQVZFZm10IBAAAAABAAEAQB8AAAB9AAACABAAZGF0YQIAAAAAAA==";
constexpr auto kPause = std::chrono::milliseconds(50);

Json json(std::string_view text) { return *parse_json(text); }

JsonObject text_content(std::string_view text) { return {{"type", "text"}, {"text", text}}; }
JsonObject text_result(std::string_view text) { return {{"content", JsonArray{text_content(text)}}}; }
JsonObject error_result(std::string_view text) {
  return {{"content", JsonArray{text_content(text)}}, {"isError", true}};
}

const std::map<std::string, Json, std::less<>>& tools() {
  static const Json none = json(R"({"type":"object","properties":{}})");
  static const std::map<std::string, Json, std::less<>> all = [] {
    std::map<std::string, Json, std::less<>> schemas;
    for (const char* name : {"test_simple_text",
                             "test_image_content",
                             "test_audio_content",
                             "test_embedded_resource",
                             "test_multiple_content_types",
                             "test_tool_with_logging",
                             "test_error_handling",
                             "test_tool_with_progress",
                             "test_elicitation_sep1034_defaults",
                             "test_elicitation_sep1330_enums",
                             "test_reconnection",
                             "test_missing_capability",
                             "test_streaming_elicitation",
                             "test_logging_tool",
                             "test_trigger_tool_change",
                             "test_trigger_prompt_change",
                             "test_input_required_result_elicitation",
                             "test_input_required_result_sampling",
                             "test_input_required_result_list_roots",
                             "test_input_required_result_request_state",
                             "test_input_required_result_multiple_inputs",
                             "test_input_required_result_multi_round",
                             "test_input_required_result_tampered_state",
                             "test_input_required_result_capabilities",
                             "greet"}) {
      schemas.emplace(name, none);
    }
    schemas.emplace("test_sampling",
                    json(R"({"type":"object","properties":{"prompt":{"type":"string"}},"required":["prompt"]})"));
    schemas.emplace("test_elicitation",
                    json(R"({"type":"object","properties":{"message":{"type":"string"}},"required":["message"]})"));
    schemas.emplace("test_custom_headers", json(R"({"type":"object","properties":{
      "region":{"type":"string","x-mcp-header":"Region"},"query":{"type":"string"}},"required":["region"]})"));
    schemas.emplace("json_schema_2020_12_tool", json(R"({
      "$schema":"https://json-schema.org/draft/2020-12/schema","type":"object",
      "$defs":{"address":{"$anchor":"addressDef","type":"object",
        "properties":{"street":{"type":"string"},"city":{"type":"string"}}}},
      "properties":{"name":{"type":"string"},"address":{"$ref":"#/$defs/address"},
        "contactMethod":{"type":"string","enum":["phone","email"]},"phone":{"type":"string"},
        "email":{"type":"string"}},
      "allOf":[{"anyOf":[{"required":["phone"]},{"required":["email"]}]}],
      "if":{"properties":{"contactMethod":{"const":"phone"}},"required":["contactMethod"]},
      "then":{"required":["phone"]},"else":{"required":["email"]},"additionalProperties":false})"));
    return schemas;
  }();
  return all;
}

Json elicit(std::string_view message, std::string_view schema) {
  return JsonObject{{"method", "elicitation/create"},
                    {"params", JsonObject{{"message", message}, {"requestedSchema", json(schema)}}}};
}
Json sample(std::string_view question, int tokens) {
  return JsonObject{
      {"method", "sampling/createMessage"},
      {"params", JsonObject{{"messages", JsonArray{JsonObject{{"role", "user"}, {"content", text_content(question)}}}},
                            {"maxTokens", tokens}}}};
}
Json roots() { return JsonObject{{"method", "roots/list"}, {"params", JsonObject()}}; }

constexpr std::string_view kNameSchema =
    R"({"type":"object","properties":{"name":{"type":"string"}},"required":["name"]})";

JsonObject input_required(JsonObject requests, std::string state = {}) {
  JsonObject result{{"resultType", "input_required"}, {"inputRequests", std::move(requests)}};
  if (!state.empty()) result["requestState"] = state;
  return result;
}

// What the client answered to one of our questions: null if it did not, or not with what was asked for.
const Json* response(const McpServed& request, std::string_view key, std::string_view field) {
  const Json* all = find(request.params(), "inputResponses");
  const Json* one = all ? find(*all, key) : nullptr;
  return one && find(*one, field) ? one : nullptr;
}

// The value that a form's field was filled in with.
std::string filled_in(const Json* answer, std::string_view field) {
  const Json* content = answer ? find(*answer, "content") : nullptr;
  return std::string(content ? find_string(*content, field).value_or("") : "");
}

std::string outcome_text(const std::expected<Json, RpcError>& said) {
  if (!said) return "error: " + said.error().message;
  const Json* content = find(*said, "content");
  return "action=" + std::string(find_string(*said, "action").value_or("?")) +
         ", content=" + (content ? to_json(*content) : "{}");
}

bool can(const McpServed& request, std::string_view capability) {
  return find_object(request.caller().capabilities, capability) != nullptr;
}

}  // namespace

ConformanceFixtures::~ConformanceFixtures() {
  std::vector<std::jthread> all;
  {
    const std::lock_guard lock(mutex_);
    all = std::move(threads_);
  }
}

McpServerFace ConformanceFixtures::face(McpEra era) const {
  McpServerFace face{.info = {{"name", "deft-conformance"}, {"version", "1.0.0"}},
                     .capabilities = {{"tools", JsonObject{{"listChanged", true}}},
                                      {"resources", JsonObject{{"subscribe", true}, {"listChanged", true}}},
                                      {"prompts", JsonObject{{"listChanged", true}}},
                                      {"completions", JsonObject()}}};
  if (era == McpEra::legacy) face.capabilities["logging"] = JsonObject();
  return face;
}

std::optional<Json> ConformanceFixtures::input_schema(std::string_view tool) const {
  const auto found = tools().find(tool);
  return found == tools().end() ? std::nullopt : std::optional(found->second);
}

void ConformanceFixtures::later(std::function<void()> work) {
  const std::lock_guard lock(mutex_);
  threads_.emplace_back(std::move(work));
}

std::string ConformanceFixtures::new_state(const std::string& tool) {
  const std::lock_guard lock(mutex_);
  return states_.emplace(random_uuid(), tool).first->first;
}

bool ConformanceFixtures::take_state(const std::string& tool, const Json& params) {
  const auto state = find_string(params, "requestState");
  const std::lock_guard lock(mutex_);
  const auto found = state ? states_.find(std::string(*state)) : states_.end();
  if (found == states_.end() || found->second != tool) return false;
  states_.erase(found);
  return true;
}

void ConformanceFixtures::handle(std::shared_ptr<McpServed> request) {
  const std::string& method = request->method();
  if (method == "tools/list") {
    JsonArray list;
    for (const auto& [name, schema] : tools()) {
      list.push_back(JsonObject{{"name", name}, {"description", "Test tool " + name}, {"inputSchema", schema}});
    }
    return request->answer({{"tools", std::move(list)}});
  }
  if (method == "tools/call") return call_tool(request);
  if (method == "resources/read") return read_resource(request);
  if (method == "prompts/get") return get_prompt(request);
  if (method == "resources/list") {
    return request->answer({{"resources", json(R"([
      {"uri":"test://static-text","name":"Static text","description":"A text","mimeType":"text/plain"},
      {"uri":"test://static-binary","name":"Static binary","description":"A picture","mimeType":"image/png"},
      {"uri":"test://watched-resource","name":"Watched","description":"It may change","mimeType":"text/plain"}])")}});
  }
  if (method == "resources/templates/list") {
    return request->answer({{"resourceTemplates", json(R"([
      {"uriTemplate":"test://template/{id}/data","name":"Data","description":"By id","mimeType":"application/json"}])")}});
  }
  if (method == "prompts/list") {
    return request->answer({{"prompts", json(R"([
      {"name":"test_simple_prompt","description":"Simple"},
      {"name":"test_prompt_with_arguments","description":"With arguments","arguments":[
        {"name":"arg1","description":"First","required":true},{"name":"arg2","description":"Second","required":true}]},
      {"name":"test_prompt_with_embedded_resource","description":"With a resource","arguments":[
        {"name":"resourceUri","description":"Which","required":true}]},
      {"name":"test_prompt_with_image","description":"With a picture"},
      {"name":"test_input_required_result_prompt","description":"Asks first"}])")}});
  }
  if (method == "completion/complete") {
    return request->answer({{"completion", json(R"({"values":["paris","park","party"],"total":3,"hasMore":false})")}});
  }
  request->fail({kRpcMethodNotFound, "no such method"});
}

void ConformanceFixtures::call_tool(const Served& request) {
  const std::string name(find_string(request->params(), "name").value_or(""));
  const Json* given = find(request->params(), "arguments");
  const Json arguments = given ? *given : Json(JsonObject());
  const auto resource = [](std::string_view uri, std::string_view type, std::string_view text) {
    return JsonObject{{"type", "resource"}, {"resource", JsonObject{{"uri", uri}, {"mimeType", type}, {"text", text}}}};
  };
  const JsonObject image{{"type", "image"}, {"data", kPixel}, {"mimeType", "image/png"}};
  if (!tools().contains(name)) return request->fail({kRpcInvalidParams, "Unknown tool: " + name});
  if (name == "greet") return request->answer(text_result("Hello!"));
  if (name == "test_simple_text") return request->answer(text_result("This is a simple text response for testing."));
  if (name == "test_image_content") return request->answer({{"content", JsonArray{image}}});
  if (name == "test_audio_content") {
    return request->answer(
        {{"content", JsonArray{JsonObject{{"type", "audio"}, {"data", kSound}, {"mimeType", "audio/wav"}}}}});
  }
  if (name == "test_embedded_resource") {
    return request->answer({{"content", JsonArray{resource("test://embedded-resource", "text/plain",
                                                           "This is an embedded resource content.")}}});
  }
  if (name == "test_multiple_content_types") {
    return request->answer({{"content", JsonArray{text_content("Multiple content types test:"), image,
                                                  resource("test://mixed-content-resource", "application/json",
                                                           R"({"test":"data","value":123})")}}});
  }
  if (name == "test_error_handling") {
    return request->answer(error_result("This tool intentionally returns an error for testing"));
  }
  if (name == "test_tool_with_logging" || name == "test_logging_tool") {
    return later([request] {
      request->log("info", "test", "Tool execution started");
      std::this_thread::sleep_for(kPause);
      request->log("info", "test", "Tool processing data");
      std::this_thread::sleep_for(kPause);
      request->log("info", "test", "Tool execution completed");
      request->answer(text_result("Tool with logging executed successfully"));
    });
  }
  if (name == "test_tool_with_progress") {
    return later([request] {
      for (const double done : {0.0, 50.0, 100.0}) {
        request->progress(done, 100, "");
        std::this_thread::sleep_for(kPause);
      }
      request->answer(text_result("Progress reported"));
    });
  }
  if (name == "test_reconnection") {
    return later([request] {
      request->let_go();
      std::this_thread::sleep_for(2 * kPause);
      request->answer(text_result("Reconnection test completed successfully"));
    });
  }
  if (name == "test_sampling") {
    if (!can(*request, "sampling")) return request->answer(error_result("The client cannot sample"));
    const Json question = sample(find_string(arguments, "prompt").value_or(""), 100);
    return request->ask("sampling/createMessage", *find(question, "params"), [request](const auto& said) {
      if (!said) return request->answer(error_result(said.error().message));
      const Json* content = find(*said, "content");
      request->answer(
          text_result("LLM response: " + std::string(content ? find_string(*content, "text").value_or("") : "")));
    });
  }
  const auto ask = [&](std::string_view message, std::string_view schema, std::string prefix) {
    if (!can(*request, "elicitation")) return request->answer(error_result("The client cannot elicit"));
    const Json question = elicit(message, schema);
    request->ask("elicitation/create", *find(question, "params"),
                 [request, prefix](const auto& said) { request->answer(text_result(prefix + outcome_text(said))); });
  };
  if (name == "test_elicitation") {
    return ask(find_string(arguments, "message").value_or(""), R"({"type":"object","properties":{
      "username":{"type":"string","description":"User's response"},
      "email":{"type":"string","description":"User's email address"}},"required":["username","email"]})",
               "User response: ");
  }
  if (name == "test_elicitation_sep1034_defaults") {
    return ask("Please review", R"({"type":"object","properties":{
      "name":{"type":"string","default":"John Doe"},"age":{"type":"integer","default":30},
      "score":{"type":"number","default":95.5},
      "status":{"type":"string","enum":["active","inactive","pending"],"default":"active"},
      "verified":{"type":"boolean","default":true}}})",
               "Elicitation completed: ");
  }
  if (name == "test_elicitation_sep1330_enums") {
    return ask("Please choose", R"({"type":"object","properties":{
      "untitledSingle":{"type":"string","enum":["option1","option2","option3"]},
      "titledSingle":{"type":"string","oneOf":[{"const":"value1","title":"First Option"},
        {"const":"value2","title":"Second Option"},{"const":"value3","title":"Third Option"}]},
      "legacyEnum":{"type":"string","enum":["opt1","opt2","opt3"],
        "enumNames":["Option One","Option Two","Option Three"]},
      "untitledMulti":{"type":"array","items":{"type":"string","enum":["option1","option2","option3"]}},
      "titledMulti":{"type":"array","items":{"anyOf":[{"const":"value1","title":"First Choice"},
        {"const":"value2","title":"Second Choice"},{"const":"value3","title":"Third Choice"}]}}}})",
               "Elicitation completed: ");
  }
  if (name == "test_missing_capability") {
    if (can(*request, "sampling")) return request->answer(text_result("The client can sample"));
    return request->fail({kMcpMissingCapability, "The client must declare sampling",
                          Json(JsonObject{{"requiredCapabilities", JsonObject{{"sampling", JsonObject()}}}})});
  }
  if (name == "test_trigger_tool_change" || name == "test_trigger_prompt_change") {
    const bool is_tools = name == "test_trigger_tool_change";
    announce_({.what = is_tools ? McpChange::What::tools : McpChange::What::prompts});
    return request->answer(text_result("Told those who listen"));
  }
  if (call_with_input(name, request)) return;
  request->answer(text_result("Called " + name));
}

// Tools that need something from the client first: they say what, and are called again with it.
bool ConformanceFixtures::call_with_input(const std::string& name, const Served& request) {
  const Json& params = request->params();
  const Json user_name = elicit("What is your name?", kNameSchema);
  if (name == "test_input_required_result_elicitation" || name == "test_streaming_elicitation") {
    const std::string said = filled_in(response(*request, "user_name", "action"), "name");
    request->answer(said.empty() ? input_required({{"user_name", user_name}}) : text_result("Hello, " + said + "!"));
    return true;
  }
  if (name == "test_input_required_result_sampling") {
    const Json* said = response(*request, "capital_question", "content");
    const Json* content = said ? find(*said, "content") : nullptr;
    request->answer(content ? text_result(find_string(*content, "text").value_or("?"))
                            : input_required({{"capital_question", sample("What is the capital of France?", 100)}}));
    return true;
  }
  if (name == "test_input_required_result_list_roots") {
    const Json* said = response(*request, "client_roots", "roots");
    request->answer(said ? text_result("Roots: " + to_json(*said)) : input_required({{"client_roots", roots()}}));
    return true;
  }
  const bool has_state = find(params, "requestState") != nullptr;
  const bool is_known = has_state && take_state(name, params);
  const auto refuse = [&] { request->fail({kRpcInvalidParams, "requestState is not one that we gave out"}); };
  if (name == "test_input_required_result_request_state" || name == "test_input_required_result_tampered_state") {
    if (has_state && !is_known) return refuse(), true;
    const Json confirm =
        elicit("Please confirm", R"({"type":"object","properties":{"ok":{"type":"boolean"}},"required":["ok"]})");
    request->answer(is_known && response(*request, "confirm", "action")
                        ? text_result("state-ok")
                        : input_required({{"confirm", confirm}}, new_state(name)));
    return true;
  }
  if (name == "test_input_required_result_multiple_inputs") {
    if (has_state && !is_known) return refuse(), true;
    const bool is_complete = is_known && response(*request, "user_name", "action") &&
                             response(*request, "greeting", "content") && response(*request, "client_roots", "roots");
    request->answer(is_complete ? text_result("All inputs received")
                                : input_required({{"user_name", user_name},
                                                  {"greeting", sample("Generate a greeting", 50)},
                                                  {"client_roots", roots()}},
                                                 new_state(name)));
    return true;
  }
  if (name == "test_input_required_result_multi_round") {
    if (has_state && !is_known) return refuse(), true;
    if (is_known && response(*request, "step2", "action")) return request->answer(text_result("Both steps done")), true;
    const Json first = elicit("Step 1: What is your name?", kNameSchema);
    const Json second = elicit("Step 2: What is your favorite color?",
                               R"({"type":"object","properties":{"color":{"type":"string"}},"required":["color"]})");
    const bool is_second = is_known && response(*request, "step1", "action");
    request->answer(input_required({{is_second ? "step2" : "step1", is_second ? second : first}}, new_state(name)));
    return true;
  }
  if (name == "test_input_required_result_capabilities") {
    JsonObject wanted;
    if (can(*request, "elicitation") && !response(*request, "user_name", "action")) wanted["user_name"] = user_name;
    if (can(*request, "sampling") && !response(*request, "greeting", "content")) {
      wanted["greeting"] = sample("Generate a greeting", 50);
    }
    if (can(*request, "roots") && !response(*request, "client_roots", "roots")) wanted["client_roots"] = roots();
    request->answer(wanted.empty() ? text_result("Nothing is missing") : input_required(std::move(wanted)));
    return true;
  }
  return false;
}

void ConformanceFixtures::get_prompt(const Served& request) {
  const auto name = find_string(request->params(), "name").value_or("");
  const Json* arguments = find(request->params(), "arguments");
  const auto argument = [&](std::string_view key) {
    return std::string(arguments ? find_string(*arguments, key).value_or("") : "");
  };
  const auto said = [](JsonArray contents) {
    JsonArray messages;
    for (Json& content : contents) messages.push_back(JsonObject{{"role", "user"}, {"content", std::move(content)}});
    return JsonObject{{"messages", std::move(messages)}};
  };
  if (name == "test_simple_prompt") {
    return request->answer(said({text_content("This is a simple prompt for testing.")}));
  }
  if (name == "test_prompt_with_arguments") {
    return request->answer(said(
        {text_content("Prompt with arguments: arg1='" + argument("arg1") + "', arg2='" + argument("arg2") + "'")}));
  }
  if (name == "test_prompt_with_embedded_resource") {
    return request->answer(
        said({JsonObject{{"type", "resource"},
                         {"resource", JsonObject{{"uri", argument("resourceUri")},
                                                 {"mimeType", "text/plain"},
                                                 {"text", "Embedded resource content for testing."}}}},
              text_content("Please process the embedded resource above.")}));
  }
  if (name == "test_prompt_with_image") {
    return request->answer(said({JsonObject{{"type", "image"}, {"data", kPixel}, {"mimeType", "image/png"}},
                                 text_content("Please analyze the image above.")}));
  }
  if (name == "test_input_required_result_prompt") {
    const std::string context = filled_in(response(*request, "user_context", "action"), "context");
    if (!context.empty()) return request->answer(said({text_content("Use this context: " + context)}));
    return request->answer(input_required(
        {{"user_context",
          elicit("What context should the prompt use?",
                 R"({"type":"object","properties":{"context":{"type":"string"}},"required":["context"]})")}}));
  }
  request->fail({kRpcInvalidParams, "Unknown prompt"});
}

void ConformanceFixtures::read_resource(const Served& request) {
  const std::string uri(find_string(request->params(), "uri").value_or(""));
  const auto contents = [&](std::string_view type, std::string_view key, std::string_view value) {
    return JsonObject{{"contents", JsonArray{JsonObject{{"uri", uri}, {"mimeType", type}, {key, value}}}}};
  };
  if (uri == "test://static-text" || uri == "test://watched-resource") {
    return request->answer(contents("text/plain", "text", "This is the content of the static text resource."));
  }
  if (uri == "test://static-binary") return request->answer(contents("image/png", "blob", kPixel));
  constexpr std::string_view kBegin = "test://template/";
  constexpr std::string_view kEnd = "/data";
  if (uri.starts_with(kBegin) && uri.ends_with(kEnd) && uri.size() > kBegin.size() + kEnd.size()) {
    const std::string id = uri.substr(kBegin.size(), uri.size() - kBegin.size() - kEnd.size());
    return request->answer(
        contents("application/json", "text",
                 to_json(JsonObject{{"id", id}, {"templateTest", true}, {"data", "Data for ID: " + id}})));
  }
  const bool is_modern = request->caller().era == McpEra::modern;
  request->fail(
      {is_modern ? kRpcInvalidParams : kMcpResourceNotFound, "Resource not found", Json(JsonObject{{"uri", uri}})});
}

}  // namespace deft
