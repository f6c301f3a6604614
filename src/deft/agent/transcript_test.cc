#include "deft/agent/transcript.h"

#include <gtest/gtest.h>

#include "deft/os/uuid.h"
#include "deft/testing/temp_folder.h"

namespace deft {
namespace {

constexpr const char* kPrompt = "bbbbbbbb-0000-4000-8000-000000000000";
constexpr const char* kMessage = "aaaaaaaa-0000-4000-8000-000000000000";

std::string entry(std::string_view type, std::string_view content, std::string_view uuid) {
  return to_json(JsonObject{{"type", type}, {"content", content}, {"uuid", uuid}}) + "\n";
}
std::string rewound(std::string_view to) { return to_json(JsonObject{{"type", "rewound"}, {"to", to}}) + "\n"; }

TEST(Transcript, TellsWhereASessionWentBackAndWhatEachBlockWas) {
  const TempFolder folder;
  folder.put("journal.jsonl", R"({"type":"journal","version":2})"
                              "\n{\"type\":\"turn\"}\n" +
                                  entry("prompt", R"([{"type":"image"},{"type":"text","text":"go"}])", kPrompt) +
                                  entry("message", R"([{"type":"text","text":"one"}])", kMessage) + rewound(kPrompt) +
                                  rewound(nth_uuid(kMessage, 3)) + rewound("?") + "{\"type\":\"cleared\"}\n");
  std::vector<std::string> told;
  ASSERT_TRUE(read_transcript(folder / "journal.jsonl", [&](const TranscriptItem& item) {
    told.push_back(std::string(to_string(item.kind)) + ": " + item.text);
  }));
  EXPECT_EQ(told, (std::vector<std::string>{"prompt: (a picture)", "prompt: go", "text: one",
                                            "went_back: the prompt of turn 1", "went_back: message 1",
                                            "went_back: an earlier point", "cleared: "}));
}

}  // namespace
}  // namespace deft
