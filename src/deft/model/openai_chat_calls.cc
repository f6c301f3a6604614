#include "deft/model/openai_chat_calls.h"

#include "deft/model/event_json.h"

namespace deft {
namespace {

constexpr std::size_t kToolNameBytesMax = 1024;
// How often the input of a call is parsed to see whether it is whole. Without a limit, a server that goes back and
// forth between two calls would make us parse both again and again.
constexpr int kWholeTriesMax = 4;

}  // namespace

void OpenAiChatCalls::clear() {
  calls_.clear();
  call_of_index_.clear();
  current_.reset();
}

Result<void> OpenAiChatCalls::read(const Json& piece, std::string_view arguments) {
  const Json* function = find(piece, "function");
  Piece read;
  read.extra = find_object(piece, "extra_content");
  read.index = find_int(piece, "index");
  read.id = find_string(piece, "id").value_or(std::string_view());
  if (function) read.name = find_string(*function, "name").value_or(std::string_view());
  read.arguments = arguments;
  if (read.index && (*read.index < 0 || *read.index >= static_cast<std::int64_t>(kMessageBlocksMax))) {
    return malformed("a tool call with the index " + std::to_string(*read.index));
  }
  return add(read);
}

Result<void> OpenAiChatCalls::read_legacy(const Json& function, std::string_view arguments) {
  Piece read;
  read.index = 0;
  read.name = find_string(function, "name").value_or(std::string_view());
  read.arguments = arguments;
  return add(read);
}

Result<void> OpenAiChatCalls::add(const Piece& piece) {
  std::optional<std::size_t> position = find_call(piece);
  if (!position) {
    const auto started = start_call(piece);
    if (!started) return std::unexpected(started.error());
    position = *started;
  }
  if (auto moved = move_to(*position); !moved) return moved;

  Call& call = calls_[*position];
  ToolUseBlock* use = find_open(call);
  if (!use) {  // it has ended and may be running: what would change it is an error, the rest says nothing new
    return is_blank(piece.arguments) ? Result<void>() : assembler_.append(call.key, piece.arguments);
  }
  if (call.id.empty() && !piece.id.empty()) {
    if (auto charged = assembler_.charge(piece.id.size()); !charged) return charged;
    call.id = piece.id;
    use->call.id = piece.id;
  }
  if (auto named = read_name(*use, piece.name); !named) return named;
  if (piece.extra) {
    if (auto charged = assembler_.charge(to_json(*piece.extra).size()); !charged) return charged;
    use->extra["extra_content"] = *piece.extra;
  }
  return assembler_.append(call.key, piece.arguments);
}

// Which call a piece belongs to; none: it begins another one.
std::optional<std::size_t> OpenAiChatCalls::find_call(const Piece& piece) {
  std::optional<std::size_t> position;
  if (piece.index) {
    const auto found = call_of_index_.find(*piece.index);
    if (found != call_of_index_.end()) position = found->second;
  } else {
    position = current_;  // without an index, pieces can only follow each other
  }
  if (position && begins_another(piece, calls_[*position])) return std::nullopt;
  return position;
}

// At an index that is taken. Seen in the wild: every call with index 0 and an id of its own (Ollama), the same without
// ids, calls without index, and on the other side pieces of one call that repeat its name or carry ever new ids.
bool OpenAiChatCalls::begins_another(const Piece& piece, Call& call) {
  if (piece.name.empty() && (piece.index || piece.id.empty())) return false;
  if (!piece.id.empty() && !call.id.empty()) return piece.id != call.id;
  if (!piece.id.empty() && find_open(call)) return false;
  const std::size_t first = piece.arguments.find_first_not_of(" \t\r\n");
  return first != std::string_view::npos && piece.arguments[first] == '{' && is_whole(call);
}

Result<std::size_t> OpenAiChatCalls::start_call(const Piece& piece) {
  const bool anonymous = piece.id.empty() && piece.name.empty() && !piece.index;
  if (anonymous) return malformed("a piece of a tool call that has not begun");
  const std::size_t position = calls_.size();
  const auto key = static_cast<Assembler::Key>(position);
  if (auto opened = assembler_.open(key, ToolUseBlock()); !opened) return std::unexpected(opened.error());
  calls_.push_back({key, {}, kWholeTriesMax});
  if (piece.index) call_of_index_[*piece.index] = position;
  return position;
}

// Names come whole; some servers repeat them with every piece, some send them in pieces, some send what they have so
// far each time.
Result<void> OpenAiChatCalls::read_name(ToolUseBlock& use, std::string_view name) {
  std::string& known = use.call.name;
  if (name.empty() || name == known) return {};
  if (name.starts_with(known)) {
    known = name;
  } else if (use.call.input_text.empty()) {
    known += name;
  } else {
    return malformed("the call " + json_quote(use.call.id) + " changes its name");
  }
  if (known.size() > kToolNameBytesMax) {
    return fail(Errc::limit, "a tool name is longer than " + std::to_string(kToolNameBytesMax) + " bytes");
  }
  return assembler_.charge(name.size());
}

bool OpenAiChatCalls::is_whole(Call& call) {
  if (!find_open(call)) return true;
  if (call.whole_tries_left == 0) return false;
  --call.whole_tries_left;
  return assembler_.input_is_whole(call.key);
}

Result<void> OpenAiChatCalls::move_to(std::size_t position) {
  if (current_ == position) return {};
  const auto last = std::exchange(current_, position);
  if (!last || !find_open(calls_[*last]) || !is_whole(calls_[*last])) return {};
  return assembler_.close(calls_[*last].key);
}

Result<void> OpenAiChatCalls::close_all() {
  for (const Call& call : calls_) {
    if (auto closed = assembler_.close(call.key); !closed) return closed;
  }
  return {};
}

Result<void> OpenAiChatCalls::close_whole() {
  for (const Call& call : calls_) {
    if (!assembler_.input_is_whole(call.key)) continue;
    if (auto closed = assembler_.close(call.key); !closed) return closed;
  }
  return {};
}

ToolUseBlock* OpenAiChatCalls::find_open(const Call& call) {
  Block* block = assembler_.find_open(call.key);
  return block ? std::get_if<ToolUseBlock>(block) : nullptr;
}

}  // namespace deft
