#include "deft/tools/notebook_edit.h"

#include <gtest/gtest.h>

#include "deft/base/utf8.h"
#include "deft/testing/fake_files.h"
#include "deft/testing/tool_bench.h"
#include "deft/tools/edit.h"
#include "deft/tools/read.h"
#include "deft/tools/write.h"

namespace deft {
namespace {

constexpr std::string_view kPng =
    "iVBORw0KGgoAAAANSUhEUgAAABEAAAAJCAIAAABbilBbAAAAFUlEQVR4nGP8z0AyYCJdy6geOuoBAOOEAREmpUEqAAAAAElFTkSuQmCC";

JsonObject cell(std::string_view id, std::string_view type, std::string_view source, JsonArray outputs = {}) {
  return {{"cell_type", type}, {"id", id}, {"metadata", JsonObject{}}, {"source", source}, {"outputs", outputs}};
}
std::string notebook(JsonArray cells) {
  return to_json(JsonObject{{"cells", cells}, {"metadata", JsonObject{}}, {"nbformat", 4}, {"nbformat_minor", 5}});
}

class NotebookToolTest : public testing::Test {
 protected:
  Result<ToolResult> read(JsonObject more = {}) {
    more["file_path"] = "/p/n.ipynb";
    return bench.call(*read_tool, more);
  }
  Result<ToolResult> edit(JsonObject input) {
    input["notebook_path"] = "/p/n.ipynb";
    if (!input.contains("new_source")) input["new_source"] = "";
    return bench.call(*tool, input);
  }

  static std::string error(const Result<ToolResult>& result) { return result ? "no error" : result.error().message; }

  FakeFiles files;
  ToolBench bench{files};
  std::shared_ptr<Tool> tool = make_notebook_edit_tool();
  std::shared_ptr<Tool> read_tool = make_read_tool();
};

TEST_F(NotebookToolTest, ReadShowsCellsOutputsAndPictures) {
  const JsonArray outputs = {
      JsonObject{{"output_type", "stream"}, {"text", "hello"}},
      JsonObject{{"output_type", "display_data"}, {"data", {{"image/png", kPng}, {"text/plain", "<Figure>"}}}},
      JsonObject{{"output_type", "display_data"}, {"data", {{"image/png", "not a picture"}}}}};
  files.put("/p/n.ipynb", notebook({cell("a", "markdown", "# Title"), cell("b", "code", "print(1)", outputs)}));
  const auto result = read();
  ASSERT_TRUE(result.has_value()) << result.error().message;
  EXPECT_EQ(result->text,
            "<cell id=\"a\" type=\"markdown\">\n# Title\n</cell>\n<cell id=\"b\" type=\"code\">\nprint(1)\n</cell>\n"
            "<output cell=\"b\">\nhello\n</output>\n<output cell=\"b\">\n<Figure>[picture 1 below]\n</output>\n"
            "<output cell=\"b\">\n\n[a picture that is not shown]\n</output>\n");
  ASSERT_EQ(result->blocks.size(), 1U);
  EXPECT_EQ(find_string(result->details, "type"), "notebook");
  EXPECT_FALSE(bench.session().files.find("/p/n.ipynb")->whole) << "a picture was not shown";
}

TEST_F(NotebookToolTest, ALargeNotebookComesInParts) {
  JsonArray cells;
  for (int i = 0; i < 40; ++i) cells.push_back(cell("c" + std::to_string(i), "code", std::string(5'000, 'x')));
  files.put("/p/n.ipynb", notebook(cells));
  const auto result = read();
  EXPECT_LE(count_characters(result->text), kReadCharactersMax);
  EXPECT_TRUE(result->text.ends_with("[Cells 1 to 19 of 40. Go on with offset 20.]"));
  EXPECT_TRUE(read({{"offset", 20}, {"limit", 1}})->text.starts_with("<cell id=\"c19\""));
  EXPECT_EQ(read({{"offset", 41}}).error().code, Errc::invalid_input);
  files.put("/p/n.ipynb",
            notebook({cell("huge", "code", std::string(300'000, 'x'),
                           {JsonObject{{"output_type", "stream"}, {"text", std::string(90'000, 'y')}}})}));
  EXPECT_LE(count_characters(read()->text), kReadCharactersMax);
  EXPECT_NE(read()->text.find("[cut: 50000 of 300000 characters]"), std::string::npos);
}

TEST_F(NotebookToolTest, CellsAreReplacedInsertedAndDeleted) {
  files.put("/p/n.ipynb", notebook({cell("a", "markdown", "# Title"), cell("b", "code", "1")}));
  EXPECT_EQ(edit({{"cell_id", "a"}, {"new_source", "x"}}).error().code, Errc::not_read);
  read();
  const auto replaced = edit({{"cell_id", "a"}, {"new_source", "# New"}});
  ASSERT_TRUE(replaced.has_value()) << replaced.error().message;
  EXPECT_EQ(replaced->text, "Replaced the cell a of /p/n.ipynb.");
  EXPECT_EQ(files.bytes("/p/n.ipynb"), notebook({cell("a", "markdown", "# New"), cell("b", "code", "1")}));
  EXPECT_EQ(find_string(replaced->details, "old_source"), "# Title");
  EXPECT_EQ(find_string(replaced->details, "updated_file"), files.bytes("/p/n.ipynb"));

  const auto inserted = edit({{"edit_mode", "insert"}, {"cell_type", "code"}, {"new_source", "2"}});
  ASSERT_TRUE(inserted.has_value()) << "our own change counts as a read";
  const std::string id(find_string(inserted->details, "cell_id").value());
  EXPECT_NE(read()->text.find("<cell id=\"" + id + "\" type=\"code\">\n2\n</cell>\n<cell id=\"a\""), std::string::npos);
  EXPECT_EQ(edit({{"edit_mode", "delete"}, {"cell_id", id}})->text, "Deleted the cell " + id + " of /p/n.ipynb.");
  EXPECT_EQ(files.bytes("/p/n.ipynb"), notebook({cell("a", "markdown", "# New"), cell("b", "code", "1")}));
}

TEST_F(NotebookToolTest, EveryRefusalSaysWhatToDo) {
  files.put("/p/n.ipynb", notebook({cell("a", "markdown", "x")}));
  read();
  EXPECT_EQ(error(edit({{"cell_id", "b"}})), "There is no cell “b”; the cells are a.");
  EXPECT_EQ(error(edit({{"edit_mode", "insert"}})), "Say which cell_type the new cell has: code or markdown.");
  EXPECT_EQ(error(bench.call(*tool, JsonObject{{"notebook_path", "/p/a.cc"}, {"new_source", ""}})),
            "/p/a.cc is not a notebook (.ipynb): change it with Edit.");
  const auto by_text =
      bench.call(*make_edit_tool(), JsonObject{{"file_path", "/p/n.ipynb"}, {"old_string", "x"}, {"new_string", "y"}});
  EXPECT_EQ(error(by_text), "/p/n.ipynb is a notebook: change its cells with NotebookEdit.");
  files.put("/p/n.ipynb", "{\"cells\": [\n");
  EXPECT_NE(error(edit({{"cell_id", "a"}})).find("has changed since you read it"), std::string::npos);
  EXPECT_EQ(read()->text, "     1\t{\"cells\": [") << "a broken notebook is shown as text, to be repaired";
  EXPECT_TRUE(error(edit({{"cell_id", "a"}})).ends_with("; change its text with Edit."));
}

}  // namespace
}  // namespace deft
