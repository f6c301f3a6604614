#include "deft/tools/sleep.h"

#include <array>
#include <cstdio>

namespace deft {
namespace {

constexpr double kSleepSecondsMax = 3600;

class SleepTool final : public Tool {
 public:
  const ToolSpec& spec() const override { return spec_; }
  bool is_read_only(const Json&, const SessionView&) const override { return true; }
  bool is_session_only(const Json&) const override { return true; }
  std::optional<Footprint> footprint(const Json&, const SessionView&) const override { return Footprint::nothing(); }
  std::optional<Wait> wait_for(const Json& input, ToolIo&) const override {
    return Wait{.at_most = std::chrono::duration_cast<Duration>(std::chrono::duration<double>(seconds(input)))};
  }
  Result<ToolResult> run(const Json& input, ToolIo&) override {
    std::array<char, 64> text{};
    std::snprintf(text.data(), text.size(), "Slept %g s.", seconds(input));
    return ToolResult{.text = text.data(), .details = JsonObject{{"seconds", seconds(input)}}};
  }
  Result<void> validate(const Json& input, ToolIo&) const override {
    if ((find(input, "seconds") != nullptr) != (find(input, "duration_ms") != nullptr)) return {};
    return fail(Errc::invalid_input, "InputValidationError: Give the time once, as seconds or as duration_ms.");
  }
  std::string render_use(const Json& input) const override {
    std::array<char, 64> text{};
    std::snprintf(text.data(), text.size(), "Sleep(%g s)", seconds(input));
    return text.data();
  }

 private:
  static double seconds(const Json& input) {
    if (const auto seconds = find_number(input, "seconds")) return *seconds;
    return find_number(input, "duration_ms").value_or(0) / 1000;
  }

  const ToolSpec spec_{
      .name = "Sleep",
      .description =
          "Waits for a number of seconds without keeping anything else from running. A new message of the "
          "user ends it early. Use it instead of a shell's sleep.",
      .input_schema = JsonObject{{"type", "object"},
                                 {"properties",
                                  {{"seconds",
                                    {{"type", "number"},
                                     {"minimum", 0},
                                     {"maximum", kSleepSecondsMax},
                                     {"description", "How long to wait, in seconds; fractions are fine."}}},
                                   {"duration_ms",
                                    {{"type", "number"},
                                     {"minimum", 0},
                                     {"maximum", kSleepSecondsMax * 1000},
                                     {"description", "The same in milliseconds; give one of the two."}}}}},
                                 {"additionalProperties", false}},
      .search_hint = "wait pause delay timer",
      .on_interrupt = OnInterrupt::cancel};
};

}  // namespace

std::shared_ptr<Tool> make_sleep_tool() { return std::make_shared<SleepTool>(); }

}  // namespace deft
