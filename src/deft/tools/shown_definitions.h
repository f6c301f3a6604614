#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "deft/base/shared_text.h"
#include "deft/tools/registry.h"

namespace deft {

// What the model is told of the tool now.
std::string description_of(const Tool& tool, const SessionState& session);

// The definitions of tools that go with every request: the same text as long as nothing in it has changed.
class ShownDefinitions {
 public:
  // True: they were worked out anew. text() has them.
  bool update(const std::shared_ptr<const ToolPool>& pool, const SessionState& session);
  const SharedText& text() const { return text_; }

 private:
  using Descriptions = std::vector<std::optional<SharedText>>;

  std::shared_ptr<const ToolPool> pool_;
  std::vector<std::string> loaded_;
  std::size_t listed_ = 0;
  Descriptions descriptions_;  // those that the session has its own of, by tool
  SharedText text_;
};

}  // namespace deft
