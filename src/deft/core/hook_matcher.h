#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "deft/base/match.h"
#include "deft/base/result.h"

namespace deft {

// Which subjects of an event a group of hooks is for. Nothing, "" and "*": all. Letters, digits, "_", "-", blanks, "|"
// and ",": a list of exact names. Anything else: a regular expression that is found anywhere in the subject.
class HookMatcher {
 public:
  HookMatcher() = default;  // all
  static Result<HookMatcher> parse(std::string_view text);

  // A name that a tool had once means the tool of today. Where an expression gives up, the answer is yes: it is safer
  // to run a hook too often.
  bool matches(std::string_view subject) const;
  const std::string& text() const { return text_; }

 private:
  std::string text_;
  std::vector<std::string> names_;
  std::shared_ptr<const Pattern> pattern_;  // shared by copies of the settings
};

}  // namespace deft
