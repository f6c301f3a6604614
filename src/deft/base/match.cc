#include "deft/base/match.h"

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

#include <algorithm>
#include <array>
#include <limits>

#include "deft/base/check.h"

// PCRE2's own match limit counts backtracking points, not the characters run over between them, so `.*.*.*x` on a long
// text takes limit times length. We therefore compile with automatic callouts (one before each item of the pattern)
// and count there: one step per item, and a share of the characters moved over. What an item compares and then fails on
// moves nothing; `a{9000}` and `\1` are therefore dearer from the start. That bounds time whatever the pattern is, and
// lets many searches share one budget.

namespace deft {
namespace {

constexpr std::uint32_t kCompileOptions = PCRE2_UTF | PCRE2_AUTO_CALLOUT | PCRE2_DOLLAR_ENDONLY | PCRE2_ALT_BSUX |
                                          PCRE2_MATCH_UNSET_BACKREF | PCRE2_ALLOW_EMPTY_CLASS | PCRE2_NEVER_BACKSLASH_C;
constexpr std::uint64_t kScannedBytesPerStep = 16;  // plain comparing is that much faster than a step

template <auto function>
struct Release {
  template <class T>
  void operator()(T* object) const {
    function(object);
  }
};
using CompileSettings = std::unique_ptr<pcre2_compile_context, Release<pcre2_compile_context_free>>;
using MatchSettings = std::unique_ptr<pcre2_match_context, Release<pcre2_match_context_free>>;
using MatchData = std::unique_ptr<pcre2_match_data, Release<pcre2_match_data_free>>;

struct Meter {
  std::uint64_t steps_left;
  std::uint64_t steps_per_item;
  std::size_t position = 0;
};

int count_step(pcre2_callout_block* block, void* data) {
  Meter& meter = *static_cast<Meter*>(data);
  const std::size_t now = block->current_position;
  const std::size_t moved = now > meter.position ? now - meter.position : meter.position - now;
  meter.position = now;
  const std::uint64_t steps = meter.steps_per_item + moved / kScannedBytesPerStep;
  if (steps > meter.steps_left) {
    meter.steps_left = 0;
    return PCRE2_ERROR_MATCHLIMIT;
  }
  meter.steps_left -= steps;
  return 0;
}

std::string error_text(int code) {
  std::array<PCRE2_UCHAR, 256> buffer{};
  pcre2_get_error_message(code, buffer.data(), buffer.size());
  return reinterpret_cast<const char*>(buffer.data());
}

// The largest number in the pattern, so also the largest in braces; too large an answer only makes a search a little
// dearer.
std::size_t largest_repeat(std::string_view pattern) {
  std::size_t largest = 0;
  std::size_t number = 0;
  for (const char c : pattern) {
    const bool digit = c >= '0' && c <= '9';
    number = digit ? std::min<std::size_t>(number * 10 + static_cast<std::size_t>(c - '0'), 1'000'000) : 0;
    largest = std::max(largest, number);
  }
  return largest;
}

PCRE2_SPTR bytes(std::string_view text) { return reinterpret_cast<PCRE2_SPTR>(text.data()); }

}  // namespace

void Pattern::Free::operator()(pcre2_real_code_8* code) const { pcre2_code_free(code); }

Pattern::Pattern(std::string_view text, pcre2_real_code_8* code)
    : text_(text), code_(code), blind_run_max_(largest_repeat(text)) {
  std::uint32_t back_references = 0;
  pcre2_pattern_info(code, PCRE2_INFO_BACKREFMAX, &back_references);
  if (back_references > 0) blind_run_max_ = std::numeric_limits<std::size_t>::max();
}

Result<Pattern> Pattern::compile(std::string_view pattern) {
  if (pattern.size() > kPatternBytesMax) {
    return fail(Errc::limit, "the pattern is longer than " + std::to_string(kPatternBytesMax) + " bytes");
  }
  if (pattern.data() == nullptr) pattern = "";
  const CompileSettings settings(pcre2_compile_context_create(nullptr));
  DEFT_CHECK(settings);
  pcre2_set_newline(settings.get(), PCRE2_NEWLINE_ANYCRLF);  // JavaScript's dot stops at both
  pcre2_set_compile_extra_options(settings.get(), PCRE2_EXTRA_ALT_BSUX);

  int error = 0;
  std::size_t offset = 0;
  pcre2_code* code = pcre2_compile(bytes(pattern), pattern.size(), kCompileOptions, &error, &offset, settings.get());
  if (!code) {
    return fail(Errc::invalid_input,
                "the pattern is not valid at byte " + std::to_string(offset) + ": " + error_text(error));
  }
  return Pattern(pattern, code);
}

std::size_t Pattern::compiled_bytes() const {
  std::size_t bytes_taken = 0;
  pcre2_pattern_info(code_.get(), PCRE2_INFO_SIZE, &bytes_taken);
  return bytes_taken;
}

Match Pattern::search(std::string_view text) const {
  std::uint64_t steps_left = kPatternStepsMax;
  return search(text, steps_left);
}

Match Pattern::search(std::string_view text, std::uint64_t& steps_left) const {
  if (text.data() == nullptr) text = "";
  const std::uint64_t first = 1 + text.size() / kScannedBytesPerStep;
  if (first > steps_left) {
    steps_left = 0;
    return Match::gave_up;
  }
  Meter meter{.steps_left = std::min(steps_left - first, kPatternStepsMax),
              .steps_per_item = 1 + std::min(text.size(), blind_run_max_) / kScannedBytesPerStep};
  const std::uint64_t granted = meter.steps_left;

  const MatchSettings settings(pcre2_match_context_create(nullptr));
  const MatchData found(pcre2_match_data_create(1, nullptr));
  DEFT_CHECK(settings && found);
  pcre2_set_callout(settings.get(), count_step, &meter);
  pcre2_set_depth_limit(settings.get(), kPatternDepthMax);
  pcre2_set_heap_limit(settings.get(), kPatternHeapKibMax);

  const int result = pcre2_match(code_.get(), bytes(text), text.size(), 0, 0, found.get(), settings.get());
  steps_left -= first + (granted - meter.steps_left);
  if (result >= 0) return Match::yes;
  return result == PCRE2_ERROR_NOMATCH ? Match::no : Match::gave_up;
}

}  // namespace deft
