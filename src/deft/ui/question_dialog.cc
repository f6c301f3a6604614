#include "deft/ui/question_dialog.h"

#include <charconv>
#include <utility>
#include <vector>

#include "deft/ui/safe_display.h"

namespace deft {
namespace {

std::string_view trimmed(std::string_view text) {
  while (text.starts_with(' ') || text.starts_with('\t')) text.remove_prefix(1);
  while (text.ends_with(' ') || text.ends_with('\t') || text.ends_with('\r')) text.remove_suffix(1);
  return text;
}

// "1,3" as numbers; nothing if it is something else.
std::optional<std::vector<std::size_t>> numbers_in(std::string_view line) {
  std::vector<std::size_t> numbers;
  while (true) {
    const std::size_t comma = std::min(line.find(','), line.size());
    const std::string_view piece = trimmed(line.substr(0, comma));
    std::size_t number = 0;
    const auto [end, error] = std::from_chars(piece.data(), piece.data() + piece.size(), number);
    if (error != std::errc() || end != piece.data() + piece.size()) return std::nullopt;
    numbers.push_back(number);
    if (comma == line.size()) return numbers;
    line.remove_prefix(comma + 1);
  }
}

}  // namespace

QuestionDialog::QuestionDialog(const Json& input) {
  if (input.is_object()) input_ = input.get_object();
}

std::size_t QuestionDialog::count() const {
  const Json* questions = input_.if_contains("questions");
  return questions && questions->is_array() ? questions->get_array().size() : 0;
}

const Json& QuestionDialog::question() const { return input_.at("questions").get_array()[next_]; }

std::string QuestionDialog::prompt() const {
  if (is_done()) return {};
  std::string out = "\n" + safe_display(find_string(question(), "question").value_or("")) + "  (" +
                    std::to_string(next_ + 1) + " of " + std::to_string(count()) + ")\n";
  std::size_t number = 0;
  if (const JsonArray* options = find_array(question(), "options")) {
    for (const Json& option : *options) {
      out += "  " + std::to_string(++number) + ". " + safe_display(find_string(option, "label").value_or(""));
      const std::string_view description = find_string(option, "description").value_or("");
      out += (description.empty() ? "" : ": " + safe_display(description)) + "\n";
    }
  }
  const bool several = find_bool(question(), "multiSelect").value_or(false);
  return out + (several ? "numbers with commas, or your own words > " : "a number, or your own words > ");
}

std::string QuestionDialog::take_line(std::string_view line) {
  line = trimmed(line);
  if (line.empty()) return prompt();
  std::string answer(line);
  const auto numbers = numbers_in(line);
  const JsonArray* options = find_array(question(), "options");
  if (numbers && options) {
    const bool several = find_bool(question(), "multiSelect").value_or(false);
    if (numbers->size() > 1 && !several) return "only one may be chosen\n" + prompt();
    answer.clear();
    for (const std::size_t number : *numbers) {
      if (number < 1 || number > options->size()) return "there is no " + std::to_string(number) + "\n" + prompt();
      answer += (answer.empty() ? "" : ", ") + std::string(find_string((*options)[number - 1], "label").value_or(""));
    }
  }
  answers_[find_string(question(), "question").value_or("")] = answer;
  ++next_;
  return prompt();
}

Json QuestionDialog::answered() const {
  JsonObject whole = input_;
  whole["answers"] = answers_;
  return whole;
}

}  // namespace deft
