#pragma once

#include <memory>
#include <string_view>

#include "deft/tools/file_change_observer.h"
#include "deft/tools/tool.h"

namespace deft {

// Changes several files by one patch, all or none; see core/apply_patch.h. For models that were trained on it, in the
// place of Edit.
std::shared_ptr<Tool> make_apply_patch_tool(std::shared_ptr<FileChangeObserver> observer = nullptr);

// By what the model is called, whoever offers it: "gpt-5.1-codex", "openai/gpt-4.1".
bool is_trained_on_patches(std::string_view model);

}  // namespace deft
