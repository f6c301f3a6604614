#include "deft/os/capabilities.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <string>

#include "deft/os/warden_processes.h"
#include "deft/testing/real_processes.h"

namespace deft {
namespace {

TEST(Capabilities, SayWhetherACommandCanRunReadOnly) {
  const SystemClock clock;
  WardenProcesses processes(clock);
  const auto end = processes.run({.argv = {"/bin/true"}, .restriction = Restriction::read_only}, {}, {});
  EXPECT_EQ(end.has_value(), probe_capabilities().read_only_commands);
}

TEST(Capabilities, SayWhereCommandsHaveTheirGroups) {
  const auto found = probe_capabilities();
  const SystemClock clock;
  WardenProcesses processes(clock);
  std::string group;
  const Command command{.argv = {"/bin/grep", "^0::", "/proc/self/cgroup"}};
  static_cast<void>(processes.run(command, [&](OutputStream, std::string_view bytes) { group += bytes; }, {}));
  EXPECT_EQ(group.find("shell-warden-") != group.npos, found.ending == EndingMethod::cgroup) << group;
  EXPECT_EQ(found.cgroup.empty(), found.ending == EndingMethod::subreaper);
}

TEST(Capabilities, AnOrdinaryUserIsNoRoot) {
  EXPECT_EQ(probe_capabilities().is_root, ::geteuid() == 0);
  EXPECT_EQ(testing::as_nobody([] { return std::string(probe_capabilities().is_root ? "root" : "user"); }), "user");
}

TEST(Capabilities, WhatIsMissingIsSaidInALine) {
  const auto text_of = [](const SystemCapabilities& capabilities, std::string_view name) {
    const auto lines = explain(capabilities);
    const auto line = std::ranges::find(lines, name, &CapabilityLine::name);
    return line == lines.end() ? "no such line" : (line->is_good ? "+ " : "- ") + line->text;
  };
  EXPECT_EQ(text_of({}, "landlock"), "- not in this kernel: commands judged read-only are treated as if they were not");
  EXPECT_EQ(text_of({.landlock_version = 2}, "landlock"), "+ version 2; truncation is refused by system call instead");
  EXPECT_EQ(text_of({.landlock_version = 7}, "landlock"), "+ version 7");
  EXPECT_EQ(text_of({}, "read-only commands"), "- can't be enforced here");
  EXPECT_EQ(text_of({.cgroup = "/sys/fs/cgroup/a", .ending = EndingMethod::cgroup}, "ending commands"),
            "+ by a cgroup for each, below /sys/fs/cgroup/a");
  for (const auto& line : explain({})) EXPECT_EQ(line.text.find('\n'), line.text.npos) << line.name;
}

}  // namespace
}  // namespace deft
