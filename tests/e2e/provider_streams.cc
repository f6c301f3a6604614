#include "provider_streams.h"

#include "deft/base/json.h"

namespace deft::testing {

namespace {

std::string input_of(std::string_view command) { return "{\"command\":" + json_quote(command) + "}"; }

// As it stands inside a JSON string.
std::string escaped(std::string_view text) {
  const std::string quoted = json_quote(text);
  return quoted.substr(1, quoted.size() - 2);
}

// The input in two pieces, each inside its own event.
std::string in_two_pieces(std::string_view input, std::string_view between) {
  const std::size_t middle = input.size() / 2;
  return escaped(input.substr(0, middle)) + std::string(between) + escaped(input.substr(middle));
}

std::string event(std::string_view data) { return "data: " + std::string(data) + "\n\n"; }

StreamedCalls lines(std::string_view first, std::string_view second) {
  return {.beginning = R"({"type":"tool_use","id":"t1","name":"Bash","input":)",
          .first_input = input_of(first),
          .first_end =
              "}\n"
              R"({"type":"tool_use","id":"t2","na)",
          .rest = R"(me":"Bash","input":)" + input_of(second) + "}\n"};
}

StreamedCalls anthropic(std::string_view first, std::string_view second) {
  const std::string delta =
      R"(data: {"type":"content_block_delta","index":0,"delta":{"type":"input_json_delta","partial_json":")";
  const std::string block =
      R"({"type":"content_block_start","index":1,"content_block":{"type":"tool_use","id":"t2","name":"Bash","input":{}}})";
  const std::string input =
      R"({"type":"content_block_delta","index":1,"delta":{"type":"input_json_delta","partial_json":")" +
      escaped(input_of(second)) + R"("}})";
  return {
      .beginning =
          event(
              R"({"type":"message_start","message":{"id":"m1","type":"message","role":"assistant","model":"m","content":[],"stop_reason":null}})") +
          event(
              R"({"type":"content_block_start","index":0,"content_block":{"type":"tool_use","id":"t1","name":"Bash","input":{}}})") +
          delta,
      .first_input = in_two_pieces(input_of(first), "\"}}\n\n" + delta),
      .first_end = "\"}}\n\n" + event(R"({"type":"content_block_stop","index":0})") + event(block),
      .rest = event(input) + event(R"({"type":"content_block_stop","index":1})") +
              event(R"({"type":"message_delta","delta":{"stop_reason":"tool_use"}})") +
              event(R"({"type":"message_stop"})")};
}

StreamedCalls chat(std::string_view first, std::string_view second) {
  const auto chunk = [](std::string_view delta, std::string_view reason) {
    return R"({"id":"c1","object":"chat.completion.chunk","choices":[{"index":0,"delta":)" + std::string(delta) +
           R"(,"finish_reason":)" + std::string(reason) + "}]}";
  };
  const auto opening = [&](std::string_view index, std::string_view id) {
    return event(chunk(R"({"tool_calls":[{"index":)" + std::string(index) + R"(,"id":")" + std::string(id) +
                           R"(","type":"function","function":{"name":"Bash","arguments":""}}]})",
                       "null"));
  };
  const std::string delta =
      R"(data: {"id":"c1","object":"chat.completion.chunk","choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"function":{"arguments":")";
  const std::string after_delta = "\"}}]},\"finish_reason\":null}]}\n\n";
  return {.beginning = opening("0", "t1") + delta,
          .first_input = in_two_pieces(input_of(first), after_delta + delta),
          .first_end = after_delta + opening("1", "t2"),
          .rest = event(chunk(
                      R"({"tool_calls":[{"index":1,"function":{"arguments":")" + escaped(input_of(second)) + R"("}}]})",
                      "null")) +
                  event(chunk("{}", R"("tool_calls")")) + event("[DONE]")};
}

StreamedCalls responses(std::string_view first, std::string_view second) {
  const auto item = [](std::string_view type, int index, std::string_view id, std::string_view status,
                       const std::string& arguments) {
    return event(R"({"type":"response.output_item.)" + std::string(type) + R"(","output_index":)" +
                 std::to_string(index) + R"(,"item":{"id":"fc_)" + std::string(id) +
                 R"(","type":"function_call","status":")" + std::string(status) + R"(","arguments":")" +
                 escaped(arguments) + R"(","call_id":")" + std::string(id) + R"(","name":"Bash"}})");
  };
  const std::string delta =
      R"(data: {"type":"response.function_call_arguments.delta","item_id":"fc_t1","output_index":0,"delta":")";
  return {
      .beginning = event(R"({"type":"response.created","response":{"id":"r1","status":"in_progress","output":[]}})") +
                   item("added", 0, "t1", "in_progress", "") + delta,
      .first_input = in_two_pieces(input_of(first), "\"}\n\n" + delta),
      .first_end =
          "\"}\n\n" + item("done", 0, "t1", "completed", input_of(first)) + item("added", 1, "t2", "in_progress", ""),
      .rest = item("done", 1, "t2", "completed", input_of(second)) +
              event(R"({"type":"response.completed","response":{"id":"r1","status":"completed","output":[]}})")};
}

}  // namespace

const std::vector<CallFormat>& call_formats() {
  static const std::vector<CallFormat> formats = {
      {"Lines", lines}, {"Anthropic", anthropic}, {"OpenAiChat", chat}, {"OpenAiResponses", responses}};
  return formats;
}

}  // namespace deft::testing
