#include "deft/core/context_gauge.h"

#include <algorithm>

#include "deft/base/json.h"

namespace deft {
namespace {

struct Weight {
  std::size_t data_bytes = 0;  // of base64
  std::uint64_t pieces = 0;

  void add(const Json& json) {
    if (const auto* list = json.if_array()) {
      for (const Json& one : *list) add(one);
    }
    const auto* object = json.if_object();
    if (!object) return;
    if (find_string(json, "type") == "base64") {
      data_bytes += find_string(json, "data").value_or("").size();
      ++pieces;
      return;
    }
    for (const auto& field : *object) add(field.value());
  }
};

}  // namespace

std::uint64_t estimated_tokens(std::string_view content) {
  std::size_t bytes = content.size();
  std::uint64_t pieces = 0;
  if (content.find(R"("base64")") != std::string_view::npos) {
    if (const auto json = parse_json(content)) {
      Weight weight;
      weight.add(*json);
      bytes -= std::min(bytes, weight.data_bytes);
      pieces = weight.pieces;
    }
  }
  return bytes / kBytesPerToken + 1 + pieces * kImageTokens;
}

std::uint64_t estimated_tokens(const History& history, std::size_t from) {
  std::uint64_t sum = 0;
  for (std::size_t i = from; i < history.size(); ++i) sum += estimated_tokens(history[i].content);
  return sum;
}

std::uint64_t compaction_threshold(std::uint64_t window_tokens, std::uint64_t output_tokens_max) {
  const std::uint64_t answer = std::min({output_tokens_max, kAnswerReserveTokensMax, window_tokens / 4});
  return window_tokens - answer - window_tokens / 20;
}

void ContextGauge::answered(const History& history, const TokenUse& use) {
  is_measured_ = is_measured_ || use.total() > 0;
  known_ = use.total() > 0 ? use.total() : known_ + estimated_tokens(history, known_messages_);
  known_messages_ = history.size();
}

std::uint64_t ContextGauge::tokens(const History& history, std::size_t beside) const {
  return known_ + estimated_tokens(history, known_messages_) + (is_measured_ ? 0 : beside / kBytesPerToken);
}

}  // namespace deft
