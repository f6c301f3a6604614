#include "deft/ui/prompt_input.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <array>

#include "deft/os/unique_fd.h"
#include "deft/testing/temp_folder.h"

namespace deft {
namespace {

TEST(PromptInput, WhatIsPipedInIsReadToItsEnd) {
  std::array<int, 2> ends{};
  ASSERT_EQ(::pipe2(ends.data(), O_CLOEXEC), 0);
  const UniqueFd reader(ends[0]);
  {
    const UniqueFd writer(ends[1]);
    ASSERT_EQ(::write(writer.get(), "hello", 5), 5);
  }
  EXPECT_EQ(read_piped_text(reader.get(), false)->text, "hello");
}

TEST(PromptInput, TooMuchIsRefused) {
  const TempFolder folder;
  const UniqueFd file(::open(folder.put("big", std::string(kPipedPromptBytesMax + 1, 'x')).c_str(), O_RDONLY));
  EXPECT_EQ(read_piped_text(file.get(), true).error().code, Errc::limit);
}

TEST(PromptInput, WhatCannotBeReadMattersOnlyIfThereIsNoOtherPrompt) {
  const UniqueFd folder(::open("/", O_RDONLY | O_DIRECTORY));
  EXPECT_EQ(read_piped_text(folder.get(), true)->text, "");
  EXPECT_FALSE(read_piped_text(folder.get(), false));
}

TEST(PromptInput, ThePromptComesFirst) {
  EXPECT_EQ(joined_prompt("ask", "text"), "ask\n\ntext");
  EXPECT_EQ(joined_prompt("ask", " \n"), "ask");
  EXPECT_EQ(joined_prompt(std::nullopt, "text"), "text");
  EXPECT_EQ(joined_prompt(" ", ""), std::nullopt);
}

}  // namespace
}  // namespace deft
