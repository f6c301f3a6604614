#include "deft/testing/http_peer.h"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include "deft/testing/real_processes.h"

namespace deft::testing {
namespace {

// The plainest client there is: what HttpPeer is checked against must not be what it is there to check.
class Caller {
 public:
  explicit Caller(const HttpPeer& peer) : socket_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(peer.port());
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    EXPECT_EQ(::connect(socket_.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
  }

  void send(std::string_view bytes) {
    EXPECT_EQ(::send(socket_.get(), bytes.data(), bytes.size(), 0), std::ssize(bytes));
  }
  // Up to and with `end`, or all that comes before the connection ends.
  std::string read_until(std::string_view end) {
    std::string text;
    char byte;
    while (!text.ends_with(end) && (last_ = ::recv(socket_.get(), &byte, 1, 0)) == 1) text += byte;
    return text;
  }
  bool was_reset() const { return last_ < 0; }
  void hang_up() { socket_.reset(); }

 private:
  UniqueFd socket_;
  ssize_t last_ = 0;
};

constexpr std::string_view kGet = "GET /a?b=1 HTTP/1.1\r\nHost: x\r\nX-Name:  value\r\n\r\n";

TEST(HttpPeer, ServesAndRecordsSeveralRequestsOnOneConnection) {
  HttpPeer peer([](const PeerRequest& request, PeerAnswer& answer) { answer.send(200, {{"A", "b"}}, request.body); });
  Caller caller(peer);
  caller.send(kGet);
  EXPECT_EQ(caller.read_until("\r\n\r\n"), "HTTP/1.1 200 as scripted\r\nA: b\r\nContent-Length: 0\r\n\r\n");
  caller.send("POST /c HTTP/1.1\r\nContent-Length: 5\r\n\r\nhello");
  EXPECT_TRUE(caller.read_until("hello").ends_with("Content-Length: 5\r\n\r\nhello"));

  const auto requests = peer.requests();
  ASSERT_EQ(requests.size(), 2U);
  EXPECT_EQ(requests[0].path, "/a?b=1");
  EXPECT_EQ(requests[0].header("x-name"), "value");
  EXPECT_EQ(requests[1].method, "POST");
  EXPECT_EQ(requests[1].body, "hello");
  EXPECT_EQ(peer.connections(), 1U);
}

TEST(HttpPeer, SendsPiecesWhenTheTestSaysSo) {
  PeerGate gate;
  HttpPeer peer([&](const PeerRequest&, PeerAnswer& answer) {
    answer.head(200);
    answer.chunk("one");
    if (!answer.wait(gate)) return;
    answer.chunk("two");
    answer.end();
  });
  Caller caller(peer);
  caller.send(kGet);
  EXPECT_TRUE(caller.read_until("one\r\n").ends_with("3\r\none\r\n"));
  gate.open();
  EXPECT_EQ(caller.read_until("0\r\n\r\n"), "3\r\ntwo\r\n0\r\n\r\n");
}

TEST(HttpPeer, CutsAndResetsConnections) {
  HttpPeer peer([](const PeerRequest& request, PeerAnswer& answer) {
    answer.raw("HTTP/1.1 200 OK\r\n");
    if (request.path == "/a?b=1") return answer.cut();
    answer.reset();
  });
  Caller cut(peer);
  cut.send(kGet);
  cut.read_until("never");
  EXPECT_FALSE(cut.was_reset());

  Caller reset(peer);
  reset.send("GET / HTTP/1.1\r\n\r\n");
  reset.read_until("never");
  EXPECT_TRUE(reset.was_reset());
}

TEST(HttpPeer, ARequestWithoutAnAnswerWaitsUntilTheClientHangsUp) {
  HttpPeer peer([](const PeerRequest&, PeerAnswer&) {});
  Caller caller(peer);
  caller.send(kGet);
  EXPECT_TRUE(eventually([&] { return peer.requests().size() == 1; }));
  EXPECT_EQ(peer.open_connections(), 1U);
  caller.hang_up();
  EXPECT_TRUE(eventually([&] { return peer.open_connections() == 0; }));
}

}  // namespace
}  // namespace deft::testing
