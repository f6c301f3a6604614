#include "deft/agent/given_results.h"

#include <algorithm>
#include <utility>

#include "deft/core/message_content.h"
#include "deft/core/result_size.h"

namespace deft {

std::string content_of_answers(const std::vector<CallAnswered>& answers) {
  std::size_t size = 2;
  for (const CallAnswered& answer : answers) size += result_block_size(answer.call_id, answer.result);
  std::string content;
  content.reserve(size);
  for (const CallAnswered& answer : answers) {
    content += content.empty() ? '[' : ',';
    append_result_block(content, answer.call_id, answer.result);
  }
  if (!content.empty()) content += ']';
  return content;
}

void GivenResults::leave(Leaving call, ToolResult& result) {
  if (options_.budget == ResultOptions::Budget::request) {
    left_.insert_or_assign(call.call_id, std::move(call));
    return;
  }
  const bool is_remarked = remark(call, result);
  const ResultCost cost = store_.cost(result);
  const std::size_t message_max = options_.limits.message_max;
  const ResultShare share = fit_into(cost, message_max - std::min(used_, message_max));
  show(result, call.call_id, share);
  used_ += share_characters(cost, share);
  if (!is_remarked && share.showing == Showing::as_it_is) return;
  if (const auto written = journal_.shown(call.call_id, result); !written) {
    frontend_.show(Notice{written.error().message});
  }
}

std::vector<bool> GivenResults::fit(std::vector<CallAnswered>& answers) {
  const auto left = std::exchange(left_, {});
  std::vector<bool> changed(answers.size());
  std::vector<ResultCost> costs;
  costs.reserve(answers.size());
  for (std::size_t i = 0; i < answers.size(); ++i) {
    const auto call = left.find(answers[i].call_id);
    changed[i] = call != left.end() && remark(call->second, answers[i].result);
    costs.push_back(store_.cost(answers[i].result));
  }
  const std::vector<ResultShare> shares = fit_message(costs, options_.limits.message_max);
  for (std::size_t i = 0; i < answers.size(); ++i) {
    show(answers[i].result, answers[i].call_id, shares[i]);
    changed[i] = changed[i] || shares[i].showing != Showing::as_it_is;
  }
  shown_.end_message();
  return changed;
}

// What is there already, and what goes in circles.
bool GivenResults::remark(const Leaving& call, ToolResult& result) {
  if (!options_.is_in_context) return false;
  const ResultRemarks remarks = shown_.add({.call_id = call.call_id,
                                            .title = call.title,
                                            .call_key = call.call_key,
                                            .identity = result.identity,
                                            .characters = result_characters(result),
                                            .read_only = call.changed_nothing,
                                            .waited = call.waited});
  const bool refers = remarks.instead && options_.refers_to_earlier;
  if (refers) {
    result.text = *remarks.instead + result.note;
    result.blocks.clear();
  }
  if (remarks.note.empty()) return refers;
  const std::string note = "\n\n" + remarks.note;
  result.text += note;
  result.note += note;
  return true;
}

void GivenResults::show(ToolResult& result, const std::string& call_id, const ResultShare& share) {
  switch (share.showing) {
    case Showing::as_it_is: return;
    case Showing::preview:
    case Showing::path: store_.put_away(result, call_id, share.showing); break;
    case Showing::cut: cut_result(result, share.characters_max, options_.limits.message_max); break;
  }
  hidden_files_.insert(hidden_files_.end(), result.shows_files.begin(), result.shows_files.end());
}

void GivenResults::discard_message() {
  shown_.discard_message();
  left_.clear();
}

void GivenResults::end_message() {
  if (options_.budget == ResultOptions::Budget::leaving) shown_.end_message();
  used_ = 0;
}

}  // namespace deft
