#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "deft/base/clock.h"
#include "deft/base/json.h"
#include "deft/base/result.h"
#include "deft/base/shared_text.h"
#include "deft/core/footprint.h"
#include "deft/core/permission.h"
#include "deft/core/result_limits.h"
#include "deft/core/session_state.h"
#include "deft/core/tool_result.h"

namespace deft {

class FileChanges;
class Files;
class OutputFolder;
class Processes;
class ToolPool;

// The outside world, as tools reach it. Every part has a fake twin in testing/.
struct Os {
  Files& files;
  Processes& processes;
  const Clock& clock;
};

enum class OnInterrupt : std::uint8_t {
  block,   // runs on when the user sends a new message
  cancel,  // stops then
};
enum class Origin : std::uint8_t { built_in, host, mcp };

// What a tool is, the same for every call. Whatever is not set has the safe default.
struct ToolSpec {
  std::string name;
  std::vector<std::string> aliases;  // keep calls of old transcripts working
  std::string description;           // for the model
  Json input_schema;                 // root type: object
  std::optional<Json> output_schema = std::nullopt;
  std::string search_hint = {};               // 3 to 10 words that the name does not hold already
  bool should_defer = false;                  // may be left out of the first prompt
  bool always_load = false;                   // never left out
  bool finds_tools = false;                   // it loads those that were left out: without it none is
  std::vector<std::string> path_fields = {};  // inputs that are paths: the engine makes them absolute
  OnInterrupt on_interrupt = OnInterrupt::block;
  bool failure_cancels_siblings = false;
  bool may_be_brief = false;  // run_briefly() is worth asking
  std::size_t result_characters_max = kResultCharactersMax;
  std::optional<std::size_t> result_characters_declared = std::nullopt;  // declared_result_maximum() of its `_meta`
  std::optional<KeptPart> result_kept = std::nullopt;                    // what stays in sight of a long one
  Origin origin = Origin::built_in;
  std::optional<McpToolName> mcp = std::nullopt;  // of a server's tool: what people know it by
};

// A call that only waits: it holds neither a slot nor a thread meanwhile.
struct Wait {
  std::optional<Duration> at_most = std::nullopt;  // how long; nothing: until something else ends it
  bool for_host = false;                           // an answer from the host ends it
  // Called once when the wait begins, with what ends it: to be called from any thread, at any time or never.
  std::function<void(std::function<void()> end_wait)> watch = nullptr;
  // What is waited for hears of a stop itself, by io.stop, and ends the wait when it has obeyed: the call is answered
  // then and not before.
  bool obeys_stop = false;
};

// Makes a call of a built-in tool from within something else, through the gate like any other (hooks, permission,
// journal), and waits for it. Nobody is asked: what is not allowed is denied. `permissions`: null means those in force.
using CallWithin =
    std::function<ToolResult(std::string_view tool, Json input, std::shared_ptr<const Permissions> permissions)>;

// What a running call has in hand.
struct ToolIo {
  Os os;
  const SessionView& session;
  std::stop_token stop;
  std::function<void(Json)> progress;  // shown at once; the latest wins
  const Json* answer = nullptr;        // after a wait for the host: what it answered
  std::string_view call_id = {};
  std::string_view agent_id = {};        // of the subagent that makes the call; empty: the main agent
  std::string_view session_folder = {};  // private to the session
  // Where output goes that is too long to be shown; null: nowhere. And how much of it is shown.
  std::shared_ptr<OutputFolder> outputs = nullptr;
  std::size_t result_characters_max = kResultCharactersMax;
  FileChanges* changes = nullptr;  // where changes of files are recorded first, to be undone; null: nowhere
  bool judged_read_only = false;   // permission was given for a call that only reads: it must not do more
  // Of a call that names its paths: what permission was given for, canonical. Empty: nobody was asked.
  std::span<const std::string> allowed_paths = {};
  bool approved = false;               // a person, or a hook in their place, said yes to this very input
  bool wants_mcp_content = false;      // what MCP servers give is passed on in their words too
  std::stop_token to_background = {};  // requested: go on without anyone waiting, if the tool can
  // What the agent has and may do, when the call began.
  std::shared_ptr<const ToolPool> pool = nullptr;
  std::shared_ptr<const Permissions> permissions = nullptr;
  CallWithin call = nullptr;  // while the call is under way; null: there is no gate here
};

// A tool declares what it is; the engine never treats one specially by its name. A declaration that throws counts as
// the unsafe answer. What a tool needs beside ToolIo comes through its constructor. Called from several threads at
// once.
class Tool {
 public:
  virtual ~Tool() = default;
  virtual const ToolSpec& spec() const = 0;
  // Instead of the one in its spec: of a tool that says something else as the session goes on.
  virtual std::optional<SharedText> description_now(const SessionState&) const { return std::nullopt; }
  // Why it is not available here and now (missing program, dead server); nothing if it is.
  virtual std::optional<std::string> disabled() const { return std::nullopt; }

