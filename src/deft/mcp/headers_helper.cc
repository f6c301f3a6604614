#include "deft/mcp/headers_helper.h"

#include <utility>

#include "deft/base/json.h"

namespace deft {

HeadersHelper::HeadersHelper(Processes& processes, const Clock& clock, std::string command,
                             std::vector<std::string> environment, McpAuthorizer* next)
    : processes_(processes),
      clock_(clock),
      command_(std::move(command)),
      environment_(std::move(environment)),
      next_(next) {}

Result<HttpHeaders> HeadersHelper::ask(const std::stop_token& stop) {
  std::string output;
  const auto end = processes_.run(
      {.argv = {"sh", "-c", command_}, .environment = environment_, .input_pipe = false, .separate_errors = true},
      [&](OutputStream stream, std::string_view bytes) {
        if (stream == OutputStream::output && output.size() <= kMcpHelperBytesMax) output += bytes;
      },
      {.cancel = stop, .deadline = clock_.now() + kMcpHelperTimeout});
  // What it printed may hold secrets: it is never shown.
  if (!end) return fail(end.error().code, "headersHelper did not run: " + end.error().message);
  if (end->cause == CommandEnd::Cause::timeout) return fail(Errc::timeout, "headersHelper took longer than 10 s");
  if (end->signal != 0 || end->exit_code != 0) {
    return fail(Errc::failed, "headersHelper ended with exit code " + std::to_string(end->exit_code));
  }
  const auto json = parse_json(output, {.bytes_max = kMcpHelperBytesMax});
  if (!json || !json->is_object()) return fail(Errc::invalid_json, "headersHelper did not print a JSON object");
  HttpHeaders headers;
  for (const auto& [name, value] : json->get_object()) {
    if (!value.is_string()) return fail(Errc::invalid_input, "headersHelper printed a header that is no text");
    headers.emplace_back(std::string(name.data(), name.size()), std::string(view(value.get_string())));
  }
  return headers;
}

Result<HttpHeaders> HeadersHelper::headers(std::stop_token stop) {
  HttpHeaders out;
  {
    const std::lock_guard lock(mutex_);
    if (!known_) {
      auto asked = ask(stop);
      if (!asked) return asked;
      known_ = *std::move(asked);
    }
    out = *known_;
  }
  if (next_ == nullptr) return out;
  auto more = next_->headers(stop);
  if (!more) return more;
  for (auto& header : *more) {
    if (!find_header(out, header.first)) out.push_back(std::move(header));
  }
  return out;
}

Result<void> HeadersHelper::refused(const HttpHead& head, const HttpHeaders& sent, std::stop_token stop) {
  {
    const std::lock_guard lock(mutex_);
    auto asked = ask(stop);
    if (!asked) return std::unexpected(std::move(asked.error()));
    const bool is_new = asked != known_;
    known_ = *std::move(asked);
    if (is_new) return {};
  }
  if (next_ != nullptr) return next_->refused(head, sent, stop);
  return fail(Errc::denied,
              "the server refuses the headers of headersHelper, HTTP status " + std::to_string(head.status));
}

}  // namespace deft
