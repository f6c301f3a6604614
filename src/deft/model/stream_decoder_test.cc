#include "deft/model/stream_decoder.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>

#include "deft/testing/places.h"
#include "deft/testing/stream_run.h"

namespace deft {
namespace {

using testing::as_events;
using testing::run_events;
using testing::run_in_pieces;
using testing::run_stream;
using testing::StreamRun;

std::string read_file(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

std::string replace_all(std::string text, std::string_view from, std::string_view to) {
  for (std::size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size()) {
    text.replace(at, from.size(), to);
  }
  return text;
}

std::string join(const std::vector<std::string>& lines) {
  std::string out;
  for (const std::string& line : lines) out += line + "\n";
  return out;
}

std::string show(const std::vector<ToolCall>& calls) {
  std::string out;
  for (const ToolCall& call : calls) out += call.id + " " + call.name + " " + call.input_text + "\n";
  return out;
}

// Streams of our own, one for each shape that providers send; beside each its messages as lines.
class RecordedStream : public ::testing::TestWithParam<std::string> {
 protected:
  static std::filesystem::path folder() { return std::filesystem::path(DEFT_SOURCE_DIR) / "tests/fixtures/streams"; }
  const std::string bytes = read_file(folder() / (GetParam() + ".sse"));
  const std::string expected = read_file(folder() / (GetParam() + ".jsonl"));
};

std::vector<std::string> recorded_streams() {
  std::vector<std::string> names;
  for (const auto& entry :
       std::filesystem::directory_iterator(std::filesystem::path(DEFT_SOURCE_DIR) / "tests/fixtures/streams")) {
    if (entry.path().extension() == ".sse") names.push_back(entry.path().stem());
  }
  std::sort(names.begin(), names.end());
  return names;
}

TEST_P(RecordedStream, GivesItsMessages) {
  ASSERT_FALSE(bytes.empty());
  EXPECT_EQ(join(run_stream(bytes).lines), expected);
}

TEST_P(RecordedStream, GivesTheSameInPiecesOfAnySize) {
  EXPECT_EQ(join(run_in_pieces(bytes, [] { return 1; }).lines), expected);
  for (unsigned seed = 0; seed < 20; ++seed) {
    std::mt19937 random(seed);
    EXPECT_EQ(join(run_in_pieces(bytes, [&] { return 1 + random() % (random() % 2 ? 5 : 300); }).lines), expected)
        << "seed " << seed;
  }
}

TEST_P(RecordedStream, GivesTheSameWithOtherLineEndsAndAByteOrderMark) {
  EXPECT_EQ(join(run_stream("\xEF\xBB\xBF" + replace_all(bytes, "\n", "\r\n")).lines), expected);
  EXPECT_EQ(join(run_stream(replace_all(bytes, "\n", "\r")).lines), expected);
}

TEST_P(RecordedStream, CutOffAtAnyByteItReportsOnlyCallsThatWereComplete) {
  // When each call came out of the whole stream. A cut may save at most the two newlines after the event.
  std::vector<std::size_t> complete_at;
  std::vector<ToolCall> calls;
  StreamDecoder decoder;
  for (std::size_t at = 0; at < bytes.size(); ++at) {
    StreamRun step;
    step.add(decoder.feed({&bytes[at], 1}));
    complete_at.insert(complete_at.end(), step.calls.size(), at + 1);
    calls.insert(calls.end(), step.calls.begin(), step.calls.end());
  }
  // Each cut is a whole run: of a long stream not every byte, but in every kind of place.
  const std::size_t step = 1 + bytes.size() / 2'000;
  for (std::size_t size = 0; size < bytes.size(); size += step) {
    const StreamRun cut = run_stream(bytes.substr(0, size));
    ASSERT_LE(cut.calls.size(), calls.size());
    for (std::size_t i = 0; i < cut.calls.size(); ++i) EXPECT_LE(complete_at[i], size + 2) << "cut at " << size;
    ASSERT_EQ(show(cut.calls), show({calls.begin(), calls.begin() + static_cast<std::ptrdiff_t>(cut.calls.size())}));
    ASSERT_GE(cut.lines.size(), 1U) << "a message, or the failure, but never silence";
  }
}

INSTANTIATE_TEST_SUITE_P(All, RecordedStream, ::testing::ValuesIn(recorded_streams()),
                         [](const auto& stream) { return stream.param; });

TEST(StreamDecoder, SaysWhichApiItRecognised) {
  const auto api = [](std::string_view event) {
    StreamDecoder decoder;
    decoder.feed(as_events({event}));
    return decoder.api();
  };
  EXPECT_EQ(api(R"({"type":"message_start","message":{}})"), StreamApi::anthropic_messages);
  EXPECT_EQ(api(R"({"id":"x","choices":[{"delta":{}}]})"), StreamApi::openai_chat);
  EXPECT_EQ(api(R"({"type":"response.created","response":{}})"), StreamApi::openai_responses);
  EXPECT_EQ(api(R"({"type":"ping"})"), StreamApi::unknown);
}

TEST(StreamDecoder, MessagesOfDifferentApisMayFollowEachOther) {
  const auto folder = std::filesystem::path(DEFT_SOURCE_DIR) / "tests/fixtures/streams";
  std::string bytes;
  std::string expected;
  for (const std::string name :
       {"anthropic_tools", "chat_parallel_calls", "responses_calls", "chat_error", "chat_text"}) {
    bytes += read_file(folder / (name + ".sse"));
    expected += read_file(folder / (name + ".jsonl"));
  }
  EXPECT_EQ(join(run_stream(bytes).lines), expected);
}

TEST(StreamDecoder, AStreamWithoutAMessageHasFailed) {
  EXPECT_EQ(run_stream("").error(), "the stream ended before a message began");
  EXPECT_EQ(run_stream(": hello\n\nevent: ping\ndata: {\"type\":\"ping\"}\n\n").error(),
            "the stream ended before a message began");
}

TEST(StreamDecoder, AnErrorInPlaceOfAMessageIsItsFailure) {
  const StreamRun run = run_events({R"({"error":{"message":"no such model","type":"invalid_request_error"}})"});
  EXPECT_EQ(run.line(),
            R"({"type":"error","code":"failed","message":"no such model","provider_code":"invalid_request_error"})");
  EXPECT_EQ(run_events({R"({"error":"slow down"})"}).error(), "slow down");
  EXPECT_EQ(run_events({R"({"type":"error","code":"rate_limit","message":"slow","param":null})"}).line(),
            R"({"type":"error","code":"failed","message":"slow","provider_code":"rate_limit"})");
}

TEST(StreamDecoder, AnErrorInAFieldOfItsOwnIsTheFailure) {
  const StreamRun run = run_stream(
      "error: {\"code\":400,\"message\":\"the request exceeds the available context size\",\"type\":\"invalid\"}\n\n"
      "data: [DONE]\n\n");
  ASSERT_EQ(run.failures.size(), 1U);
  EXPECT_EQ(run.error(), "the request exceeds the available context size");
  EXPECT_EQ(run.failures[0].provider_code, "invalid");
}

TEST(StreamDecoder, AnErrorEventThatIsNotJsonIsShownAsItIs) {
  EXPECT_EQ(run_stream("event: error\ndata: upstream went away\n\n").error(), "upstream went away");
}

TEST(StreamDecoder, DataThatIsNotJsonFailsTheMessageOnce) {
  const StreamRun run = run_events({R"({"choices":[{"delta":{"content":"a"}}]})", "{oops", "{again",
                                    R"({"choices":[{"delta":{},"finish_reason":"stop"}]})"});
  ASSERT_EQ(run.failures.size(), 1U);
  EXPECT_EQ(run.lines.size(), 1U);
  EXPECT_EQ(run.failures[0].error.code, Errc::invalid_json);
  EXPECT_EQ(run.text, "a");
}

TEST(StreamDecoder, AfterABrokenMessageTheNextOneIsReadAgain) {
  const StreamRun run =
      run_events({R"({"type":"message_start","message":{"id":"m1"}})", "{oops",
                  R"({"type":"content_block_start","index":0,"content_block":{"type":"text","text":"lost"}})",
                  R"({"type":"message_start","message":{"id":"m2"}})", R"({"type":"message_stop"})"});
  ASSERT_EQ(run.lines.size(), 2U);
  EXPECT_EQ(run.messages.at(0).id, "m2");
  EXPECT_EQ(run.text, "");
}

TEST(StreamDecoder, ALastEventWithoutItsEmptyLineCountsIfItIsWhole) {
  const std::string bytes = as_events({R"({"type":"message_start","message":{}})", R"({"type":"message_stop"})"});
  for (std::size_t missing = 0; missing <= 2; ++missing) {
    EXPECT_EQ(run_stream(bytes.substr(0, bytes.size() - missing)).messages.size(), 1U);
  }
  EXPECT_EQ(run_stream(bytes.substr(0, bytes.size() - 3)).error(), "the stream broke off before message_stop");
}

TEST(StreamDecoder, ATransportThatBreaksFailsTheMessageUnderWay) {
  StreamDecoder decoder;
  StreamRun run;
  run.add(decoder.feed(as_events({R"({"type":"message_start","message":{"id":"m"}})"})));
  run.add(decoder.abandon(Error{Errc::timeout, "no bytes for 300 s"}));
  EXPECT_EQ(run.line(), R"({"type":"error","code":"timeout","message":"no bytes for 300 s"})");
  EXPECT_EQ(run.failures[0].message.id, "m");
}

TEST(StreamDecoder, InvalidUtf8AndHalfSurrogatesBecomeReplacementCharacters) {
  const StreamRun run = run_events({"{\"choices\":[{\"delta\":{\"content\":\"a\xFF\"}}]}",
                                    R"({"choices":[{"delta":{"content":"b\ud83d"},"finish_reason":"stop"}]})"});
  EXPECT_EQ(run.text,
            "a\xEF\xBF\xBD"
            "b\xEF\xBF\xBD");
  EXPECT_EQ(run.messages.size(), 1U);
}

TEST(StreamDecoder, AnOverlongLineFailsTheStreamForGood) {
  StreamDecoder decoder;
  StreamRun run;
  const std::string piece(std::size_t{1} << 20, 'x');
  for (std::size_t sent = 0; sent <= kSseLineBytesMax; sent += piece.size()) run.add(decoder.feed(piece));
  run.add(decoder.feed("\n\n" + as_events({R"({"type":"message_start","message":{}})"})));
  run.add(decoder.finish());
  ASSERT_EQ(run.lines.size(), 1U);
  EXPECT_EQ(run.failures[0].error.code, Errc::limit);
}

TEST(StreamDecoder, IdsOfCallsWithoutIdDifferBetweenMessagesOfOneStream) {
  const std::string call =
      as_events({R"({"choices":[{"delta":{"tool_calls":[{"index":0,"function":{"name":"now","arguments":"{}"}}]},)"
                 R"("finish_reason":"tool_calls"}]})",
                 "[DONE]"});
  const StreamRun run = run_stream(call + call);
  ASSERT_EQ(run.calls.size(), 2U);
  EXPECT_EQ(run.calls[0].id, "call_1");
  EXPECT_EQ(run.calls[1].id, "call_2");
}

TEST(SniffInput, TellsEventStreamsFromLines) {
  for (const std::string_view bytes :
       {"data: x", "data:", "event: a", ": comment", "id: 1", "retry: 5", "\n\r\ndata: x",
        "\xEF\xBB\xBF"
        "data: x"}) {
    EXPECT_EQ(sniff_input(bytes), InputKind::event_stream) << bytes;
  }
  for (const std::string_view bytes : {"{", " {\"type\":\"end\"}", "[1]", "hello", "datum", "data {}", " data: x"}) {
    EXPECT_EQ(sniff_input(bytes), InputKind::lines) << bytes;
  }
  for (const std::string_view bytes : {"", "\n", "d", "dat", "data", "ev", "i", "r", "\xEF", "\xEF\xBB", "  "}) {
    EXPECT_EQ(sniff_input(bytes), InputKind::undecided) << bytes;
  }
}

TEST(MessageFromBody, ReadsAWholeAnswerOfEachApi) {
  const auto line = [](std::string_view body) {
    const auto message = message_from_body(body);
    return message ? message_line(*message) : message.error().message;
  };
  EXPECT_EQ(
      line(R"({"id":"msg","type":"message","role":"assistant","model":"m","content":[{"type":"text","text":"hi"},)"
           R"({"type":"tool_use","id":"t","name":"Read","input":{"n":123456789012345678901}}],)"
           R"("stop_reason":"tool_use","stop_sequence":null,"usage":{"output_tokens":3}})"),
      R"({"type":"message","content":[{"type":"text","text":"hi"},{"type":"tool_use","id":"t","name":"Read",)"
      R"("input":{"n":123456789012345678901}}],"stop_reason":"tool_use","raw_stop_reason":"tool_use","id":"msg",)"
      R"("model":"m","usage":{"output_tokens":3}})");
  EXPECT_EQ(
      line(R"({"id":"c","model":"m","object":"chat.completion","choices":[{"index":0,"finish_reason":"tool_calls",)"
           R"("message":{"role":"assistant","content":"hi","tool_calls":[)"
           R"({"id":"t1","type":"function","function":{"name":"a","arguments":"{}"}},)"
           R"({"id":"t2","type":"function","function":{"name":"b","arguments":"{\"x\":1}"}}]}}]})"),
      R"({"type":"message","content":[{"type":"text","text":"hi"},{"type":"tool_use","id":"t1","name":"a","input":{}},)"
      R"({"type":"tool_use","id":"t2","name":"b","input":{"x":1}}],"stop_reason":"tool_use",)"
      R"("raw_stop_reason":"tool_calls","id":"c","model":"m","usage":null})");
  EXPECT_EQ(
      line(R"({"id":"r","object":"response","model":"m","status":"completed","error":null,"output":[)"
           R"({"type":"message","id":"i","content":[{"type":"output_text","text":"hi","annotations":[]}]},)"
           R"({"type":"function_call","id":"f","call_id":"t","name":"a","arguments":"{}"}]})"),
      R"({"type":"message","content":[{"type":"text","text":"hi"},{"type":"tool_use","id":"t","name":"a","input":{}}],)"
      R"("stop_reason":"tool_use","raw_stop_reason":"completed","id":"r","model":"m","usage":null})");
}

TEST(MessageFromBody, RefusesWhatIsNoAnswer) {
  EXPECT_EQ(message_from_body(R"({"error":{"message":"no"}})").error().message, "no");
  EXPECT_EQ(message_from_body(R"({"type":"end"})").error().code, Errc::unsupported);
  EXPECT_EQ(message_from_body("[]").error().code, Errc::unsupported);
  EXPECT_EQ(message_from_body("{").error().code, Errc::invalid_json);
  EXPECT_FALSE(message_from_body(R"({"choices":[{"message":{"content":"cut"}}]})"));
  EXPECT_FALSE(message_from_body(R"({"status":"in_progress","output":[]})"));
}

}  // namespace
}  // namespace deft
