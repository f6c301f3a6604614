#include "deft/ui/permission_check.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "deft/testing/places.h"
#include "deft/testing/temp_folder.h"

// Tables of calls and what must come of them: tests/fixtures/permissions. In each line "expect" is the answer;
// where there are two, the stricter one is as good. "inputs" are several calls with the same answer. @W is the folder
// that the project, @W/proj, and the home, @W/home, are in. Below @W/full is a project with all kinds of links.

namespace deft {
namespace {

std::string replaced(std::string text, std::string_view mark, const std::string& by) {
  for (std::size_t at = text.find(mark); at != std::string::npos; at = text.find(mark, at + by.size())) {
    text.replace(at, mark.size(), by);
  }
  return text;
}

class PermissionCheck : public ::testing::Test {
 protected:
  PermissionCheck() {
    namespace fs = std::filesystem;
    fs::create_directories(project + "/sub");
    fs::create_directories(project + "/secrets");
    fs::create_directories(home + "/.ssh");
    for (const std::string& file : {home + "/.ssh/id", project + "/a.txt", project + "/.env"}) std::ofstream{file};
    fs::create_symlink(home + "/.ssh/id", project + "/link");
    fs::create_symlink(".env", project + "/envlink");
    make_full_tree(folder.path() + "/place/full");
  }

  static void make_full_tree(const std::string& root) {
    namespace fs = std::filesystem;
    for (const char* below :
         {"proj/sub", "proj/src/components", "proj/secrets", "proj/vendor/pkg/src", "proj/vendor/secrets", "proj/.git",
          "proj/packages/api", "proj/docs", "home/.ssh", "home/.claude", "home/.config", "other"}) {
      fs::create_directories(root + "/" + below);
    }
    for (const char* file : {"proj/a.txt", "proj/b.txt", "proj/.env", "proj/sub/.env", "proj/src/app.ts",
                             "proj/vendor/pkg/src/lib.js", "proj/secrets/k", "proj/vendor/secrets/k", "proj/n.ipynb",
                             "home/.ssh/id_rsa", "home/.zshrc", "other/x.txt"}) {
      std::ofstream{root + "/" + file};
    }
    std::ofstream(root + "/proj/.git/HEAD") << "ref: refs/heads/main\n";
    std::ofstream(root + "/proj/.git/config") << "[core]\n\trepositoryformatversion = 0\n";
    for (const char* below : {"proj/.git/objects", "proj/.git/refs"}) fs::create_directories(root + "/" + below);
    fs::create_symlink(root + "/home/.ssh/id_rsa", root + "/proj/key");
    fs::create_symlink(root + "/other", root + "/proj/outdir");
    fs::create_symlink(".env", root + "/proj/envlink");
    fs::create_symlink(root + "/proj/src", root + "/other/insrc");
    fs::create_symlink(root + "/other/x.txt", root + "/proj/src/leak.txt");
    fs::create_symlink(root + "/proj/.git", root + "/proj/gitlink");
  }

  std::string check(std::string_view line) const { return permission_check_line(line, project, home); }
  std::string decision(std::string_view line) const {
    return std::string(find_string(*parse_json(check(line)), "decision").value_or("none"));
  }

  const TempFolder folder;
  const std::string project = folder.path() + "/place/proj";
  const std::string home = folder.path() + "/place/home";
};

TEST_F(PermissionCheck, AnswersEveryTableAsDocumented) {
  std::size_t checked = 0;
  const std::filesystem::path tables = std::filesystem::path(DEFT_SOURCE_DIR) / "tests/fixtures/permissions";
  for (const auto& table : std::filesystem::directory_iterator(tables)) {
    std::ifstream file(table.path());
    for (std::string line; std::getline(file, line);) {
      line = replaced(line, "@W", folder.path() + "/place");
      const auto parsed = parse_json(line);
      ASSERT_TRUE(parsed && find_array(*parsed, "expect")) << table.path() << ": " << line;
      JsonObject call = parsed->get_object();
      JsonArray inputs = call.contains("inputs") ? call["inputs"].get_array() : JsonArray{call["input"]};
      for (Json& input : inputs) {
        call["input"] = std::move(input);
        const std::string answer = check(to_json(call));
        bool is_expected = false;
        for (const Json& expected : *find_array(*parsed, "expect")) {
          is_expected = is_expected || find_string(*parse_json(answer), "decision") == view(expected.get_string());
        }
        call.erase("inputs");
        EXPECT_TRUE(is_expected) << table.path().filename() << ": " << to_json(call) << "\n  " << answer;
        ++checked;
      }
    }
  }
  EXPECT_GT(checked, 5'000U);
}

TEST_F(PermissionCheck, SaysWhichRuleFromWhereAndAboutWhichCommand) {
  const auto answer = *parse_json(check(
      R"json({"id":"x","tool":"Bash","input":{"command":"ls && sudo rm -rf b"},"settings":{"sources":{"user":)json"
      R"json({"deny":["Bash(rm *)"]}}}})json"));
  EXPECT_EQ(find_string(answer, "id"), "x");
  EXPECT_EQ(find_string(answer, "decision"), "deny");
  EXPECT_EQ(find_string(answer, "rule"), "Bash(rm *)");
  EXPECT_EQ(find_string(answer, "source"), "user");
  EXPECT_EQ(find_string(answer, "command"), "rm -rf b");
  EXPECT_EQ(find_string(answer, "stage"), "deny_rule");
}

TEST_F(PermissionCheck, ALineThatCannotBeUsedIsAskedForAndSaysWhy) {
  for (const char* line :
       {"", "x", "[]", "{}", R"({"id":1,"tool":7})", R"({"tool":"Read","input":[]})",
        R"({"tool":"Read","mode":"yolo"})", R"({"tool":"Read","cwd":"relative"})",
        R"({"tool":"Read","settings":{"deny":"Bash"}})", R"({"tool":"Read","settings":{"sources":{"nobody":{}}}})",
        R"({"tool":"Read","trusted":"yes"})", R"({"tool":"Read","hook":{"decision":7}})",
        R"({"tool":"Read","tool":"Read"})", R"({"tool":"Read","hook":{"decision":"allow","updatedInput":3}})"}) {
    const auto answer = parse_json(check(line));
    ASSERT_TRUE(answer) << line;
    EXPECT_EQ(find_string(*answer, "decision"), "ask") << line;
    EXPECT_TRUE(find_string(*answer, "error")) << line;
  }
  EXPECT_EQ(find_int(*parse_json(check(R"({"id":5,"tool":7})")), "id"), 5);
}

TEST_F(PermissionCheck, AFolderThatIsALinkIsTheFolder) {
  const std::string alias = folder.path() + "/alias";
  std::filesystem::create_directory_symlink(project, alias);
  const auto decide_in_alias = [&](const std::string& path, std::string_view list) {
    return decision(to_json(JsonObject{{"cwd", alias},
                                       {"tool", "Write"},
                                       {"input", JsonObject{{"file_path", path}}},
                                       {"settings", JsonObject{{list, JsonArray{"Edit(src/**)"}}}}}));
  };
  EXPECT_EQ(decide_in_alias("src/x", "allow"), "allow");
  EXPECT_EQ(decide_in_alias(alias + "/src/x", "allow"), "allow");
  EXPECT_EQ(decide_in_alias(project + "/src/x", "deny"), "deny");
}

}  // namespace
}  // namespace deft
