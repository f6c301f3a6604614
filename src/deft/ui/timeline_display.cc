#include "deft/ui/timeline_display.h"

#include "deft/core/timeline_text.h"
#include "deft/ui/safe_display.h"

namespace deft {

std::string timeline_display(const Timeline& timeline, std::size_t width) {
  Timeline shown = timeline;
  for (TimelineCall& call : shown.calls) {
    call.title = safe_display(call.title);
    call.tool = safe_display(call.tool);
    call.error = safe_display(call.error);
  }
  return timeline_text(shown, width);
}

}  // namespace deft
