#include "deft/os/curl_transfer.h"

#include <sys/socket.h>

#include <charconv>
#include <type_traits>
#include <utility>

#include "deft/base/text.h"

namespace deft {
namespace {

constexpr long kReceiveBufferBytes = 128L << 10;
constexpr std::size_t kErrorCharactersMax = 300;

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kSpace = " \t\r\n";
  const std::size_t first = text.find_first_not_of(kSpace);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kSpace) - first + 1);
}

// "HTTP/1.1 200 OK", "HTTP/2 200"
int status_of(std::string_view line) {
  const std::size_t space = line.find(' ');
  if (space == std::string_view::npos) return 0;
  int status = 0;
  std::from_chars(line.data() + space + 1, line.data() + line.size(), status);
  return status;
}

bool is_certificate_error(CURLcode code) {
  return code == CURLE_PEER_FAILED_VERIFICATION || code == CURLE_SSL_CERTPROBLEM || code == CURLE_SSL_CACERT_BADFILE ||
         code == CURLE_SSL_ISSUER_ERROR || code == CURLE_SSL_CRL_BADFILE || code == CURLE_SSL_PINNEDPUBKEYNOTMATCH ||
         code == CURLE_SSL_INVALIDCERTSTATUS;
}

}  // namespace

CurlTransfer::~CurlTransfer() {
  if (!curl_) return;
  if (easy_) curl_->easy_cleanup(easy_);
  curl_->slist_free_all(header_list_);
  curl_->slist_free_all(connect_to_);
}

template <class Value>
void CurlTransfer::set(CURLoption option, Value value) {
  // The function takes any type; what reaches it must be a long, an offset or a pointer.
  static_assert(std::is_pointer_v<Value> || std::is_same_v<Value, long> || std::is_same_v<Value, curl_off_t>);
  if (curl_->easy_setopt(easy_, option, value) != CURLE_OK) options_taken_ = false;
}

Result<CURL*> CurlTransfer::begin(const CurlLibrary& curl, const HttpNetwork& network) {
  if (auto checked = check_request(request_); !checked) return std::unexpected(checked.error());
  curl_ = &curl;
  easy_ = curl.easy_init();
  if (!easy_) return fail(Errc::internal, "libcurl gave no handle");
  if (auto set = set_options(network); !set) return std::unexpected(set.error());
  return easy_;
}

Result<void> CurlTransfer::set_options(const HttpNetwork& network) {
  set(CURLOPT_PRIVATE, static_cast<void*>(this));
  set(CURLOPT_ERRORBUFFER, error_text_.data());
  set(CURLOPT_URL, request_.url.c_str());
  set(CURLOPT_NOSIGNAL, 1L);
  set(CURLOPT_QUICK_EXIT, 1L);  // a cancel does not wait for a name server
  set(CURLOPT_PROTOCOLS_STR, "http,https");
  set(CURLOPT_FOLLOWLOCATION, 0L);
  set(CURLOPT_NETRC, static_cast<long>(CURL_NETRC_IGNORED));
  set(CURLOPT_HTTP_VERSION, static_cast<long>(CURL_HTTP_VERSION_2TLS));
  set(CURLOPT_ACCEPT_ENCODING, "");  // all that this libcurl can undo
  set(CURLOPT_BUFFERSIZE, kReceiveBufferBytes);
  set(CURLOPT_TCP_KEEPALIVE, 1L);
  // Rather share a connection that is being made than make another. With TLS the handshake says whether it can be
  // shared; without, only the first answer would, and all others would wait for it.
  if (request_.url.starts_with("https:")) set(CURLOPT_PIPEWAIT, 1L);
  set(CURLOPT_SUPPRESS_CONNECT_HEADERS, 1L);
  const auto connect_ms = std::chrono::duration_cast<std::chrono::milliseconds>(request_.connect_timeout).count();
  set(CURLOPT_CONNECTTIMEOUT_MS, std::max(1L, static_cast<long>(connect_ms)));
  set(CURLOPT_OPENSOCKETFUNCTION, &CurlTransfer::open_socket);
  set(CURLOPT_HEADERFUNCTION, &CurlTransfer::on_header);
  set(CURLOPT_HEADERDATA, static_cast<void*>(this));
  set(CURLOPT_WRITEFUNCTION, &CurlTransfer::on_body);
  set(CURLOPT_WRITEDATA, static_cast<void*>(this));
  set(CURLOPT_PREREQFUNCTION, &CurlTransfer::on_connected);
  set(CURLOPT_PREREQDATA, static_cast<void*>(this));
  set_route(network);
  set_trust(network);
  set_method();
  set_headers();
  // A half-configured transfer might, for one, go without its proxy.
  if (!options_taken_) return fail(Errc::unsupported, "this libcurl lacks what a transfer needs: upgrade libcurl4");
  return {};
}

