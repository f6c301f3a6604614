#include "deft/core/notebook.h"

#include <gtest/gtest.h>

#include "deft/base/json.h"

namespace deft {
namespace {

// As Jupyter writes it; with a number and an escape that would not survive being written anew.
constexpr std::string_view kNotebook = R"json({
 "cells": [
  {
   "cell_type": "markdown",
   "id": "intro",
   "metadata": {},
   "source": [
    "# Title\n",
    "text \u00e9"
   ]
  },
  {
   "cell_type": "code",
   "execution_count": 3,
   "id": "calc",
   "metadata": {"odd": 1.50e+2},
   "outputs": [
    {
     "name": "stdout",
     "output_type": "stream",
     "text": [
      "hello\n",
      "world\n"
     ]
    },
    {
     "data": {
      "image/png": "iVBORw0KGgo=\n",
      "text/plain": "<Figure>"
     },
     "metadata": {},
     "output_type": "display_data"
    },
    {
     "ename": "ValueError",
     "evalue": "no",
     "output_type": "error",
     "traceback": ["\u001b[0;31mValueError\u001b[0m: no"]
    }
   ],
   "source": "print(1)"
  }
 ],
 "metadata": {
  "language_info": {"name": "julia"}
 },
 "nbformat": 4,
 "nbformat_minor": 5
}
)json";

std::string replaced(std::string_view text, std::string_view old, std::string_view with) {
  std::string out(text);
  const std::size_t at = out.find(old);
  EXPECT_NE(at, std::string::npos) << old;
  return out.replace(at, old.size(), with);
}

TEST(Notebook, IsReadCellByCellWithItsOutputs) {
  const auto notebook = parse_notebook(kNotebook);
  ASSERT_TRUE(notebook.has_value()) << notebook.error().message;
  EXPECT_EQ(notebook->language, "julia");
  ASSERT_EQ(notebook->cells.size(), 2U);
  EXPECT_EQ(notebook->cells[0].id, "intro");
  EXPECT_EQ(notebook->cells[0].source, "# Title\ntext é");
  EXPECT_EQ(notebook->cells[1].type, "code");
  EXPECT_EQ(notebook->cells[1].execution_count, 3);
  ASSERT_EQ(notebook->cells[1].outputs.size(), 3U);
  EXPECT_EQ(notebook->cells[1].outputs[0].text, "hello\nworld\n");
  EXPECT_EQ(notebook->cells[1].outputs[1].text, "<Figure>");
  EXPECT_EQ(notebook->cells[1].outputs[1].images.at(0).base64, "iVBORw0KGgo=");
  EXPECT_EQ(notebook->cells[1].outputs[2].text, "ValueError: no\nValueError: no");
}

TEST(Notebook, WhatIsNoneIsAnError) {
  for (const char* text : {"", "{", "[]", "{}", R"({"cells":[],"nbformat":3})", R"({"cells":[1],"nbformat":4})",
                           R"({"cells":{},"nbformat":4})"}) {
    EXPECT_EQ(parse_notebook(text).error().code, Errc::unsupported) << text;
  }
}

TEST(Notebook, AReplacedSourceIsAllThatChanges) {
  const auto edited = edit_notebook(kNotebook, {.cell_id = "intro", .source = "one\n\"two\"\n"});
  ASSERT_TRUE(edited.has_value()) << edited.error().message;
  EXPECT_EQ(edited->bytes, replaced(kNotebook, R"("# Title\n",
    "text \u00e9")",
                                    R"("one\n",
    "\"two\"\n")"));
  EXPECT_EQ(edited->old_source, "# Title\ntext é");
  EXPECT_EQ(edited->cell_type, "markdown");

  const auto code = edit_notebook(kNotebook, {.cell_id = "calc", .source = "print(2)\n3"});
  EXPECT_EQ(code->bytes, replaced(kNotebook, R"x("print(1)")x", R"x("print(2)\n3")x")) << "a string stays a string";
  const auto empty = edit_notebook(kNotebook, {.cell_id = "intro", .source = ""});
  EXPECT_EQ(parse_notebook(empty->bytes)->cells[0].source, "");
}

TEST(Notebook, ANewCellIsLaidOutLikeTheOthers) {
  const auto first =
      edit_notebook(kNotebook, {.mode = CellEdit::Mode::insert, .cell_type = "markdown", .source = "new"});
  ASSERT_TRUE(first.has_value()) << first.error().message;
  EXPECT_EQ(first->bytes,
            replaced(kNotebook, " \"cells\": [\n",
                     " \"cells\": [\n  {\n   \"cell_type\": \"markdown\",\n   \"id\": \"" + first->cell_id +
                         "\",\n   \"metadata\": {},\n   \"source\": [\n    \"new\"\n   ]\n  },\n"));
  const auto last = edit_notebook(
      kNotebook, {.mode = CellEdit::Mode::insert, .cell_id = "calc", .cell_type = "code", .source = "a\nb"});
  EXPECT_EQ(last->bytes,
            replaced(kNotebook, "\"source\": \"print(1)\"\n  }\n",
                     "\"source\": \"print(1)\"\n  },\n  {\n   \"cell_type\": \"code\",\n   \"execution_count\": null,\n"
                     "   \"id\": \"" +
                         last->cell_id +
                         "\",\n   \"metadata\": {},\n   \"outputs\": [],\n   \"source\": [\n    \"a\\n\",\n    \"b\"\n"
                         "   ]\n  }\n"));
  const auto parsed = parse_notebook(last->bytes);
  EXPECT_EQ(parsed->cells.at(2).id, last->cell_id);
  EXPECT_EQ(parsed->cells.at(2).source, "a\nb");
}

