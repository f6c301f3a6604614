#include "deft/base/web_socket.h"

#include <gtest/gtest.h>

#include "deft/base/sha1.h"

namespace deft {
namespace {

// A frame as servers send it.
std::string frame(unsigned first, std::string_view payload) {
  std::string out(1, static_cast<char>(first));
  if (payload.size() < 126) {
    out += static_cast<char>(payload.size());
  } else {
    out += static_cast<char>(126);
    out += static_cast<char>(payload.size() >> 8);
    out += static_cast<char>(payload.size() & 0xff);
  }
  return out.append(payload);
}

// All messages, "text:…" and so on; an error as "fault CODE".
std::vector<std::string> messages(std::string_view bytes, std::size_t step = 1'000'000) {
  SocketReader reader(1'000);
  std::vector<std::string> all;
  while (true) {
    auto message = reader.take();
    if (!message) {
      all.push_back("fault " + std::to_string(reader.fault_code()));
      return all;
    }
    if (*message) {
      const char* kind = "control:";
      if ((*message)->opcode == SocketOpcode::text) kind = "text:";
      if ((*message)->opcode == SocketOpcode::binary) kind = "binary:";
      if ((*message)->opcode == SocketOpcode::close) kind = "close:";
      all.push_back(kind + (*message)->payload);
      if ((*message)->close_code != 0) all.back() += "/" + std::to_string((*message)->close_code);
      continue;
    }
    if (bytes.empty()) return all;
    reader.feed(bytes.substr(0, step));
    bytes.remove_prefix(std::min(step, bytes.size()));
  }
}

using Texts = std::vector<std::string>;

TEST(Sha1, IsThatOfTheStandard) {
  const auto hex = [](std::string_view bytes) {
    std::string out;
    for (const char c : bytes) {
      out += "0123456789abcdef"[static_cast<unsigned char>(c) >> 4];
      out += "0123456789abcdef"[static_cast<unsigned char>(c) & 15];
    }
    return out;
  };
  EXPECT_EQ(hex(sha1("abc")), "a9993e364706816aba3e25717850c26c9cd0d89d");
  EXPECT_EQ(hex(sha1("")), "da39a3ee5e6b4b0d3255bfef95601890afd80709");
  EXPECT_EQ(hex(sha1(std::string(1'000'000, 'a'))), "34aa973cd4c4daa4f61eeb2bdbad27316534016f");
}

TEST(WebSocket, TheHandshakeOfTheStandardIsAgreedTo) {
  const std::string key = "dGhlIHNhbXBsZSBub25jZQ==";
  const std::string request = socket_request(*parse_web_url("http://server.example.com/chat?a"), {"x", "y"}, key);
  EXPECT_TRUE(request.starts_with("GET /chat?a HTTP/1.1\r\nHost: server.example.com\r\n")) << request;
  EXPECT_NE(request.find("Sec-WebSocket-Protocol: x, y\r\n"), std::string::npos);
  EXPECT_TRUE(request.ends_with("\r\n\r\n"));
  const std::string head =
      "HTTP/1.1 101 Switching Protocols\r\nupgrade: WebSocket\r\nConnection: keep-alive, Upgrade\r\n"
      "Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n";
  EXPECT_TRUE(check_socket_answer(head + "\r\n", {}, key));
  EXPECT_TRUE(check_socket_answer(head + "Sec-WebSocket-Protocol: y\r\n\r\n", {"x", "y"}, key));
  EXPECT_FALSE(check_socket_answer(head + "Sec-WebSocket-Protocol: z\r\n\r\n", {"x", "y"}, key));
  EXPECT_FALSE(check_socket_answer(head + "Sec-WebSocket-Extensions: permessage-deflate\r\n\r\n", {}, key));
  EXPECT_FALSE(check_socket_answer(head + "\r\n", {}, "another key"));
  EXPECT_FALSE(check_socket_answer("HTTP/1.1 200 OK\r\n\r\n", {}, key));
  EXPECT_FALSE(check_socket_answer("SSH-2.0-OpenSSH\r\n\r\n", {}, key));
  EXPECT_FALSE(check_socket_answer("", {}, key));
  EXPECT_NE(check_socket_answer("HTTP/1.1 302 Found\r\nLocation: wss://b/\r\n\r\n", {}, key)
                .error()
                .message.find("wss://b/, which is not followed"),
            std::string::npos);
}

TEST(WebSocket, NamesOfProtocolsAreTokens) {
  EXPECT_TRUE(check_socket_protocols({"graphql-ws", "v1.x"}));
  EXPECT_FALSE(check_socket_protocols({"a\r\nX-Evil: 1"}));
  EXPECT_FALSE(check_socket_protocols({"a", "a"}));
  EXPECT_FALSE(check_socket_protocols({""}));
  EXPECT_FALSE(check_socket_protocols(std::vector<std::string>(kSocketProtocolsMax + 1, "a")));
}

TEST(WebSocket, MessagesComeWholeHoweverTheyAreCut) {
  const std::string bytes = frame(0x81, "hello") + frame(0x01, "fr\xC3") + frame(0x89, "ping") + frame(0x80, "\xA4g") +
                            frame(0x82, std::string(300, 'b')) +
                            frame(0x88,
                                  "\x03\xE8"
                                  "bye");
  const Texts wanted = {"text:hello", "control:ping", "text:fr\xC3\xA4g", "binary:" + std::string(300, 'b'),
                        "close:bye/1000"};
  EXPECT_EQ(messages(bytes), wanted);
  EXPECT_EQ(messages(bytes, 1), wanted);
  EXPECT_EQ(messages(frame(0x88, "")), Texts{"close:/1005"});
}

TEST(WebSocket, WhoeverBreaksTheProtocolIsNotListenedToAnyMore) {
  using namespace std::string_literals;
  EXPECT_EQ(messages("\x81\x85"
                     "abcdhello"),
            Texts{"fault 1002"})
      << "a mask";
  EXPECT_EQ(messages(frame(0xC1, "x")), Texts{"fault 1002"}) << "an extension that nobody agreed to";
  EXPECT_EQ(messages(frame(0x83, "x")), Texts{"fault 1002"}) << "an unknown kind";
  EXPECT_EQ(messages(frame(0x80, "x")), Texts{"fault 1002"}) << "the rest of nothing";
  EXPECT_EQ(messages(frame(0x01, "x") + frame(0x81, "y")), Texts{"fault 1002"}) << "a message within a message";
  EXPECT_EQ(messages(frame(0x09, "x")), Texts{"fault 1002"}) << "a control frame in parts";
  EXPECT_EQ(messages(frame(0x89, std::string(126, 'x'))), Texts{"fault 1002"}) << "a control frame that is too long";
  EXPECT_EQ(messages(frame(0x88, "\x03")), Texts{"fault 1002"});
  EXPECT_EQ(messages(frame(0x88, "\x03\xED"s)), Texts{"fault 1002"}) << "1005 is never sent";
  EXPECT_EQ(messages(frame(0x81, "\xFF")), Texts{"fault 1007"});
  EXPECT_EQ(messages(frame(0x81, std::string(1'001, 'x'))), Texts{"fault 1009"});
  EXPECT_EQ(messages("\x81\x7F\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF"s), Texts{"fault 1009"});
  EXPECT_EQ(messages(frame(0x01, std::string(600, 'x')) + frame(0x80, std::string(600, 'x'))), Texts{"fault 1009"});
}

TEST(WebSocket, WhatAClientSendsIsMasked) {
  EXPECT_EQ(socket_frame(SocketOpcode::pong, "Hello", {0x37, 0xfa, 0x21, 0x3d}),
            "\x8a\x85\x37\xfa\x21\x3d\x7f\x9f\x4d\x51\x58");
  EXPECT_EQ(socket_close_payload(1002), "\x03\xEA");
}

}  // namespace
}  // namespace deft
