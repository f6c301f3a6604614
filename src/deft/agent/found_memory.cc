#include "deft/agent/found_memory.h"

#include "deft/base/closing_tag.h"

namespace deft {

void FoundMemory::begin_with(ProjectMemory memory) {
  const std::lock_guard lock(mutex_);
  if (!memory_) memory_.emplace(std::move(memory));
}

std::vector<std::string> FoundMemory::after_reading(const std::string& path) {
  const std::lock_guard lock(mutex_);
  if (!memory_) memory_.emplace(request_, files_);
  std::vector<std::string> texts;
  for (const MemoryFile& file : memory_->after_reading(path)) {
    texts.push_back("<system-reminder>People have written this down for you, about the place that you just read in:\n" +
                    without_closing_tag(memory_text({file}), "system-reminder") + "</system-reminder>");
  }
  return texts;
}

void FoundMemory::forget() {
  const std::lock_guard lock(mutex_);
  if (memory_) memory_->forget_what_was_read();
}

}  // namespace deft