  // Per input, which fits the schema. What the session says may still change until the call's turn comes; the engine
  // asks again then.
  virtual bool is_read_only(const Json&, const SessionView&) const { return false; }
  virtual bool is_concurrency_safe(const Json& input, const SessionView& session) const {
    return is_read_only(input, session);
  }
  virtual bool is_destructive(const Json&) const { return false; }
  virtual bool is_session_only(const Json&) const { return false; }  // changes nothing but the session's own state
  // It makes calls of its own, each through the gate: whatever it is by itself, something may have been done.
  virtual bool makes_calls() const { return false; }
  // Nothing: the plain rule holds, safe calls run beside safe calls and all others alone.
  virtual std::optional<Footprint> footprint(const Json&, const SessionView&) const { return std::nullopt; }
  virtual Result<void> validate(const Json&, ToolIo&) const { return {}; }
  // The input with what the tool itself adds to it, before hooks and people see it; nothing: as it is. Asked of every
  // new input, also of one that a person gave.
  virtual std::optional<Json> completed(const Json&, ToolIo&) const { return std::nullopt; }
  virtual std::optional<OwnVerdict> check_permission(const Json&, const SessionView&) const { return std::nullopt; }
  // The paths that permission is judged on; nothing: those of the footprint. Empty means it touches none.
  virtual std::optional<std::vector<std::string>> permission_paths(const Json&, const SessionView&) const {
    return std::nullopt;
  }
  // It searches trees, and neither reads nor names what the rules deny there.
  virtual bool leaves_out_denied_files() const { return false; }
  virtual std::string classifier_text(const Json& input) const { return to_json(input); }
  // Does the specifier of a rule, `Tool(specifier)`, cover this input?
  virtual bool matches_rule(const Json& input, std::string_view specifier) const { return to_json(input) == specifier; }

  // A wait before run(), see Wait. Asked once, on a worker, when the call is allowed: whatever it waits for may be
  // begun here.
  virtual std::optional<Wait> wait_for(const Json&, ToolIo&) const { return std::nullopt; }
  // Does the work; blocks; ends soon after io.stop is requested, with Errc::cancelled if it did not complete.
  virtual Result<ToolResult> run(const Json& input, ToolIo& io) = 0;
  // The same, where it takes no longer than reading a small file that is at hand; nothing: run() has to do it. The turn
  // itself may wait for this: nothing here may block.
  virtual std::optional<Result<ToolResult>> run_briefly(const Json&, ToolIo&) { return std::nullopt; }
  // Makes the text for the model from the details, after hooks have seen or replaced those.
  virtual void map_result(const Json&, ToolResult&) const {}

  // For people: "Bash(make test)" in one line; the full form of a result.
  virtual std::string render_use(const Json& input) const;
  virtual std::string render_result(const ToolResult& result) const { return result.text; }
};

}  // namespace deft
