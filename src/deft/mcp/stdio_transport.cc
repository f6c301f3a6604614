#include "deft/mcp/stdio_transport.h"

#include <array>
#include <condition_variable>
#include <deque>
#include <utility>

#include "deft/base/text.h"
#include "deft/base/utf8.h"

namespace deft {
namespace {

constexpr std::size_t kReadBytes = std::size_t{64} << 10;
// How long the end of a program is waited for when its output has ended, to say how it ended.
constexpr Duration kEndWait = std::chrono::milliseconds(500);
constexpr std::size_t kShownWordsCharacters = 600;

std::string shown_end(const CommandEnd& end) {
  if (end.signal != 0) return "was ended by signal " + std::to_string(end.signal);
  return "ended with exit code " + std::to_string(end.exit_code);
}

}  // namespace

struct StdioTransport::Shared {
  struct Outgoing {
    std::string line;
    std::optional<RpcId> request;
  };

  mutable std::mutex mutex;
  std::condition_variable_any queued;
  std::shared_ptr<McpReceiver> receiver;  // null after close()
  std::deque<Outgoing> outbox;
  std::size_t outbox_bytes = 0;
  bool is_writing = false;  // the writer is at what it took out
  std::string last_words;
  bool has_last_words = false;  // no more of them can come
  bool over = false;

