#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "deft/tools/tool.h"

namespace deft {

// A tool made on the spot. What is not set is the contract's default.
class LambdaTool final : public Tool {
 public:
  struct Parts {
    ToolSpec spec;
    std::function<Result<ToolResult>(const Json&, ToolIo&)> run;
    std::function<bool(const Json&)> is_read_only = nullptr;
    std::function<std::optional<Footprint>(const Json&)> footprint = nullptr;
    std::function<Result<void>(const Json&, ToolIo&)> validate = nullptr;
    std::function<std::optional<Wait>(const Json&, ToolIo&)> wait_for = nullptr;
    std::function<std::optional<std::string>()> disabled = nullptr;
  };
  explicit LambdaTool(Parts parts) : parts_(std::move(parts)) {}

  const ToolSpec& spec() const override { return parts_.spec; }
  Result<ToolResult> run(const Json& input, ToolIo& io) override { return parts_.run(input, io); }
  bool is_read_only(const Json& input, const SessionView&) const override {
    return parts_.is_read_only && parts_.is_read_only(input);
  }
  std::optional<Footprint> footprint(const Json& input, const SessionView&) const override {
    return parts_.footprint ? parts_.footprint(input) : std::nullopt;
  }
  Result<void> validate(const Json& input, ToolIo& io) const override {
    return parts_.validate ? parts_.validate(input, io) : Result<void>();
  }
  std::optional<Wait> wait_for(const Json& input, ToolIo& io) const override {
    return parts_.wait_for ? parts_.wait_for(input, io) : std::nullopt;
  }
  std::optional<std::string> disabled() const override { return parts_.disabled ? parts_.disabled() : std::nullopt; }

 private:
  Parts parts_;
};

inline Json any_object_schema() { return JsonObject{{"type", "object"}}; }

}  // namespace deft
