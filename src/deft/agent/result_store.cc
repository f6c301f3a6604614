#include "deft/agent/result_store.h"

#include <algorithm>
#include <optional>
#include <vector>

#include "deft/base/base64.h"
#include "deft/base/text.h"
#include "deft/base/utf8.h"
#include "deft/core/result_size.h"

namespace deft {
namespace {

constexpr std::size_t kJsonParsedBytesMax = std::size_t{4} << 20;
constexpr std::size_t kBlockWordsCharacters = 400;  // around a path, at most

bool is_json_text(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  const std::size_t last = text.find_last_not_of(" \t\r\n");
  if (first == std::string_view::npos) return false;
  const bool is_framed = (text[first] == '{' && text[last] == '}') || (text[first] == '[' && text[last] == ']');
  return is_framed && (text.size() > kJsonParsedBytesMax || parse_json(text, {.bytes_max = kJsonParsedBytesMax}));
}

std::string where_it_is(const Result<KeptOutput>& kept, std::uint64_t bytes) {
  if (!kept) return "The full output could not be saved: " + kept.error().message;
  if (kept->bytes < bytes) return "The first " + human_bytes(kept->bytes) + " of it saved to: " + kept->path;
  return "Full output saved to: " + kept->path;
}

std::string where_it_is(const LongOutput& output) {
  if (output.path.empty()) return "The full output could not be saved: " + output.problem;
  if (output.problem.empty()) return "Full output saved to: " + output.path;
  return "The first " + human_bytes(output.bytes_kept) + " of it saved to: " + output.path + " (" + output.problem +
         ")";
}

struct BlockFile {
  std::string extension;
  std::string bytes;
  std::string_view what;
};

// A block as a file that Read can show.
BlockFile file_of(const Json& block) {
  const Json* source = find(block, "source");
  const Json& holder = source ? *source : block;
  const std::string_view media_type =
      find_string(holder, "media_type").value_or(find_string(holder, "mimeType").value_or(""));
  const auto data = find_string(holder, "data");
  if (data && find_string(holder, "type") == "text") return {".txt", std::string(*data), "document"};
  const auto bytes = data ? from_base64(*data) : std::nullopt;
  const std::pair<std::string_view, BlockFile> known[] = {{"image/png", {".png", {}, "picture"}},
                                                          {"image/jpeg", {".jpg", {}, "picture"}},
                                                          {"image/gif", {".gif", {}, "picture"}},
                                                          {"image/webp", {".webp", {}, "picture"}},
                                                          {"application/pdf", {".pdf", {}, "document"}}};
  for (const auto& [type, file] : known) {
    if (bytes && media_type == type) return {file.extension, *bytes, file.what};
  }
  return {".json", to_json(block), "part"};
}

void show_ends(ToolResult& result) {
  const LongOutput output = *std::exchange(result.long_output, std::nullopt);
  const KeptPart kept = result.limit.kept;
  const bool is_failure = result.is_error() && kept == KeptPart::both;
  const std::size_t bytes_max = is_failure ? kFailurePreviewBytesMax : kPreviewBytesMax;
  const std::size_t part_max = kept == KeptPart::both ? bytes_max / 2 : bytes_max;
  PersistedOutput shown{
      .bytes = output.bytes, .where = where_it_is(output), .kept = kept, .preview_bytes_max = bytes_max};
  if (kept != KeptPart::end) shown.preview.start = preview_of(output.beginning, KeptPart::start, part_max).start;
  if (kept != KeptPart::start) shown.preview.end = preview_of(output.end, KeptPart::end, part_max).end;
  const std::uint64_t in_sight = count_lead_bytes(shown.preview.start) + count_lead_bytes(shown.preview.end);
  shown.characters_left_out = output.characters - std::min(output.characters, in_sight);
  const std::string_view around = result_body(result);
  const std::size_t at = std::min(output.at, around.size());
  result.stored = StoredResult{.path = output.path,
                               .where = shown.where,
                               .before = std::string(around.substr(0, at)),
                               .after = std::string(around.substr(at)),
                               .bytes = output.bytes};
  if (!output.identity.empty()) result.identity = output.identity + "\n" + std::string(around);
  result.text = result.stored->before + persisted_block(shown) + result.stored->after + result.note;
}

}  // namespace

void ResultStore::store_text(ToolResult& result, std::string_view call_id) const {
  const std::string_view body = result_body(result);
  const KeptPart kept = result.limit.kept;
  const auto file = folder_->keep(call_id, is_json_text(body) ? ".json" : ".txt", body);
  PersistedOutput shown{.bytes = body.size(),
                        .where = where_it_is(file, body.size()),
                        .kept = kept,
                        .preview_bytes_max = kPreviewBytesMax,
                        .preview = preview_of(body, kept, kPreviewBytesMax)};
  if (kept != KeptPart::start) {
    shown.characters_left_out =
        count_lead_bytes(body) - count_lead_bytes(shown.preview.start) - count_lead_bytes(shown.preview.end);
  }
  result.stored = StoredResult{.path = file ? file->path : "", .where = shown.where, .bytes = body.size()};
  result.identity = file ? file->original + (result.is_error() ? "\nerror" : "") : "";
  result.text = persisted_block(shown) + result.note;
}

// The first ones stay as long as there is room, and all the others are files in the same order.
void ResultStore::store_blocks(ToolResult& result, std::string_view call_id, std::size_t characters_max) const {
  JsonArray kept;
  std::string lines;
  std::size_t room = characters_max;
  for (std::size_t i = 0; i < result.blocks.size(); ++i) {
    const Json& block = result.blocks[i];
    const std::size_t cost = block_characters(block);
    if (cost <= room) {
      room -= cost;
      kept.push_back(block);
      continue;
    }
    room = 0;
    const BlockFile file = file_of(block);
    const auto stored = folder_->keep(std::string(call_id) + "-" + std::to_string(i + 1), file.extension, file.bytes);
    lines += "\n[A " + std::string(file.what) + " (" + human_bytes(file.bytes.size()) + ") is left out here. " +
             where_it_is(stored, file.bytes.size()) + "]";
  }
  if (lines.empty()) return;
  result.blocks = std::move(kept);
  const std::string body(result_body(result));
  result.text = (body.empty() ? lines.substr(1) : body + lines) + result.note;
}

void ResultStore::bound(ToolResult& result, std::string_view call_id) const {
  if (result.long_output) show_ends(result);
  if (result.limit.is_unlimited() || result.stored) return;
  const std::size_t limit = result.limit.characters_max;
  if (result.blocks.empty()) {
    if (has_more_characters_than(result.text, limit)) store_text(result, call_id);
    return;
  }
  if (result_characters(result) <= limit) return;
  if (has_more_characters_than(result.text, kPreviewBytesMax)) store_text(result, call_id);
  store_blocks(result, call_id, limit - std::min(count_characters(result.text), limit));
}

ResultCost ResultStore::cost(const ToolResult& result) const {
  if (result.is_cut) return {.characters = result_characters(result)};
  const std::size_t words = kBlockWordsCharacters + folder_->path().size();
  const std::size_t around = words * (1 + result.blocks.size()) + count_characters(result.note);
  return {.characters = result_characters(result),
          .is_unlimited = result.limit.is_unlimited(),
          .with_preview = result.stored ? 0 : kPreviewBytesMax + around,
          .with_path = around};
}

void ResultStore::put_away(ToolResult& result, std::string_view call_id, Showing showing) const {
  const bool pays = has_more_characters_than(result_body(result), kBlockWordsCharacters);
  if (!result.stored && pays) store_text(result, call_id);
  if (result.stored && showing == Showing::path) {
    const StoredResult& stored = *result.stored;
    result.text =
        stored.before + persisted_block({.bytes = stored.bytes, .where = stored.where}) + stored.after + result.note;
  }
  store_blocks(result, call_id, 0);
}

}  // namespace deft