  std::shared_ptr<McpReceiver> listener() const {
    const std::lock_guard lock(mutex);
    return receiver;
  }
  // Tells it once.
  void end(Error why) {
    std::shared_ptr<McpReceiver> told;
    {
      const std::lock_guard lock(mutex);
      if (!over) told = receiver;
      over = true;
    }
    queued.notify_all();
    if (told) told->closed(std::move(why));
  }
};

StdioTransport::StdioTransport(Processes& processes, Command command, const Clock& clock, Duration exit_grace)
    : processes_(processes),
      command_(std::move(command)),
      clock_(clock),
      exit_grace_(exit_grace),
      shared_(std::make_unique<Shared>()) {}

StdioTransport::~StdioTransport() { close(); }

Result<void> StdioTransport::start(std::shared_ptr<McpReceiver> receiver, std::stop_token stop) {
  Command command = command_;
  command.separate_errors = true;
  auto child = processes_.start(command, stop);
  if (!child) return std::unexpected(std::move(child.error()));
  child_ = *std::move(child);
  shared_->receiver = std::move(receiver);
  reader_ = std::jthread([this](const std::stop_token& end) { read_output(end); });
  errors_reader_ = std::jthread([this](const std::stop_token& end) { read_errors(end); });
  writer_ = std::jthread([this](const std::stop_token& end) { write_input(end); });
  return {};
}

void StdioTransport::send(RpcMessage message, HttpHeaders) {
  const auto* request = std::get_if<RpcRequest>(&message);
  Shared::Outgoing out{.line = to_text(message) + '\n', .request = request ? std::optional(request->id) : std::nullopt};
  std::shared_ptr<McpReceiver> told;
  McpFailure failure{.not_processed = true};
  {
    const std::lock_guard lock(shared_->mutex);
    if (shared_->over || !shared_->receiver) {
      failure.message = "the server is not running";
    } else if (shared_->outbox_bytes + out.line.size() > kMcpUnsentBytesMax && !shared_->outbox.empty()) {
      failure.code = Errc::limit;
      failure.message = "the server does not read its input: " + human_bytes(shared_->outbox_bytes) + " wait for it";
    } else {
      // What goes at once is not handed to another thread first.
      if (shared_->outbox.empty() && !shared_->is_writing) out.line.erase(0, child_->write_some(out.line));
      if (out.line.empty()) return;
      shared_->outbox_bytes += out.line.size();
      shared_->outbox.push_back(std::move(out));
      shared_->queued.notify_all();
      return;
    }
    told = shared_->receiver;
  }
  if (told && request) told->lost(request->id, std::move(failure));
}

void StdioTransport::write_input(const std::stop_token& stop) {
  while (true) {
    Shared::Outgoing out;
    {
      std::unique_lock lock(shared_->mutex);
      const bool ready = shared_->queued.wait(lock, stop, [&] { return !shared_->outbox.empty() || shared_->over; });
      if (!ready || shared_->over) return;
      out = std::move(shared_->outbox.front());
      shared_->outbox.pop_front();
      shared_->is_writing = true;
    }
    const auto written = child_->write(out.line, stop);
    {
      const std::lock_guard lock(shared_->mutex);
      shared_->outbox_bytes -= out.line.size();
      shared_->is_writing = false;
    }
    // Why nobody reads it any more is told by the end of its output.
    if (!written) return;
  }
}

void StdioTransport::read_output(const std::stop_token& stop) {
  const std::shared_ptr<McpReceiver> receiver = shared_->listener();
  std::string line;
  std::array<char, kReadBytes> bytes{};
  while (true) {
    const auto count = child_->read(OutputStream::output, bytes, stop);
    if (!count || *count == 0) break;
    std::string_view piece(bytes.data(), *count);
    while (!piece.empty()) {
      const auto end = piece.find('\n');
      line += piece.substr(0, end);
      if (line.size() > kMcpMessageBytesMax) {
        child_->end();
        return shared_->end({Errc::limit, "the server sent a message of more than " + human_bytes(kMcpMessageBytesMax) +
                                              " and was ended"});
      }
      if (end == std::string_view::npos) break;
      piece.remove_prefix(end + 1);
      if (!line.empty() && line.back() == '\r') line.pop_back();
      if (!line.empty()) hand_on(line, *receiver);
      line.clear();
      if (line.capacity() > kReadBytes) line.shrink_to_fit();
    }
  }
  if (stop.stop_requested()) return;
  // Whoever closes its output speaks no more, even if the program lives on.
  auto end = child_->wait(stop, clock_.now() + kEndWait);
  if (!end) child_->end();
  {
    // What it wrote at its end arrives on another thread.
    std::unique_lock lock(shared_->mutex);
    shared_->queued.wait_until(lock, stop, clock_.on_steady_clock(clock_.now() + kEndWait),
                               [this] { return shared_->has_last_words; });
  }
  std::string why = "the server " + (end ? shown_end(*end) : "closed its output");
  if (const std::string words = one_line(last_words(), kShownWordsCharacters); !words.empty()) {
    why += "; it last wrote: " + words;
  }
  shared_->end({Errc::io, std::move(why)});
}

void StdioTransport::read_errors(const std::stop_token& stop) {
  std::array<char, kReadBytes> bytes{};
  while (true) {
    const auto count = child_->read(OutputStream::errors, bytes, stop);
    const std::lock_guard lock(shared_->mutex);
    if (!count || *count == 0) {
      shared_->has_last_words = true;
      shared_->queued.notify_all();
      return;
    }
    std::string& words = shared_->last_words;
    words.append(bytes.data(), *count);
    if (words.size() > 2 * kMcpLastWordsBytesMax) words.erase(0, words.size() - kMcpLastWordsBytesMax);
  }
}

void StdioTransport::close() {
  {
    const std::lock_guard lock(shared_->mutex);
    if (!shared_->receiver) return;
    shared_->receiver = nullptr;
    shared_->over = true;
  }
  shared_->queued.notify_all();
  // The writer may be stuck in a pipe that nobody reads; the input can be closed when it is out of it.
  writer_.request_stop();
  if (writer_.joinable()) writer_.join();
  // The readers too: only one thread may wait for the program.
  reader_.request_stop();
  errors_reader_.request_stop();
  if (reader_.joinable()) reader_.join();
  if (errors_reader_.joinable()) errors_reader_.join();
  child_->close_input();
  if (!child_->wait({}, clock_.now() + exit_grace_)) {
    child_->end();
    [[maybe_unused]] const auto ended = child_->wait({}, clock_.now() + 2 * kEndGrace);
  }
  child_.reset();
}

std::string StdioTransport::last_words() const {
  const std::lock_guard lock(shared_->mutex);
  const std::string& words = shared_->last_words;
  const std::size_t from = words.size() - std::min(words.size(), kMcpLastWordsBytesMax);
  return to_valid_utf8(std::string_view(words).substr(from));
}

}  // namespace deft
