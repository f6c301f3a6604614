#include "deft/model/refused_content.h"

#include <gtest/gtest.h>

namespace deft {
namespace {

ModelFailure refusal(std::string_view message, int status = 400) {
  return {.kind = ModelFailure::Kind::status, .status = status, .message = std::string(message)};
}

TEST(RefusedContent, RefusedThoughtsAreKnownByTheWordsOfTheApis) {
  for (const std::string_view words : {
           "messages.1.content.0: Invalid `signature` in `thinking` block",
           "messages.1.content.0: Invalid `signature` in `thinking` block. The block is bound to a different "
           "conversation.",
           "messages.3.content.0: `thinking` or `redacted_thinking` blocks in the latest assistant message cannot be "
           "modified.",
           "The encrypted content for item rs_1 could not be verified. Reason: Encrypted content could not be "
           "decrypted.",
           "Item 'fc_1' of type 'function_call' was provided without its required 'reasoning' item: 'rs_1'.",
           "Item 'rs_1' of type 'reasoning' was provided without its required following item.",
       }) {
    EXPECT_TRUE(refuses_thoughts(refusal(words))) << words;
    EXPECT_FALSE(refuses_thoughts(refusal(words, 500))) << words;
  }
  EXPECT_TRUE(refuses_thoughts(
      refusal("Item with id 'rs_1' not found. Items are not persisted when `store` is set to false.", 404)));
  EXPECT_FALSE(refuses_thoughts(refusal("model: claude-thinking not found", 404)));
  EXPECT_FALSE(refuses_thoughts(refusal("Encrypted content is not supported with this model.")));
  EXPECT_FALSE(refuses_thoughts(refusal("thinking.budget_tokens: must be at least 1024")));
  EXPECT_FALSE(refuses_thoughts(refusal("reasoning_effort is required to be low")));
}

TEST(RefusedContent, RefusedPicturesAreKnownByTheWordsOfServers) {
  for (const std::string_view words : {
           "messages.2.content.0.tool_result.content.1.image.source.base64: image exceeds 5 MB maximum: 7340032 bytes",
           "messages.0.content.0: Could not process image",
           "The PDF specified was not valid.",
           "Invalid content type. image_url is only supported by certain models.",
           "unknown variant `image_url`, expected `text`",
           "This model does not support image input",
           "model is not multimodal",
           "Invalid value: 'input_file'.",
       }) {
    EXPECT_TRUE(refuses_pictures(refusal(words))) << words;
    EXPECT_FALSE(refuses_pictures(refusal(words, 429))) << words;
  }
  EXPECT_TRUE(refuses_pictures(
      refusal("image input is not supported - hint: if this is unexpected, you may need to provide the mmproj", 500)));
  EXPECT_TRUE(refuses_pictures(refusal("No endpoints found that support image input", 404)));
  EXPECT_FALSE(refuses_pictures(refusal("the container image cannot be started", 500)));
  EXPECT_FALSE(refuses_pictures(refusal("The model `gpt-image-9` does not exist", 404)));
  EXPECT_FALSE(refuses_pictures(refusal("see the documentation at https://docs.example")));
}

TEST(RefusedContent, ARequestIsMadeAgainWithoutItOnceForEachMessageThatHadSome) {
  RefusedContent content;
  ModelFailure failure = refusal("Invalid `signature` in `thinking` block");
  content.learn(7, content.until(), failure);
  EXPECT_EQ(content.until().thoughts, 7U);
  EXPECT_EQ(content.until().pictures, 0U);
  EXPECT_EQ(failure.should_retry, true);

  ModelFailure again = refusal("Invalid `signature` in `thinking` block");
  content.learn(7, content.until(), again);  // there were none in it
  EXPECT_EQ(again.should_retry, std::nullopt);

  ModelFailure late = refusal("Invalid `signature` in `thinking` block");
  content.learn(5, {}, late);  // a request that was under way beside the first
  EXPECT_EQ(content.until().thoughts, 7U);
  EXPECT_EQ(late.should_retry, true);

  ModelFailure picture = refusal("Could not process image");
  content.learn(9, content.until(), picture);
  EXPECT_EQ(content.until().thoughts, 7U);
  EXPECT_EQ(content.until().pictures, 9U);

  ModelFailure other = refusal("no such field");
  content.learn(11, content.until(), other);
  EXPECT_EQ(content.until().pictures, 9U);
  EXPECT_EQ(other.should_retry, std::nullopt);
}

TEST(RefusedContent, WordsStandWherePicturesAndDocumentsStoodAndTextsStay) {
  const std::string words =
      R"x({"type":"text","text":"(A picture or document stood here. It cannot be shown to this model.)"})x";
  const std::string image = R"({"type":"image","source":{"type":"base64","media_type":"image/png","data":"AA"}})";
  const std::string pdf =
      R"({"type":"document","source":{"type":"base64","media_type":"application/pdf","data":"AA"}})";
  const std::string text = R"({"type":"document","source":{"type":"text","media_type":"text/plain","data":"words"}})";
  EXPECT_EQ(without_pictures(R"([{"type":"tool_result","tool_use_id":"t","content":[)" + image + "]}," + pdf + "," +
                             text + "]"),
            R"([{"type":"tool_result","tool_use_id":"t","content":[)" + words + "]}," + words + "," + text + "]");
  EXPECT_EQ(without_pictures(R"([{"type":"text","text":"\"type\":\"image\""}])"),
            R"([{"type":"text","text":"\"type\":\"image\""}])");
}

}  // namespace
}  // namespace deft
