#include "deft/model/openai_content.h"

#include <algorithm>

#include "deft/base/content_hash.h"
#include "deft/model/event_json.h"

namespace deft {
namespace {

std::string data_url(const Json& source) {
  return "data:" + string_or_empty(source, "media_type") + ";base64," + string_or_empty(source, "data");
}

std::optional<ContentPart> image_part(const Json& block) {
  const Json* source = find(block, "source");
  if (!source) return std::nullopt;
  const auto type = find_string(*source, "type");
  if (type == "base64") return ContentImage{data_url(*source)};
  if (type == "url") return ContentImage{string_or_empty(*source, "url")};
  return std::nullopt;
}

std::optional<ContentPart> document_part(const Json& block) {
  const Json* source = find(block, "source");
  if (!source) return std::nullopt;
  const auto type = find_string(*source, "type");
  std::string title = string_or_empty(block, "title");
  if (type == "text") return ContentText{(title.empty() ? "" : title + "\n\n") + string_or_empty(*source, "data")};
  if (type == "base64") return ContentFile{title.empty() ? "document.pdf" : title, data_url(*source)};
  if (type == "url") return ContentText{string_or_empty(*source, "url")};
  return std::nullopt;
}

std::optional<ContentPart> to_part(const Json& block) {
  const std::string_view type = find_string(block, "type").value_or(std::string_view());
  if (type == "text") return ContentText{string_or_empty(block, "text"), string_or_empty(block, "phase")};
  if (type == "image") return image_part(block);
  if (type == "document") return document_part(block);
  if (type == "refusal") return ContentText{string_or_empty(block, "refusal")};
  if (type == "search_result") return ContentText{to_json(block)};
  if (type == "tool_reference")
    return ContentText{"The tool " + string_or_empty(block, "tool_name") + " can be called now."};
  return std::nullopt;
}

ContentResult to_result(const Json& block) {
  ContentResult result{openai_call_id(find_string(block, "tool_use_id").value_or(std::string_view())), {}};
  const Json* content = find(block, "content");
  if (content && content->is_string()) result.parts.emplace_back(ContentText{std::string(view(content->get_string()))});
  if (content && content->is_array()) {
    for (const Json& one : content->get_array()) {
      if (auto part = to_part(one)) result.parts.push_back(std::move(*part));
    }
  }
  return result;
}

std::optional<ContentItem> to_item(const Json& block, std::string_view text) {
  const std::string_view type = find_string(block, "type").value_or(std::string_view());
  if (type == "tool_use") {
    return ContentCall{openai_call_id(find_string(block, "id").value_or(std::string_view())),
                       string_or_empty(block, "name"), std::string(raw_member(text, "input").value_or("{}")),
                       raw_member(text, "extra_content").value_or(std::string_view())};
  }
  if (type == "tool_result") return to_result(block);
  if (type == "thinking" || type == "reasoning.encrypted") return ContentThought{text};
  if (type.ends_with("_call") || type.ends_with("_call_output")) return ContentOther{text};
  if (auto part = to_part(block)) return std::move(*part);
  return std::nullopt;
}

}  // namespace

std::vector<ContentItem> content_items(std::string_view content) {
  std::vector<ContentItem> items;
  const auto json = parse_json(content);
  if (!json || !json->is_array()) return items;
  const auto texts = raw_elements(content);
  for (std::size_t i = 0; i < texts.size(); ++i) {
    if (auto item = to_item(json->get_array()[i], texts[i])) items.push_back(std::move(*item));
  }
  return items;
}

std::string joined_text(const std::vector<ContentPart>& parts) {
  std::string out;
  for (const ContentPart& part : parts) {
    const auto* text = std::get_if<ContentText>(&part);
    if (!text || text->text.empty()) continue;
    if (!out.empty()) out += "\n\n";
    out += text->text;
  }
  return out;
}

bool is_all_text(const std::vector<ContentPart>& parts) {
  return std::ranges::all_of(parts, [](const ContentPart& part) { return std::holds_alternative<ContentText>(part); });
}

std::string parts_json(const std::vector<ContentPart>& parts, std::string (*part_json)(const ContentPart&)) {
  if (is_all_text(parts)) return json_quote(joined_text(parts));
  std::string out = "[";
  for (const ContentPart& part : parts) {
    if (out.size() > 1) out += ',';
    out += part_json(part);
  }
  return out + "]";
}

std::string openai_call_id(std::string_view id) {
  constexpr std::size_t kHashDigits = 8;
  if (id.size() <= kOpenAiCallIdBytesMax) return std::string(id);
  return std::string(id.substr(0, kOpenAiCallIdBytesMax - kHashDigits - 1)) + "_" +
         content_hash(id).substr(0, kHashDigits);
}

void append_member(std::string& out, std::string_view key, std::string_view json) {
  if (!out.ends_with('{')) out += ',';
  append_json_string(out, key);
  out += ':';
  out += json;
}

std::string openai_effort(std::string_view effort) { return effort == "max" ? "xhigh" : std::string(effort); }

}  // namespace deft
