#include "deft/ui/mcp_tool_service.h"

#include <algorithm>
#include <utility>

#include "deft/base/base64.h"
#include "deft/base/utf8.h"
#include "deft/os/files.h"
#include "deft/os/uuid.h"
#include "deft/tools/shown_definitions.h"

namespace deft {
namespace {

// Asked without an input: a tool that only ever reads says so of any.
bool always_reads(const Tool& tool) {
  static const SessionState nowhere{.working_directory = "/", .directories = {"/"}};
  try {
    return tool.is_read_only(JsonObject(), SessionView(nowhere, {})) && !tool.makes_calls();
  } catch (...) {
    return false;
  }
}

}  // namespace

Result<std::unique_ptr<McpToolService>> McpToolService::make(Options options) {
  std::unique_ptr<McpToolService> service(new McpToolService(std::move(options)));
  // The first hand is opened now: what is wrong shows at once, and its tools are those that are listed.
  auto hand = service->open_hand({.era = McpEra::modern});
  if (!hand) return std::unexpected(hand.error());
  service->hands_.emplace("", std::move(*hand));
  return service;
}

McpToolService::~McpToolService() { end(); }

bool McpToolService::end() {
  std::vector<std::shared_ptr<McpHand>> all;
  {
    const std::lock_guard lock(mutex_);
    ending_ = true;
    held_back_.clear();
    for (auto& [session, hand] : std::exchange(hands_, {})) all.push_back(std::move(hand));
    for (auto& hand : std::exchange(leaving_, {})) all.push_back(std::move(hand));
  }
  for (const auto& hand : all) hand->end();
  bool is_stuck = false;
  for (const auto& hand : all) {
    hand->wait();
    is_stuck = is_stuck || hand->is_stuck();
  }
  if (is_stuck) stuck_ = std::move(all);  // their threads still use them
  return is_stuck;
}

// --- hands ---

Result<std::unique_ptr<McpHand>> McpToolService::open_hand(const McpRequester& caller) {
  McpHand::Options hand{.engine = options_.engine, .notice = options_.notice};
  const bool is_first = std::exchange(is_first_, false);
  hand.engine.agent_id = "client-" + random_uuid().substr(0, 8);  // its journal has a name that no other run has
  hand.engine.agent_type = "mcp-client";
  // Those without a session share a hand; of them each request says whether its client can be asked.
  hand.asks_client =
      options_.asks_client && (caller.era == McpEra::modern || find_object(caller.capabilities, "elicitation"));
  hand.answers = &answers_;
  hand.stored = [this] {
    if (options_.announce) options_.announce({.what = McpChange::What::resources});
  };
  hand.equip = [this, is_first](Engine& engine) -> Result<void> {
    for (auto& tool : options_.make_tools(engine)) {
      if (is_left_out(tool->spec().name)) continue;
      if (is_first) {
        if (auto listed = registry_.add(tool); !listed) return listed;
      }
      if (auto added = engine.add_tool(std::move(tool)); !added) return added;
    }
    if (is_first) permissions_ = engine.permissions();
    return {};
  };
  auto opened = McpHand::open(std::move(hand));
  if (!opened) return opened;
  for (const auto& [group, tools] : groups_) (*opened)->feed(ToolsChanged{group, tools});
  return opened;
}

std::shared_ptr<McpHand> McpToolService::hand_for(const McpRequester& caller, std::string& problem) {
  std::vector<std::shared_ptr<McpHand>> ended;  // ended after the lock
  const std::lock_guard lock(mutex_);
  std::erase_if(leaving_, [&](const auto& hand) {
    const bool done = hand->has_ended() && !hand->is_stuck();
    if (done) ended.push_back(hand);
    return done;
  });
  if (ending_) {
    problem = "the server is about to end";
    return nullptr;
  }
  // Without elicitation a session of its own would still keep apart what clients have seen of files.
  const std::string& key = caller.era == McpEra::legacy ? caller.session : "";
  if (const auto found = hands_.find(key); found != hands_.end()) return found->second;
  if (hands_.size() + leaving_.size() >= kMcpHandsMax) {
    problem = "too many clients are connected";
    return nullptr;
  }
  auto opened = open_hand(caller);
  if (!opened) {
    problem = opened.error().message;
    return nullptr;
  }
  return hands_.emplace(key, std::move(*opened)).first->second;
}

void McpToolService::session_ended(const std::string& session) {
  const std::lock_guard lock(mutex_);
  const auto found = session.empty() ? hands_.end() : hands_.find(session);
  if (found == hands_.end()) return;
  found->second->end();
  leaving_.push_back(std::move(found->second));
  hands_.erase(found);
}

void McpToolService::set_group(const std::string& group, const std::vector<std::shared_ptr<Tool>>& tools) {
  std::vector<std::string> notices;
  {
    const std::lock_guard lock(mutex_);
    const auto known = std::ranges::find(groups_, group, [](const auto& pair) { return pair.first; });
    if (known == groups_.end()) {
      groups_.emplace_back(group, tools);
    } else {
      known->second = tools;
    }
    notices = registry_.set_group(group, tools);
    for (const auto& [session, hand] : hands_) hand->feed(ToolsChanged{group, tools});
  }
  for (const std::string& text : notices) {
    if (options_.notice) options_.notice(text);
  }
  if (options_.announce) options_.announce({.what = McpChange::What::tools});
}

// --- what is offered ---

McpServerFace McpToolService::face(McpEra) const {
  return {.info = JsonObject{{"name", "deft"}, {"title", "deft: the hands of AI agents"}, {"version", DEFT_VERSION}},
          .capabilities = JsonObject{{"tools", JsonObject{{"listChanged", true}}},
                                     {"resources", JsonObject{{"listChanged", true}}},
                                     {"logging", JsonObject{}}},
          .instructions = options_.instructions};
}

std::shared_ptr<const ToolPool> McpToolService::pool() const {
  const std::lock_guard lock(mutex_);
  return registry_.pool(*permissions_);
}

bool McpToolService::is_left_out(std::string_view tool) const {
  return std::ranges::find(options_.left_out, tool) != options_.left_out.end();
}

std::optional<Json> McpToolService::input_schema(std::string_view tool) const {
  const auto now = pool();
  const RegisteredTool* entry = now->find(tool);
  return entry ? std::optional(entry->tool->spec().input_schema) : std::nullopt;
}

void McpToolService::expect_more() {
  const std::lock_guard lock(mutex_);
  expects_more_ = true;
}

void McpToolService::complete() {
  std::vector<std::shared_ptr<McpServed>> waited;
  {
    const std::lock_guard lock(mutex_);
    expects_more_ = false;
    waited = std::exchange(held_back_, {});
  }
  for (auto& request : waited) handle(std::move(request));
}

bool McpToolService::holds_back(const std::shared_ptr<McpServed>& request) {
  const bool lists = request->method() == "tools/list";
  if (!lists && request->method() != "tools/call") return false;
  const auto name = find_string(request->params(), "name");
  const std::lock_guard lock(mutex_);
  if (!expects_more_) return false;
  if (!lists && (!name || registry_.pool(*permissions_)->find(*name))) return false;
  held_back_.push_back(request);
  return true;
}

void McpToolService::handle(std::shared_ptr<McpServed> request) {
  if (holds_back(request)) return;
  const std::string& method = request->method();
  // Lists have one page, so nobody was ever given a place to go on from.
  const Json* cursor = method.ends_with("/list") ? find(request->params(), "cursor") : nullptr;
  if (cursor && !cursor->is_null()) return request->fail({kRpcInvalidParams, "there is no such cursor"});
  if (method == "tools/list") return list_tools(*request);
  if (method == "tools/call") return call_tool(request);
  if (method == "resources/list") return list_resources(*request);
  if (method == "resources/read") return read_resource(request);
  if (method == "resources/templates/list") return request->answer({{"resourceTemplates", JsonArray()}});
  request->fail({kRpcMethodNotFound, "no such method"});
}

JsonObject McpToolService::definition(const RegisteredTool& entry) const {
  const ToolSpec& spec = entry.tool->spec();
  JsonObject tool{
      {"name", spec.name}, {"description", description_of(*entry.tool, {})}, {"inputSchema", spec.input_schema}};
  if (spec.output_schema) tool["outputSchema"] = *spec.output_schema;
  // Where the tool is a stranger's, so are its hints: nothing is promised for it.
  if (spec.origin == Origin::built_in) {
    const bool reads = always_reads(*entry.tool);
    tool["annotations"] = JsonObject{{"readOnlyHint", reads}, {"destructiveHint", !reads}};
  }
  return tool;
}

void McpToolService::list_tools(McpServed& request) const {
  JsonArray tools;
  const auto now = pool();
  for (const RegisteredTool& entry : now->advertised()) tools.push_back(definition(entry));
  request.answer({{"tools", std::move(tools)}});
}

void McpToolService::call_tool(const std::shared_ptr<McpServed>& request) {
  const auto name = find_string(request->params(), "name");
  if (!name) return request->fail({kRpcInvalidParams, "name is missing"});
  const Json* arguments = find(request->params(), "arguments");
  if (arguments && !arguments->is_object()) return request->fail({kRpcInvalidParams, "arguments must be an object"});
  if (!pool()->find(*name)) {
    return request->fail({kRpcInvalidParams, "no such tool: " + json_quote(name->substr(0, 128))});
  }
  const Json given = arguments ? *arguments : Json(JsonObject());
  std::optional<McpAnswered> answered;
  if (request->caller().era == McpEra::modern) {
    auto taken = answers_.take(*name, given, request->params());
    if (!taken) return request->fail({kRpcInvalidParams, taken.error().message});
    answered = *std::move(taken);
  }
  std::string problem;
  const auto hand = hand_for(request->caller(), problem);
  if (!hand) return request->fail({kRpcInternalError, problem});
  hand->call(request, std::string(*name), given, std::move(answered));
}

std::shared_ptr<McpHand> McpToolService::known_hand(const McpRequester& caller) {
  const std::lock_guard lock(mutex_);
  const auto found = hands_.find(caller.era == McpEra::legacy ? caller.session : "");
  return found == hands_.end() ? nullptr : found->second;
}

void McpToolService::list_resources(McpServed& request) {
  JsonArray resources;
  const auto hand = known_hand(request.caller());
  for (const StoredOutput& stored : hand ? hand->stored() : std::vector<StoredOutput>()) {
    resources.push_back(JsonObject{{"uri", stored.uri},
                                   {"name", "The whole result of " + stored.tool},
                                   {"description", "Stored away because it was too long to be sent"},
                                   {"mimeType", "text/plain"},
                                   {"size", stored.bytes}});
  }
  request.answer({{"resources", std::move(resources)}});
}

// Only what the results of this client's own calls have named: a name never leads anywhere else.
void McpToolService::read_resource(const std::shared_ptr<McpServed>& request) {
  const auto uri = find_string(request->params(), "uri");
  if (!uri) return request->fail({kRpcInvalidParams, "uri is missing"});
  const auto hand = known_hand(request->caller());
  const std::vector<StoredOutput> all = hand ? hand->stored() : std::vector<StoredOutput>();
  const auto stored = std::ranges::find(all, *uri, &StoredOutput::uri);
  if (stored == all.end()) {
    if (hand && hand->read_resource(request, std::string(*uri))) return;
    const bool is_modern = request->caller().era == McpEra::modern;
    return request->fail(
        {is_modern ? kRpcInvalidParams : kMcpResourceNotFound, "no such resource", Json(JsonObject{{"uri", *uri}})});
  }
  auto content = options_.engine.workshop->os().files.read(stored->path, kMcpStoredReadBytesMax);
  if (!content) return request->fail({kRpcInternalError, content.error().message});
  JsonObject one{{"uri", *uri}, {"mimeType", "text/plain"}};
  if (is_utf8(content->bytes)) {
    one["text"] = content->bytes;
  } else {
    one["blob"] = to_base64(content->bytes);
  }
  request->answer({{"contents", JsonArray{std::move(one)}}});
}

}  // namespace deft
