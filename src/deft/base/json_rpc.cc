#include "deft/base/json_rpc.h"

#include <utility>

#include "deft/base/overloaded.h"
#include "deft/base/utf8.h"

namespace deft {
namespace {

constexpr std::string_view kVersion = "2.0";

std::unexpected<RpcFault> refuse(std::string why, std::optional<RpcId> id = std::nullopt) {
  return std::unexpected(RpcFault{.code = kRpcInvalidRequest, .message = std::move(why), .id = std::move(id)});
}

// Nothing: it is no id.
std::optional<RpcId> read_id(const Json& value) {
  if (value.is_int64()) return RpcId(value.get_int64());
  if (const auto* text = value.if_string(); text != nullptr && text->size() <= kRpcIdBytesMax) {
    return RpcId(std::string(view(*text)));
  }
  return std::nullopt;
}

std::expected<RpcError, RpcFault> read_error(JsonObject& error, const std::optional<RpcId>& id) {
  const Json* code = error.if_contains("code");
  if (code == nullptr || !code->is_int64()) return refuse("the code of an error must be an integer", id);
  RpcError out{.code = code->get_int64()};
  if (const Json* message = error.if_contains("message"); message != nullptr && message->is_string()) {
    out.message = std::string(utf8_prefix(view(message->get_string()), kRpcErrorMessageBytesMax));
  } else {
    return refuse("the message of an error must be a string", id);
  }
  if (Json* data = error.if_contains("data")) out.data = std::move(*data);
  return out;
}

std::expected<RpcMessage, RpcFault> read_call(JsonObject& object, Json& method, bool has_id, std::optional<RpcId> id) {
  if (object.contains("result") || object.contains("error")) {
    return refuse("a message with a method has neither a result nor an error", std::move(id));
  }
  if (!method.is_string()) return refuse("the method must be a string", std::move(id));
  const std::string_view name = view(method.get_string());
  if (name.empty() || name.size() > kRpcMethodBytesMax) {
    return refuse("the method must have 1 to " + std::to_string(kRpcMethodBytesMax) + " bytes", std::move(id));
  }
  if (has_id && !id) return refuse("the id of a request must be a string or an integer");
  std::optional<Json> params;
  // Null where there are none is common among language servers.
  if (Json* given = object.if_contains("params"); given != nullptr && !given->is_null()) {
    if (!given->is_object() && !given->is_array()) {
      return refuse("params must be an object or an array", std::move(id));
    }
    params = std::move(*given);
  }
  if (id) return RpcRequest{.id = *std::move(id), .method = std::string(name), .params = std::move(params)};
  return RpcNotification{.method = std::string(name), .params = std::move(params)};
}

std::expected<RpcMessage, RpcFault> read_response(JsonObject& object, const Json* raw_id, std::optional<RpcId> id) {
  Json* result = object.if_contains("result");
  Json* error = object.if_contains("error");
  // Some write the other member too, as null.
  if (error != nullptr && error->is_null() && result != nullptr) error = nullptr;
  if (error != nullptr && result != nullptr && result->is_null()) result = nullptr;
  if (result != nullptr && error != nullptr) return refuse("a response has a result or an error, not both");
  if (raw_id == nullptr) {
    return refuse(result == nullptr && error == nullptr ? "a message has a method, a result or an error"
                                                        : "a response needs an id");
  }
  if (!id && !raw_id->is_null()) return refuse("the id of a response must be a string or an integer");
  if (error != nullptr) {
    if (!error->is_object()) return refuse("an error must be an object");
    auto read = read_error(error->get_object(), std::nullopt);
    if (!read) return std::unexpected(std::move(read).error());
    return RpcResponse{.id = std::move(id), .outcome = std::unexpected(*std::move(read))};
  }
  if (result == nullptr) return refuse("a message has a method, a result or an error");
  if (!id) return refuse("a result needs the id of its request");
  return RpcResponse{.id = std::move(id), .outcome = std::move(*result)};
}

Json call_value(const std::optional<RpcId>& id, const std::string& method, const std::optional<Json>& params) {
  JsonObject object{{"jsonrpc", kVersion}};
  if (id) object["id"] = id->json();
  object["method"] = method;
  if (params) object["params"] = *params;
  return object;
}

Json response_value(const RpcResponse& response) {
  JsonObject object{{"jsonrpc", kVersion}, {"id", response.id ? response.id->json() : Json(nullptr)}};
  if (response.outcome) {
    object["result"] = *response.outcome;
    return object;
  }
  const RpcError& error = response.outcome.error();
  JsonObject shown{{"code", error.code}, {"message", error.message}};
  if (error.data) shown["data"] = *error.data;
  object["error"] = std::move(shown);
  return object;
}

}  // namespace

Json RpcId::json() const {
  return std::visit(
      Overloaded{[](std::int64_t number) { return Json(number); }, [](const std::string& text) { return Json(text); }},
      value_);
}

std::expected<RpcMessage, RpcFault> parse_rpc(std::string_view text, const JsonLimits& limits) {
  auto value = parse_json(text, limits);
  if (!value) return std::unexpected(RpcFault{.code = kRpcParseError, .message = value.error().message});
  return read_rpc(*std::move(value));
}

std::expected<RpcMessage, RpcFault> read_rpc(Json value) {
  JsonObject* object = value.if_object();
  if (object == nullptr) return refuse("a message must be one object");
  const Json* raw_id = object->if_contains("id");
  std::optional<RpcId> id = raw_id == nullptr ? std::nullopt : read_id(*raw_id);
  const auto version = find_string(value, "jsonrpc");
  if (!version || *version != kVersion) return refuse("jsonrpc must be \"2.0\"", std::move(id));
  if (Json* method = object->if_contains("method")) {
    return read_call(*object, *method, raw_id != nullptr, std::move(id));
  }
  return read_response(*object, raw_id, std::move(id));
}

std::string to_text(const RpcRequest& request) {
  return to_json(call_value(request.id, request.method, request.params));
}
std::string to_text(const RpcNotification& notification) {
  return to_json(call_value(std::nullopt, notification.method, notification.params));
}
std::string to_text(const RpcResponse& response) { return to_json(response_value(response)); }
std::string to_text(const RpcMessage& message) {
  return std::visit([](const auto& alternative) { return to_text(alternative); }, message);
}

Json to_value(const RpcMessage& message) {
  return std::visit(
      Overloaded{[](const RpcRequest& request) { return call_value(request.id, request.method, request.params); },
                 [](const RpcNotification& notification) {
                   return call_value(std::nullopt, notification.method, notification.params);
                 },
                 [](const RpcResponse& response) { return response_value(response); }},
      message);
}

RpcResponse rpc_answer(RpcId id, Json result) { return {.id = std::move(id), .outcome = std::move(result)}; }

RpcResponse rpc_failure(std::optional<RpcId> id, std::int64_t code, std::string message, std::optional<Json> data) {
  return {.id = std::move(id),
          .outcome = std::unexpected(RpcError{.code = code, .message = std::move(message), .data = std::move(data)})};
}

}  // namespace deft
