#include "deft/config/result_settings.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

#include "deft/config/wrong_setting.h"

namespace deft {
namespace {

constexpr std::int64_t kCharactersMin = 1'000;
constexpr std::int64_t kCharactersMax = 100'000'000;
constexpr std::int64_t kMegabytesMax = std::int64_t{1} << 30;
constexpr std::int64_t kFileMegabytesMax = 64;  // more than that Read could not look into
constexpr std::int64_t kDaysMax = 100'000;

Result<std::optional<std::int64_t>> parse_number(const Json& object, std::string_view key, const std::string& full_key,
                                                 std::int64_t least, std::int64_t most) {
  const Json* value = find(object, key);
  if (!value) return std::nullopt;
  const auto number = find_int(object, key);
  if (!number || *number < least || *number > most) {
    return wrong_setting(full_key, "a whole number from " + std::to_string(least) + " to " + std::to_string(most),
                         *value);
  }
  return number;
}

Result<std::optional<KeptPart>> parse_preview(const Json& object, const std::string& full_key) {
  const Json* value = find(object, "preview");
  if (!value) return std::nullopt;
  const std::string_view word = value->is_string() ? view(value->get_string()) : "";
  if (word == "start") return KeptPart::start;
  if (word == "end") return KeptPart::end;
  if (word == "both") return KeptPart::both;
  return wrong_setting(full_key, "\"start\", \"end\" or \"both\"", *value);
}

// A number, "unlimited", or {"maxChars": either, "preview"}.
Result<ToolResultLimit> parse_tool(const Json& given, const std::string& full_key) {
  const JsonObject wrapped{{"maxChars", given}};
  const bool is_object = given.is_object();
  const Json object = is_object ? given : Json(wrapped);
  const std::string number_key = is_object ? full_key + ".maxChars" : full_key;
  ToolResultLimit limit;
  if (find_string(object, "maxChars") == "unlimited") {
    limit.characters_max = kUnlimited;
  } else {
    const auto number = parse_number(object, "maxChars", number_key, kCharactersMin, kCharactersMax);
    if (!number) return std::unexpected(number.error());
    if (*number) limit.characters_max = static_cast<std::size_t>(**number);
  }
  auto kept = parse_preview(object, full_key + ".preview");
  if (!kept) return std::unexpected(kept.error());
  limit.kept = *kept;
  return limit;
}

Result<void> parse_tools(const Json& tools, ResultSettings& settings) {
  if (!tools.is_object()) return wrong_setting("results.tools", "an object", tools);
  for (const auto& [name, given] : tools.get_object()) {
    const std::string tool(name.data(), name.size());
    auto limit = parse_tool(given, "results.tools." + tool);
    if (!limit) return std::unexpected(limit.error());
    settings.limits.tools.emplace(tool, *limit);
  }
  return {};
}

Result<void> parse_results(const Json& results, ResultSettings& settings) {
  if (!results.is_object()) return wrong_setting("results", "an object", results);
  const std::pair<std::string_view, std::size_t*> sizes[] = {{"maxChars", &settings.limits.single_max},
                                                             {"messageMaxChars", &settings.limits.message_max}};
  for (const auto& [key, into] : sizes) {
    const auto number = parse_number(results, key, "results." + std::string(key), kCharactersMin, kCharactersMax);
    if (!number) return std::unexpected(number.error());
    if (*number) *into = static_cast<std::size_t>(**number);
  }
  const struct {
    std::string_view key;
    std::int64_t most;
    std::optional<std::uint64_t>& into;
  } quotas[] = {{"fileMaxMb", kFileMegabytesMax, settings.file_mb},
                {"sessionMaxMb", kMegabytesMax, settings.session_mb},
                {"diskFreeMb", kMegabytesMax, settings.disk_free_mb}};
  for (const auto& [key, most, into] : quotas) {
    const auto number = parse_number(results, key, "results." + std::string(key), 0, most);
    if (!number) return std::unexpected(number.error());
    if (*number) into = static_cast<std::uint64_t>(**number);
  }
  const auto kept = parse_preview(results, "results.preview");
  if (!kept) return std::unexpected(kept.error());
  if (*kept) settings.limits.kept = **kept;
  if (const Json* dedupe = find(results, "dedupe")) {
    if (!dedupe->is_bool()) return wrong_setting("results.dedupe", "true or false", *dedupe);
    settings.refers_to_earlier = dedupe->get_bool();
  }
  const Json* tools = find(results, "tools");
  return tools ? parse_tools(*tools, settings) : Result<void>();
}

}  // namespace

Result<ResultSettings> parse_result_settings(const Json& settings) {
  ResultSettings parsed;
  if (const Json* results = find(settings, "results")) {
    if (auto good = parse_results(*results, parsed); !good) return std::unexpected(good.error());
  }
  const auto days = parse_number(settings, "cleanupPeriodDays", "cleanupPeriodDays", 0, kDaysMax);
  if (!days) return std::unexpected(days.error());
  if (*days) parsed.cleanup_days = std::max<std::int64_t>(1, **days);
  return parsed;
}

}  // namespace deft