void CurlTransfer::set_method() {
  if (request_.method == "GET" && request_.body.empty()) return;
  if (request_.method == "HEAD") return set(CURLOPT_NOBODY, 1L);
  if (!request_.body.empty() || request_.method == "POST") {
    set(CURLOPT_POST, 1L);
    set(CURLOPT_POSTFIELDS, request_.body.data());  // not copied: request_ stays
    set(CURLOPT_POSTFIELDSIZE_LARGE, static_cast<curl_off_t>(request_.body.size()));
  }
  if (request_.method != "POST") set(CURLOPT_CUSTOMREQUEST, request_.method.c_str());
}

bool CurlTransfer::add_to_list(curl_slist*& list, const std::string& text) {
  curl_slist* longer = curl_->slist_append(list, text.c_str());
  if (longer) list = longer;
  return longer != nullptr;
}

void CurlTransfer::set_headers() {
  bool added = true;
  // What libcurl would say by itself and nobody asked for: a wait before the body, and a form's content type.
  for (const char* own : {"Expect", "Content-Type"}) {
    if (!find_header(request_.headers, own)) added = add_to_list(header_list_, std::string(own) + ":") && added;
  }
  if (!find_header(request_.headers, "User-Agent")) {
    added = add_to_list(header_list_, "User-Agent: deft/" DEFT_VERSION) && added;
  }
  for (const auto& [name, value] : request_.headers) {
    // "Name:" alone would take the header away.
    added = add_to_list(header_list_, value.empty() ? name + ";" : name + ": " + value) && added;
  }
  if (!added) options_taken_ = false;
  set(CURLOPT_HTTPHEADER, header_list_);
}

void CurlTransfer::set_route(const HttpNetwork& network) {
  const std::string& proxy = request_.url.starts_with("https:") ? network.https_proxy : network.http_proxy;
  const bool direct = !request_.use_proxy || request_.address || proxy.empty();
  set(CURLOPT_PROXY, direct ? "" : proxy.c_str());  // always said, or libcurl would look into the environment itself
  set(CURLOPT_NOPROXY, direct ? "" : network.no_proxy.c_str());
  if (!request_.address) return;
  // Not CURLOPT_RESOLVE: that would stay for other transfers to the same host.
  const bool is_v6 = request_.address->find(':') != std::string::npos;
  if (!add_to_list(connect_to_, "::" + (is_v6 ? "[" + *request_.address + "]" : *request_.address) + ":")) {
    options_taken_ = false;
  }
  set(CURLOPT_CONNECT_TO, connect_to_);
}

void CurlTransfer::set_trust(const HttpNetwork& network) {
  const char* file = network.ca_file.empty() ? nullptr : network.ca_file.c_str();
  const char* folder = network.ca_folder.empty() ? nullptr : network.ca_folder.c_str();
  set(CURLOPT_SSL_VERIFYPEER, 1L);
  set(CURLOPT_SSL_VERIFYHOST, 2L);
  set(CURLOPT_CAINFO, file);  // nothing by default: reading the bundle of all certificates takes 27 ms
  set(CURLOPT_CAPATH, folder);
  set(CURLOPT_PROXY_CAINFO, file);
  set(CURLOPT_PROXY_CAPATH, folder);
}

curl_socket_t CurlTransfer::open_socket(void*, curlsocktype, curl_sockaddr* address) {
  return ::socket(address->family, address->socktype | SOCK_CLOEXEC, address->protocol);
}

int CurlTransfer::on_connected(void* self, char*, char*, int, int) {
  auto* transfer = static_cast<CurlTransfer*>(self);
  transfer->last_activity_ = SystemClock().now();
  if (!transfer->receiver_) return CURL_PREREQFUNC_ABORT;  // to connect was all that was wanted
  // Where a connection that was used before breaks without a word, libcurl sends the request again by itself. But the
  // server may have carried it out: whoever asked is told, and decides.
  const bool is_again = std::exchange(transfer->was_sent_, true);
  const std::string& method = transfer->request_.method;
  if (!is_again || method == "GET" || method == "HEAD") return CURL_PREREQFUNC_OK;
  transfer->refused_ = Error{Errc::io, shown_host(transfer->request_.url) + " ended the connection without an answer"};
  return CURL_PREREQFUNC_ABORT;
}

std::size_t CurlTransfer::on_header(char* bytes, std::size_t size, std::size_t count, void* self) {
  const std::size_t length = size * count;
  return static_cast<CurlTransfer*>(self)->take_header({bytes, length}) ? length : 0;
}

