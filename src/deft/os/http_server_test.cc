#include "deft/os/http_server.h"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>

#include <condition_variable>
#include <mutex>
#include <thread>

#include "deft/os/unique_fd.h"

namespace deft {
namespace {

// A client that says exactly what the test wants.
class RawClient {
 public:
  explicit RawClient(std::uint16_t port) : socket_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    EXPECT_EQ(::connect(socket_.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
  }
  void say(std::string_view bytes) {
    while (!bytes.empty()) {
      const auto count = ::send(socket_.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (count <= 0) return;
      bytes.remove_prefix(static_cast<std::size_t>(count));
    }
  }
  // Everything up to `end`, or until the server hangs up.
  std::string hear(std::string_view end) {
    while (heard_.find(end) == std::string::npos && more()) {
    }
    const std::size_t at = std::min(heard_.find(end), heard_.size());
    std::string said = heard_.substr(0, std::min(at + end.size(), heard_.size()));
    heard_.erase(0, said.size());
    return said;
  }
  std::string hear_all() {
    while (more()) {
    }
    return std::exchange(heard_, {});
  }
  void hang_up() { socket_.reset(); }

 private:
  bool more() {
    std::array<char, 4096> buffer{};
    const auto count = ::recv(socket_.get(), buffer.data(), buffer.size(), 0);
    if (count <= 0) return false;
    heard_.append(buffer.data(), static_cast<std::size_t>(count));
    return true;
  }
  UniqueFd socket_;
  std::string heard_;
};

// Answers that the test gives when it wants to.
class Desk {
 public:
  struct Item {
    ReadRequest request;
    std::shared_ptr<HttpAnswer> answer;
  };
  HttpHandler handler() {
    return [this](ReadRequest request, std::shared_ptr<HttpAnswer> answer) {
      const std::lock_guard lock(mutex_);
      items_.push_back({std::move(request), std::move(answer)});
      changed_.notify_all();
    };
  }
  Item take() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return !items_.empty(); });
    Item item = std::move(items_.front());
    items_.erase(items_.begin());
    return item;
  }
  void note() {
    const std::lock_guard lock(mutex_);
    ++noted_;
    changed_.notify_all();
  }
  void wait_for_note() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return noted_ > 0; });
    --noted_;
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<Item> items_;
  int noted_ = 0;
};

std::unique_ptr<HttpServer> start(HttpHandler handler, HttpServerOptions options = {}) {
  static const SystemClock clock;
  auto server = start_http_server(std::move(options), clock, std::move(handler));
  EXPECT_TRUE(server) << server.error().message;
  return std::move(*server);
}

HttpHandler echo() {
  return [](const ReadRequest& request, const std::shared_ptr<HttpAnswer>& answer) {
    answer->send(200, {}, request.method + " " + request.path + " " + request.body);
  };
}

