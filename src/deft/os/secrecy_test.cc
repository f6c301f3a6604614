#include "deft/os/secrecy.h"

#include <gtest/gtest.h>
#include <sys/prctl.h>
#include <sys/stat.h>

#include "deft/testing/real_processes.h"

namespace deft {
namespace {

TEST(Secrecy, AProcessThatHidesItsMemoryHidesItsEnvironmentFromItsUser) {
  const std::string owner = testing::as_nobody([] {
    if (!hide_memory()) return std::string("not hidden");
    struct stat status{};
    if (::stat("/proc/self/environ", &status) != 0) return std::string("no environ");
    // Under the address sanitizer it stays readable: the leak checker would fail.
    const bool hidden = ::prctl(PR_GET_DUMPABLE) == 0;
    return std::string(hidden == (status.st_uid == 0) ? "as it says" : "open to others");
  });
  EXPECT_EQ(owner, "as it says");
}

TEST(Secrecy, NamesOfVariablesSayThatTheirValuesAreSecret) {
  EXPECT_EQ(secrets_among({"API_KEY=a", "gh_token=b", "MYSQL_PWD=c", "DB_PASS=d", "GITHUB_PAT=e", "ssh_passphrase=f"}),
            (std::vector<std::string>{"a", "b", "c", "d", "e", "f"}));
  EXPECT_EQ(secrets_among({"PWD=/p", "OLDPWD=/q", "PATH=/bin", "COMPASS=n", "KEYBOARD=us", "TOKENS=5", "no"}),
            std::vector<std::string>{});
}

}  // namespace
}  // namespace deft
