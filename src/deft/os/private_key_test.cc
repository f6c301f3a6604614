#include "deft/os/private_key.h"

#include <gtest/gtest.h>

namespace deft {
namespace {

// Made for this test, and for nothing else.
const std::string kCurveKey =
    "-----BEGIN PRIVATE KEY-----\n"
    "MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgevZzL1gdAFr88hb2\n"
    "OF/2NxApJCzGCEDdfSp6VQO30hyhRANCAAQRWz+jn65BtOMvdyHKcvjBeBSDZH2r\n"
    "1RTwjmYSi9R/zpBnuQ4EiMnCqfMPWiZqB4QdbAd0E7oH50VpuZ1P087G\n"
    "-----END PRIVATE KEY-----\n";

TEST(PrivateKey, SignsAsJsonWebSignaturesDo) {
  const auto signature = sign_for_jws("ES256", kCurveKey, "a text");
  ASSERT_TRUE(signature) << signature.error().message;
  EXPECT_EQ(signature->size(), 64U);
  EXPECT_NE(*signature, *sign_for_jws("ES256", kCurveKey, "another text"));
}

TEST(PrivateKey, WhatCannotSignSaysWhy) {
  EXPECT_EQ(sign_for_jws("ES256", "none", "t").error().message,
            "the private key cannot be read: it must be a PEM file without a password");
  EXPECT_EQ(sign_for_jws("RS256", kCurveKey, "t").error().message, "the private key is not one for RS256");
  EXPECT_EQ(sign_for_jws("none", kCurveKey, "t").error().code, Errc::unsupported);
}

}  // namespace
}  // namespace deft
