#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "deft/agent/prompt.h"

namespace deft {

inline constexpr std::size_t kFormFieldsMax = 100;

// What a server wants of a person, at a plain terminal, line by line: a form, field after field; a page to visit; or
// whether it may ask the model. The server's words are a stranger's: shown by safe_display(), and under its name. Pure.
class ServerDialog {
 public:
  explicit ServerDialog(ServerAsked asked);

  const std::string& id() const { return asked_.id; }
  std::string opening() const;
  struct Step {
    std::string text;
    std::optional<ServerAnswer> answer;
  };
  Step take_line(std::string_view line);

 private:
  enum class State : std::uint8_t { choice, fields };
  struct Field {
    std::string name;
    Json schema;
    bool is_required = false;
  };

  Step begin_form();
  Step take_field(std::string_view line);
  Step end_form();
  std::string field_prompt() const;
  ServerAnswer answer(ServerAnswer::Action action, Json content = {}) const;

  const ServerAsked asked_;
  State state_ = State::choice;
  std::vector<Field> fields_;
  std::size_t next_ = 0;
  JsonObject content_;
};

}  // namespace deft
