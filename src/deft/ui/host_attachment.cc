#include "deft/ui/host_attachment.h"

#include <algorithm>
#include <optional>
#include <string_view>

#include "deft/base/base64.h"
#include "deft/core/image_info.h"
#include "deft/tools/shown_image.h"

namespace deft {
namespace {

std::string problem_with_picture(JsonObject& source, std::string_view data) {
  if (data.size() > kImageBase64BytesMax) return "it is larger than the model's API takes";
  const auto bytes = from_base64(data);
  const auto info = bytes ? image_info(*bytes) : std::nullopt;
  if (!bytes) return "its data is no base64";
  if (!info) return "it is no PNG, JPEG, GIF or WebP";
  if (info->width == 0 || info->height == 0) return "it is damaged";
  if (std::max(info->width, info->height) > kImageSidePointsMax) return "it is larger than the model's API takes";
  source["media_type"] = info->media_type;
  return {};
}

std::string problem_with_document(std::string_view data) {
  const auto bytes = from_base64(data);
  if (!bytes) return "its data is no base64";
  return bytes->starts_with("%PDF-") ? "" : "it is no PDF";
}

}  // namespace

std::string repair_attachment(Json& block) {
  const bool is_picture = find_string(block, "type") == "image";
  if (!is_picture && find_string(block, "type") != "document") return {};
  JsonObject& source = block.get_object()["source"].get_object();
  if (find_string(source, "type") != "base64") return {};
  const std::string_view data = find_string(source, "data").value_or("");
  const std::string problem = is_picture ? problem_with_picture(source, data) : problem_with_document(data);
  if (problem.empty()) return {};
  const std::string said = std::string(is_picture ? "a picture" : "a document") + " is left out: " + problem;
  block = JsonObject{{"type", "text"}, {"text", "[Here " + said + "]"}};
  return said;
}

}  // namespace deft
