#include "deft/config/hook_settings.h"

#include <gtest/gtest.h>

namespace deft {
namespace {

LoadedFile file(SettingSource source, std::string_view text) {
  return load_settings_text({.source = source, .path = std::string(to_string(source)) + ".json", .root = "/p"}, text);
}
std::string with_hook(std::string_view command, std::string_view more = {}) {
  return R"({"hooks":{"Stop":[{"hooks":[{"type":"command","command":")" + std::string(command) + R"("}]}]})" +
         std::string(more) + "}";
}
std::vector<std::string> names(const HookConfig& config) {
  std::vector<std::string> list;
  for (const Hook& hook : config.of(HookEvent::stop)) list.push_back(hook.name);
  return list;
}
using Names = std::vector<std::string>;

TEST(HookSettings, HooksOfAllSourcesAreJoinedTheStrongestLast) {
  const std::vector<LoadedFile> files = {file(SettingSource::managed, with_hook("m")),
                                         file(SettingSource::project, with_hook("p")),
                                         file(SettingSource::user, with_hook("u"))};
  EXPECT_EQ(names(merge_hooks(files, true)), (Names{"u", "p", "m"}));
}

TEST(HookSettings, OfAFolderThatIsNotTrustedNothingCounts) {
  const std::vector<LoadedFile> files = {
      file(SettingSource::managed, with_hook("m")),
      file(SettingSource::local, with_hook("l", R"(,"disableAllHooks":true)")),
      file(SettingSource::project, with_hook("p", R"(,"allowedHttpHookUrls":["*"],"disableAllHooks":true)")),
      file(SettingSource::user, with_hook("u", R"(,"allowedHttpHookUrls":["https://u/*"])"))};
  const HookConfig config = merge_hooks(files, false);
  EXPECT_EQ(names(config), (Names{"u", "m"}));
  EXPECT_EQ(*config.http_urls, Names{"https://u/*"});
}

TEST(HookSettings, DisableAllHooksIsWhatTheStrongestFileSays) {
  EXPECT_EQ(names(merge_hooks({file(SettingSource::project, with_hook("p")),
                               file(SettingSource::user, with_hook("u", R"(,"disableAllHooks":true)"))},
                              true)),
            Names{});
  EXPECT_EQ(names(merge_hooks({file(SettingSource::project, with_hook("p", R"(,"disableAllHooks":false)")),
                               file(SettingSource::user, with_hook("u", R"(,"disableAllHooks":true)"))},
                              true)),
            (Names{"u", "p"}));
}

TEST(HookSettings, ManagedHooksAreDisabledByManagedFilesAlone) {
  EXPECT_EQ(names(merge_hooks({file(SettingSource::managed, with_hook("m")),
                               file(SettingSource::user, with_hook("u", R"(,"disableAllHooks":true)"))},
                              true)),
            Names{"m"});
  EXPECT_EQ(names(merge_hooks({file(SettingSource::managed, with_hook("m", R"(,"disableAllHooks":true)")),
                               file(SettingSource::user, with_hook("u"))},
                              true)),
            Names{});
}

TEST(HookSettings, ManagedFilesMayAllowTheirOwnHooksOnlyAndNobodyElseCan) {
  EXPECT_EQ(names(merge_hooks({file(SettingSource::managed, with_hook("m", R"(,"allowManagedHooksOnly":true)")),
                               file(SettingSource::user, with_hook("u"))},
                              true)),
            Names{"m"});
  EXPECT_EQ(names(merge_hooks({file(SettingSource::managed, with_hook("m")),
                               file(SettingSource::user, with_hook("u", R"(,"allowManagedHooksOnly":true)"))},
                              true)),
            (Names{"u", "m"}));
}

TEST(HookSettings, AFolderMayNarrowWhereHooksGoButNotWidenIt) {
  const LoadedFile project = file(SettingSource::project, R"({"allowedHttpHookUrls":["https://p/*"]})");
  EXPECT_EQ(*merge_hooks({project}, true).http_urls, Names{"https://p/*"});
  EXPECT_EQ(*merge_hooks({file(SettingSource::managed, R"({"allowedHttpHookUrls":["https://m/*"]})"), project,
                          file(SettingSource::user, R"({"allowedHttpHookUrls":["https://u/*"]})")},
                         true)
                 .http_urls,
            (Names{"https://m/*", "https://u/*"}));
  EXPECT_FALSE(merge_hooks({}, true).http_urls);
}

TEST(HookSettings, WhatIsWrongIsNamedAndCountsAsTheSaferThing) {
  const HookConfig config = merge_hooks(
      {file(SettingSource::managed, with_hook("m", R"(,"allowManagedHooksOnly":"yes","allowedHttpHookUrls":"*")")),
       file(SettingSource::user, with_hook("u", R"(,"disableAllHooks":"yes")"))},
      true);
  EXPECT_EQ(names(config), Names{"m"});
  EXPECT_TRUE(config.http_urls->empty());
  EXPECT_EQ(config.problems.size(), 3U);
}

}  // namespace
}  // namespace deft
