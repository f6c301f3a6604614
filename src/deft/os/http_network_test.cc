#include "deft/os/http_network.h"

#include <gtest/gtest.h>

#include <vector>

#include "deft/testing/temp_folder.h"

namespace deft {
namespace {

using Environment = std::vector<std::string>;

TEST(HttpNetwork, SmallLettersWinOverCapitalsAndBothOverAllProxy) {
  const auto network = http_network(
      Environment{"HTTPS_PROXY=http://big", "https_proxy=http://small", "ALL_PROXY=http://all", "NO_PROXY=localhost"});
  EXPECT_EQ(network.https_proxy, "http://small");
  EXPECT_EQ(network.http_proxy, "http://all");
  EXPECT_EQ(network.no_proxy, "localhost");
  EXPECT_EQ(http_network(Environment{"https_proxy=", "HTTPS_PROXY=http://big"}).https_proxy, "http://big");
}

TEST(HttpNetwork, AProxyThatAStrangersRequestCouldHaveNamedIsNotUsed) {
  EXPECT_EQ(http_network(Environment{"HTTP_PROXY=http://evil", "REQUEST_METHOD=GET"}).http_proxy, "");
  EXPECT_EQ(http_network(Environment{"HTTP_PROXY=http://mine"}).http_proxy, "http://mine");
}

TEST(HttpNetwork, CertificatesComeFromTheSystemsFolderUnlessTheEnvironmentNamesOthers) {
  EXPECT_EQ(http_network(Environment{}).ca_folder, "/etc/ssl/certs");
  EXPECT_EQ(http_network(Environment{}).ca_file, "");
  const auto file = http_network(Environment{"SSL_CERT_FILE=/own.pem"});
  EXPECT_EQ(file.ca_file, "/own.pem");
  EXPECT_EQ(file.ca_folder, "");
  EXPECT_EQ(http_network(Environment{"CURL_CA_BUNDLE=/b.pem"}).ca_file, "/b.pem");
  EXPECT_EQ(http_network(Environment{"SSL_CERT_DIR=/certs"}).ca_folder, "/certs");
  const TempFolder folder;
  const std::string extra = folder.put("extra.pem", "");
  const auto more = http_network(Environment{"NODE_EXTRA_CA_CERTS=" + extra});
  EXPECT_EQ(more.ca_file, extra);
  EXPECT_EQ(more.ca_folder, "/etc/ssl/certs");
  EXPECT_EQ(http_network(Environment{"NODE_EXTRA_CA_CERTS=" + extra, "SSL_CERT_FILE=/own.pem"}).ca_file, "/own.pem");
}

TEST(HttpNetwork, FurtherCertificatesThatAreGoneAreNoReasonToBelieveNobody) {
  const auto network = http_network(Environment{"NODE_EXTRA_CA_CERTS=/no/such/file.pem"});
  EXPECT_EQ(network.ca_file, "");
  EXPECT_EQ(network.ca_folder, "/etc/ssl/certs");
}

TEST(CheckRequest, RefusesWhateverWouldBecomeAnotherHeaderOrRequest) {
  const auto refused = [](HttpRequest request) {
    if (request.url.empty()) request.url = "https://a.example/x";
    const auto checked = check_request(request);
    return !checked && checked.error().code == Errc::invalid_input;
  };
  EXPECT_TRUE(refused({.headers = {{"X-Key", "a\r\nHost: evil"}}}));
  EXPECT_TRUE(refused({.headers = {{"X-Key", "a\nb"}}}));
  EXPECT_TRUE(refused({.headers = {{"X-Key", std::string("a\0b", 3)}}}));
  EXPECT_TRUE(refused({.headers = {{"X-Key: 1\r\nY", "a"}}}));
  EXPECT_TRUE(refused({.headers = {{"", "a"}}}));
  EXPECT_TRUE(refused({.method = "GET / HTTP/1.1\r\nX: y\r\n\r\nGET"}));
  EXPECT_TRUE(refused({.url = "https://a.example/x HTTP/1.1\r\nX: y"}));
  EXPECT_TRUE(refused({.url = "https://a.example/a b"}));
  EXPECT_TRUE(refused({.url = "file:///etc/passwd"}));
  EXPECT_TRUE(refused({.url = "ftp://a.example/"}));
  EXPECT_TRUE(refused({.address = "evil.example"}));
  EXPECT_TRUE(refused({.address = "127.0.0.1:80"}));
  EXPECT_FALSE(refused({.headers = {{"X-Key", "a\tb \xC3\xA4"}}, .address = "::1"}));
}

TEST(ShownHost, LeavesOutWhateverMayBeSecret) {
  EXPECT_EQ(shown_host("https://user:secret@api.example:8443/v1?key=secret"), "api.example:8443");
  EXPECT_EQ(shown_host("http://a@b@c.example?x"), "c.example");
}

}  // namespace
}  // namespace deft
