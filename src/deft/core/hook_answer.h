#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "deft/base/clock.h"
#include "deft/base/json.h"
#include "deft/core/hook_event.h"
#include "deft/core/hook_outcome.h"

// What one hook means by how it ended and what it printed. Whatever goes wrong with a hook never allows anything.

namespace deft {

inline constexpr std::size_t kHookOutputBytesMax = std::size_t{1} << 20;  // of each stream; the rest is dropped
inline constexpr std::size_t kHookErrorLineCharactersMax = 300;

// How a hook's program ended.
struct HookEnd {
  enum class How : std::uint8_t { exited, crashed, timed_out, not_started, cancelled };
  How how = How::exited;
  int exit_code = 0;
  std::string output = {};
  std::string errors = {};
  bool output_cut = false;  // it printed more than is kept
  std::string detail = {};  // crashed: by which signal; not_started: why; timed_out: after how long
};

// One hook's answer. HookOutcome says what the fields mean.
struct HookAnswer {
  HookReport::End end = HookReport::End::fine;
  std::string error = {};
  std::optional<HookVerdict> verdict = std::nullopt;
  std::string reason = {};
  std::optional<Json> updated_input = std::nullopt;
  bool blocks = false;
  std::string block_reason = {};
  std::string context = {};
  std::string message = {};
  bool stops = false;
  std::string stop_reason = {};
  std::optional<Json> updated_output = std::nullopt;
  std::optional<Json> updated_mcp_output = std::nullopt;
  std::optional<HookPermission> permission = std::nullopt;
  bool retry = false;
  std::optional<std::string> session_title = std::nullopt;
  std::optional<std::string> first_prompt = std::nullopt;
  bool hides_prompt = false;
  std::optional<std::string> worktree_path = std::nullopt;
};

// Of a program. `blocks_on_failure`: whatever goes wrong counts as exit code 2.
HookAnswer answer_of_program(HookEvent event, const HookEnd& end, bool blocks_on_failure);
// Of an HTTP answer: only 2xx with nothing or with a JSON object is an answer.
HookAnswer answer_of_http(HookEvent event, int status, std::string_view body, bool blocks_on_failure);
// Of a model: {"ok", "reason"?}.
HookAnswer answer_of_model(HookEvent event, std::string_view reply, bool continue_on_block, bool blocks_on_failure);
// Of one that could not be asked, or gave nothing usable.
HookAnswer answer_of_failure(HookEvent event, std::string_view why, bool blocks_on_failure);

// Whether exit code 2 means anything at this event, beside being shown.
bool can_be_blocked(HookEvent event);

// Does the text say {"async": true}: the hook goes on in the background? And for how long at most, if it says so with
// "asyncTimeout", in milliseconds.
bool asks_for_background(std::string_view first_line);
std::optional<Duration> background_time(std::string_view first_line);

}  // namespace deft