TEST(Notebook, ADeletedCellTakesItsCommaWithIt) {
  const auto first = edit_notebook(kNotebook, {.mode = CellEdit::Mode::erase, .cell_id = "intro"});
  ASSERT_TRUE(first.has_value());
  EXPECT_EQ(parse_notebook(first->bytes)->cells.at(0).id, "calc");
  EXPECT_NE(first->bytes.find("\"cells\": [\n  {\n   \"cell_type\": \"code\""), std::string::npos);
  const auto last = edit_notebook(kNotebook, {.mode = CellEdit::Mode::erase, .cell_id = "calc"});
  EXPECT_NE(last->bytes.find("\n   ]\n  }\n ],\n \"metadata\""), std::string::npos);
  const auto none = edit_notebook(last->bytes, {.mode = CellEdit::Mode::erase, .cell_id = "intro"});
  EXPECT_NE(none->bytes.find("\"cells\": [],\n"), std::string::npos);
  const auto again =
      edit_notebook(none->bytes, {.mode = CellEdit::Mode::insert, .cell_type = "markdown", .source = "x"});
  EXPECT_NE(again->bytes.find(" \"cells\": [\n  {\n   \"cell_type\": \"markdown\",\n"), std::string::npos);
  EXPECT_NE(again->bytes.find("   ]\n  }\n ],\n"), std::string::npos);
}

TEST(Notebook, ACellOfAnotherTypeHasTheMembersOfThatType) {
  const auto code = edit_notebook(kNotebook, {.cell_id = "intro", .cell_type = "code", .source = "1"});
  const auto as_code = parse_json(code->bytes);
  ASSERT_TRUE(as_code.has_value());
  EXPECT_EQ(to_json(as_code->at("cells").at(0)),
            R"({"cell_type":"code","execution_count":null,"id":"intro","metadata":{},"outputs":[],"source":["1"]})");
  const auto text = edit_notebook(kNotebook, {.cell_id = "calc", .cell_type = "markdown", .source = "1"});
  const auto as_text = parse_json(text->bytes);
  EXPECT_EQ(to_json(as_text->at("cells").at(1)),
            R"({"cell_type":"markdown","id":"calc","metadata":{"odd":150.0},"source":"1"})");
  EXPECT_NE(text->bytes.find("1.50e+2"), std::string::npos);
}

TEST(Notebook, OldNotebooksWithoutIdsAreChangedByPosition) {
  constexpr std::string_view kOld =
      R"({"cells": [{"cell_type": "code", "source": ["a"], "outputs": [], "metadata": {}, "execution_count": null}], )"
      R"("nbformat": 4, "nbformat_minor": 2, "metadata": {}})";
  const auto edited = edit_notebook(kOld, {.cell_id = "cell-0", .source = "b\nc"});
  ASSERT_TRUE(edited.has_value()) << edited.error().message;
  EXPECT_EQ(edited->bytes, replaced(kOld, R"(["a"])", R"(["b\n", "c"])"));
  const auto inserted = edit_notebook(
      kOld, {.mode = CellEdit::Mode::insert, .cell_id = "cell-0", .cell_type = "markdown", .source = "x"});
  EXPECT_EQ(inserted->cell_id, "cell-1");
  EXPECT_EQ(parse_notebook(inserted->bytes)->cells.at(1).source, "x");
  EXPECT_EQ(inserted->bytes.find("\"id\""), std::string::npos);
}

TEST(Notebook, ARefusalSaysWhichCellsThereAre) {
  EXPECT_EQ(edit_notebook(kNotebook, {.cell_id = "none", .source = "x"}).error().message,
            "There is no cell “none”; the cells are intro, calc.");
  EXPECT_EQ(edit_notebook(kNotebook, {.source = "x"}).error().code, Errc::invalid_input);
  EXPECT_EQ(edit_notebook(kNotebook, {.mode = CellEdit::Mode::insert, .source = "x"}).error().code,
            Errc::invalid_input);
  const std::string twice = replaced(kNotebook, "\"intro\"", "\"calc\"");
  EXPECT_EQ(edit_notebook(twice, {.cell_id = "calc", .source = "x"}).error().code, Errc::invalid_input);
  const std::string hostile = replaced(kNotebook, "\"intro\"", "\"\\\"><cell id=\"");
  EXPECT_EQ(parse_notebook(hostile)->cells[0].id, "cell-0");
}

}  // namespace
}  // namespace deft
