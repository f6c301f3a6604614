#include "deft/tools/shell_output.h"

#include <algorithm>
#include <utility>

#include "deft/base/text.h"
#include "deft/core/result_preview.h"

namespace deft {
namespace {

constexpr std::size_t kBytesPerCharacterMax = 4;
constexpr std::size_t kEndsBytesMax = std::size_t{16} << 10;  // of each, for any preview

}  // namespace

ShellOutput::ShellOutput(std::shared_ptr<OutputFolder> folder, const std::string& id, Keep keep,
                         std::size_t shown_characters_max)
    : folder_(std::move(folder)),
      growing_(folder_ ? folder_->grow(id, ".txt") : nullptr),
      keep_(keep),
      shown_characters_max_(std::min(shown_characters_max, kShellCharactersShownMax)),
      seen_(shown_characters_max_ * kBytesPerCharacterMax),
      new_(shown_characters_max_ * kBytesPerCharacterMax) {
  if (keep_ == Keep::all && growing_) growing_->publish();
}

void ShellOutput::add(std::string_view bytes) {
  size_ += bytes.size();
  if (raw_is_whole_) raw_ += bytes;
  const bool is_too_much = size_ > shown_characters_max_ * kBytesPerCharacterMax;
  cleaned_.clear();
  cleaner_.feed(bytes, cleaned_);
  seen_.add(cleaned_);
  new_.add(cleaned_);
  if (is_too_much || seen_.characters() > shown_characters_max_) {
    if (keep_ == Keep::long_output) keep_ = Keep::all;
  }
  if (keep_ == Keep::all) spill(raw_is_whole_ ? std::string_view(raw_).substr(spilled_) : bytes);
  if (is_too_much && raw_is_whole_) {
    raw_is_whole_ = false;
    raw_ = {};
  }
}

void ShellOutput::keep_all() {
  keep_ = Keep::all;
  if (raw_is_whole_) spill(std::string_view(raw_).substr(spilled_));
  if (growing_) growing_->publish();
}

void ShellOutput::spill(std::string_view bytes) {
  spilled_ += bytes.size();
  if (growing_) growing_->add(bytes);
}

void ShellOutput::finish() {
  if (std::exchange(is_finished_, true) || !growing_) return;
  if (keep_ == Keep::long_output && is_long()) {  // only its last line has made it so
    keep_ = Keep::all;
    spill(raw_);
  }
  if (keep_ != Keep::all) return;
  auto kept = growing_->finish();
  if (kept) {
    kept_ = std::move(*kept);
  } else {
    finish_problem_ = kept.error().message;
  }
}

const std::string& ShellOutput::file() const {
  static const std::string kNone;
  return growing_ ? growing_->path() : kNone;
}

std::string ShellOutput::problem() const {
  if (!growing_) return "this session keeps no files";
  return growing_->problem().empty() ? finish_problem_ : growing_->problem();
}

Excerpt ShellOutput::with_pending(const Excerpt& excerpt) const {
  Excerpt all = excerpt;
  all.add(cleaner_.pending());
  return all;
}

// Stray bytes count as none in the middle of output; but there are not many of them in what is whole.
bool ShellOutput::is_long() const {
  return !seen_.is_whole() || seen_.characters() + count_lead_bytes(cleaner_.pending()) > shown_characters_max_;
}

LongOutput ShellOutput::long_output() const {
  const Excerpt all = with_pending(seen_);
  return {.path = file(),
          .problem = problem(),
          .bytes = size_,
          .bytes_kept = growing_ ? growing_->bytes() : 0,
          .characters = all.characters(),
          .beginning = all.beginning(kEndsBytesMax),
          .end = all.end(kEndsBytesMax),
          .identity = kept_ ? kept_->original : ""};
}

std::string ShellOutput::shown(const Excerpt& excerpt) const {
  const Excerpt all = with_pending(excerpt);
  if (all.is_whole() && all.characters() <= shown_characters_max_) return all.whole();
  const std::string beginning = all.beginning(shown_characters_max_ / 2);
  const std::string end = all.end(shown_characters_max_ / 2);
  std::string note = "\n\n... " + human_bytes(all.size() - std::min(all.size(), beginning.size() + end.size())) +
                     " of " + human_bytes(all.size()) + " left out here. ";
  if (file().empty()) {
    note += "The full output could not be saved: " + problem() + ".";
  } else if (!problem().empty()) {
    note += "The first " + human_bytes(growing_->bytes()) + " are saved in: " + file();
  } else {
    note += "Full output saved to: " + file();
  }
  return beginning + note + " ...\n\n" + end;
}

std::string ShellOutput::text() const { return shown(seen_); }

std::string ShellOutput::take_new() {
  std::string text = shown(new_);
  new_.clear();
  return text;
}

std::string ShellOutput::last_lines(std::size_t bytes_max) const { return with_pending(seen_).end(bytes_max); }

}  // namespace deft
