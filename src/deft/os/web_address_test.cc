#include "deft/os/web_address.h"

#include <gtest/gtest.h>

namespace deft {
namespace {

TEST(WebAddress, OnlyThePublicInternetIsPublic) {
  for (const char* address : {"1.1.1.1", "93.184.216.34", "172.32.0.1", "192.167.255.255", "100.128.0.1",
                              "2606:4700::1111", "2a00:1450::1"}) {
    EXPECT_TRUE(is_public_address(address)) << address;
  }
  for (const char* address : {"127.0.0.1",
                              "127.1.2.3",
                              "0.0.0.0",
                              "10.1.2.3",
                              "172.16.0.1",
                              "172.31.255.255",
                              "192.168.1.1",
                              "169.254.169.254",
                              "100.64.0.1",
                              "100.127.255.255",
                              "198.18.0.1",
                              "192.0.2.1",
                              "224.0.0.1",
                              "240.0.0.1",
                              "255.255.255.255",
                              "::",
                              "::1",
                              "fc00::1",
                              "fd12::1",
                              "fe80::1",
                              "ff02::1",
                              "::ffff:127.0.0.1",
                              "::ffff:1.1.1.1",
                              "::127.0.0.1",
                              "64:ff9b::7f00:1",
                              "2002:7f00:1::",
                              "2001::1",
                              "2001:db8::1",
                              "3fff::1",
                              "64:ff9b:1::a00:1",
                              "::ffff:0:10.0.0.1",
                              "5f00::1",
                              "fec0::1",
                              "fd00:ec2::254",
                              "2a00:1450::5efe:10.0.0.1",      // ISATAP: an address of IPv4 inside
                              "2a00:1450::200:5efe:10.0.0.1",  //
                              "168.63.129.16",                 // what tells virtual machines of Azure about themselves
                              "100.100.100.200",
                              "192.0.0.192",
                              "",
                              "localhost",
                              "1.1.1",
                              "0x7f.1",
                              "1.1.1.1 "}) {
    EXPECT_FALSE(is_public_address(address)) << address;
  }
}

TEST(WebAddress, AnAddressResolvesToItselfInItsUsualNotation) {
  EXPECT_EQ(*resolve_host("127.0.0.1"), std::vector<std::string>{"127.0.0.1"});
  EXPECT_EQ(*resolve_host("[::1]"), std::vector<std::string>{"::1"});
  EXPECT_EQ(*resolve_host("0x7f.1"), std::vector<std::string>{"127.0.0.1"});
  EXPECT_EQ(*resolve_host("2130706433"), std::vector<std::string>{"127.0.0.1"});
  EXPECT_FALSE(resolve_host("no such host.invalid"));
}

}  // namespace
}  // namespace deft