std::size_t CurlTransfer::on_body(char* bytes, std::size_t size, std::size_t count, void* self) {
  const std::size_t length = size * count;
  if (length == 0) return 0;
  return static_cast<CurlTransfer*>(self)->take_body({bytes, length}) ? length : 0;
}

bool CurlTransfer::refuse(std::string_view what, std::size_t bytes_max) {
  refused_ = Error{Errc::limit,
                   std::string(what) + " of " + shown_host(request_.url) + " is larger than " + human_bytes(bytes_max)};
  return false;
}

bool CurlTransfer::take_header(std::string_view line) {
  last_activity_ = SystemClock().now();
  head_bytes_ += line.size();
  if (head_bytes_ > kHttpHeadBytesMax) return refuse("the head of the answer", kHttpHeadBytesMax);
  if (head_passed_on_ || !receiver_) return true;  // trailers

  const bool is_continued = line.starts_with(' ') || line.starts_with('\t');
  const std::string_view text = trimmed(line);
  if (line.starts_with("HTTP/")) {
    head_ = HttpHead{.status = status_of(text)};
  } else if (text.empty()) {
    if (head_.status < 200) return true;  // 100 Continue and its like: the real one follows
    head_passed_on_ = true;
    receiver_->began(std::move(head_));
  } else if (is_continued && !head_.headers.empty()) {
    head_.headers.back().second += ' ' + std::string(text);
  } else if (const std::size_t colon = text.find(':'); colon != std::string_view::npos) {
    head_.headers.emplace_back(trimmed(text.substr(0, colon)), trimmed(text.substr(colon + 1)));
  }
  return true;
}

bool CurlTransfer::take_body(std::string_view bytes) {
  last_activity_ = SystemClock().now();
  body_bytes_ += bytes.size();
  if (request_.body_bytes_max && body_bytes_ > *request_.body_bytes_max) {
    return refuse("the answer", *request_.body_bytes_max);
  }
  if (receiver_) receiver_->received(bytes);
  return true;
}

// How long the server may be silent now.
const std::optional<Duration>& CurlTransfer::patience() const {
  return request_.head_timeout && !head_passed_on_ ? request_.head_timeout : request_.idle_timeout;
}

std::optional<TimePoint> CurlTransfer::next_deadline() const {
  std::optional<TimePoint> next = request_.deadline;
  if (patience() && last_activity_) {
    const TimePoint idle = *last_activity_ + *patience();
    if (!next || idle < *next) next = idle;
  }
  return next;
}

std::optional<Error> CurlTransfer::overdue(TimePoint now) {
  if (request_.deadline && now >= *request_.deadline) {
    return Error{Errc::timeout, shown_host(request_.url) + " did not finish its answer in time"};
  }
  if (!patience() || !last_activity_ || now < *last_activity_ + *patience()) return std::nullopt;
  curl_off_t uploaded = 0;
  curl_->easy_getinfo(easy_, CURLINFO_SIZE_UPLOAD_T, &uploaded);
  if (uploaded != uploaded_) {  // still sending: the server's time has not begun
    uploaded_ = uploaded;
    last_activity_ = now;
    return std::nullopt;
  }
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(*patience()).count();
  return Error{Errc::timeout,
               "nothing came from " + shown_host(request_.url) + " for " + std::to_string(seconds) + " seconds"};
}

void CurlTransfer::finish(Result<void> result) {
  if (easy_) curl_->easy_cleanup(std::exchange(easy_, nullptr));
  std::string().swap(request_.body);  // the handle may live on; megabytes need not
  if (receiver_) std::exchange(receiver_, nullptr)->ended(std::move(result));
}

Result<void> CurlTransfer::outcome(CURLcode code) const {
  if (refused_) return std::unexpected(*refused_);
  if (code == CURLE_OK && (head_passed_on_ || !receiver_)) return {};
  const std::string_view said = error_text_[0] != '\0' ? error_text_.data() : curl_->easy_strerror(code);
  const std::string what = one_line(said, kErrorCharactersMax);
  const std::string host = shown_host(request_.url);
  if (code == CURLE_OK) return fail(Errc::io, host + " ended the connection without an answer");
  if (code == CURLE_OPERATION_TIMEDOUT) return fail(Errc::timeout, "cannot reach " + host + ": " + what);
  if (is_certificate_error(code)) return fail(Errc::denied, "the certificate of " + host + " is not trusted: " + what);
  // Once connected, this means that what answers is no HTTP server.
  if ((code == CURLE_URL_MALFORMAT || code == CURLE_UNSUPPORTED_PROTOCOL) && !last_activity_) {
    return fail(Errc::invalid_input, "the address is not usable: " + what);
  }
  return fail(Errc::io,
              (head_passed_on_ ? "the connection to " + host + " broke: " : "cannot reach " + host + ": ") + what);
}

}  // namespace deft