TEST(HttpServer, AnswersOneRequestAfterTheOtherOnOneConnection) {
  const auto server = start(echo());
  RawClient client(server->port());
  client.say("GET /a HTTP/1.1\r\nHost: x\r\n\r\nPOST /b HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\nhi");
  EXPECT_NE(client.hear("GET /a ").find("200 OK"), std::string::npos);
  EXPECT_NE(client.hear("POST /b hi").find("200 OK"), std::string::npos);
  client.say("GET /c HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
  EXPECT_NE(client.hear_all().find("GET /c"), std::string::npos) << "and then it hangs up";
}

TEST(HttpServer, SaysToAClientThatWaitsForItThatItMaySendTheBody) {
  const auto server = start(echo());
  RawClient client(server->port());
  client.say("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\nExpect: 100-continue\r\n\r\n");
  EXPECT_EQ(client.hear("\r\n\r\n"), "HTTP/1.1 100 Continue\r\n\r\n");
  client.say("hi");
  EXPECT_NE(client.hear("POST / hi").find("200 OK"), std::string::npos);
}

TEST(HttpServer, WhatIsNoRequestIsToldSoAndTheConnectionEnds) {
  const auto server = start(echo());
  RawClient client(server->port());
  client.say("GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\nGET /smuggled HTTP/1.1\r\nHost: x\r\n\r\n");
  const std::string said = client.hear_all();
  EXPECT_TRUE(said.starts_with("HTTP/1.1 400 ")) << said;
  EXPECT_EQ(said.find("smuggled"), std::string::npos);
}

TEST(HttpServer, StreamsToManyClientsAtOnce) {
  Desk desk;
  const auto server = start(desk.handler());
  std::vector<std::unique_ptr<RawClient>> clients;
  std::vector<Desk::Item> items;
  for (int i = 0; i < 20; ++i) {
    clients.push_back(std::make_unique<RawClient>(server->port()));
    clients.back()->say("GET /" + std::to_string(i) + " HTTP/1.1\r\nHost: x\r\n\r\n");
    items.push_back(desk.take());
    items.back().answer->begin(200, {{"Content-Type", "text/event-stream"}});
  }
  for (const Desk::Item& item : items) EXPECT_TRUE(item.answer->write("first " + item.request.path + "\n"));
  for (int i = 19; i >= 0; --i) {
    EXPECT_NE(clients[static_cast<std::size_t>(i)]->hear("first /" + std::to_string(i) + "\n").find("chunked"),
              std::string::npos);
  }
  for (const Desk::Item& item : items) {
    item.answer->write("second\n");
    item.answer->end();
  }
  for (const auto& client : clients) EXPECT_NE(client->hear("0\r\n\r\n").find("second"), std::string::npos);
}

TEST(HttpServer, WhoeverAnswersHearsThatTheClientHasGone) {
  Desk desk;
  const auto server = start(desk.handler());
  RawClient client(server->port());
  client.say("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
  const Desk::Item item = desk.take();
  item.answer->when_gone([&] { desk.note(); });
  item.answer->begin(200, {});
  client.hang_up();
  desk.wait_for_note();
  EXPECT_FALSE(item.answer->write("nobody hears this"));
  bool told_at_once = false;
  item.answer->when_gone([&] { told_at_once = true; });
  EXPECT_TRUE(told_at_once);
}

TEST(HttpServer, AClientThatDoesNotReadIsGivenUpAndHoldsUpNobody) {
  Desk desk;
  const auto server = start(desk.handler(), {.unsent_bytes_max = std::size_t{1} << 20});
  RawClient slow(server->port());
  slow.say("GET /slow HTTP/1.1\r\nHost: x\r\n\r\n");
  const Desk::Item item = desk.take();
  item.answer->when_gone([&] { desk.note(); });
  item.answer->begin(200, {});
  const std::string much(std::size_t{256} << 10, 'x');
  while (item.answer->write(much)) {
  }
  desk.wait_for_note();
  RawClient other(server->port());
  other.say("GET /other HTTP/1.1\r\nHost: x\r\n\r\n");
  desk.take().answer->send(200, {}, "here");
  EXPECT_NE(other.hear("here").find("200 OK"), std::string::npos);
}

TEST(HttpServer, ARequestThatNeverEndsIsNotWaitedForForEver) {
  const auto server = start(echo(), {.request_timeout = std::chrono::milliseconds(30)});
  RawClient client(server->port());
  client.say("POST / HTTP/1.1\r\nHost: x\r\nContent-Le");
  EXPECT_EQ(client.hear_all(), "");
}

TEST(HttpServer, AHeadHasLessTimeThanABody) {
  const auto server = start(echo(), {.head_timeout = std::chrono::milliseconds(30)});
  RawClient slow(server->port());
  slow.say("POST / HTTP/1.1\r\nHost: x\r\nContent-Le");
  EXPECT_EQ(slow.hear_all(), "");
}

TEST(HttpServer, TheBodyOfWhoIsNotLetInIsNeverReadAndNothingInItCounts) {
  std::vector<std::string> seen;
  const auto server = start(
      [&](const ReadRequest& request, const std::shared_ptr<HttpAnswer>& answer) {
        seen.push_back(request.path + ":" + request.body);
        answer->send(401, {}, "no");
      },
      {.takes_body = [](const ReadRequest& head) { return head.field("x-token") != nullptr; }});
  {
    RawClient stranger(server->port());
    stranger.say("POST /a HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: 30000000\r\n\r\n");
    const std::string heard = stranger.hear("no");
    EXPECT_TRUE(heard.starts_with("HTTP/1.1 401 ")) << heard;
    stranger.say("GET /smuggled HTTP/1.1\r\nHost: x\r\n\r\n");
    EXPECT_EQ(stranger.hear_all(), "");
  }
  RawClient known(server->port());
  known.say("POST /b HTTP/1.1\r\nHost: x\r\nX-Token: t\r\nContent-Length: 4\r\n\r\nbo");
  known.say("dy");
  known.hear("no");
  EXPECT_EQ(seen, (std::vector<std::string>{"/a:", "/b:body"}));
}

TEST(HttpServer, AConnectionThatNobodyUsesIsClosed) {
  const auto server = start(echo(), {.idle_timeout = std::chrono::milliseconds(30)});
  RawClient client(server->port());
  EXPECT_EQ(client.hear_all(), "");
}

TEST(HttpServer, TakesNoMoreConnectionsThanItsLimit) {
  const auto server = start(echo(), {.connections_max = 1});
  RawClient first(server->port());
  first.say("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
  first.hear("GET / ");
  RawClient second(server->port());
  EXPECT_TRUE(second.hear_all().starts_with("HTTP/1.1 503 "));
  first.say("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
  EXPECT_NE(first.hear("GET / ").find("200 OK"), std::string::npos);
}

TEST(HttpServer, ABodyOverItsLimitIsRefusedBeforeItIsRead) {
  HttpServerOptions options;
  options.limits.body_bytes_max = 10;
  const auto server = start(echo(), options);
  RawClient client(server->port());
  client.say("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1000000\r\n\r\n" + std::string(100'000, 'x'));
  EXPECT_TRUE(client.hear("\r\n").starts_with("HTTP/1.1 413 "));
}

TEST(HttpServer, ListensOnlyWhereItCan) {
  static const SystemClock clock;
  EXPECT_FALSE(start_http_server({.address = "example.org"}, clock, echo()));
  const auto server = start(echo());
  EXPECT_FALSE(start_http_server({.port = server->port()}, clock, echo()));
}

TEST(HttpServer, EndsWithAnswersThatWereNeverGiven) {
  Desk desk;
  auto server = start(desk.handler());
  RawClient client(server->port());
  client.say("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
  const Desk::Item item = desk.take();
  item.answer->when_gone([&] { desk.note(); });
  server.reset();
  desk.wait_for_note();
  item.answer->send(200, {}, "too late");
}

}  // namespace
}  // namespace deft
