#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

#include "deft/base/result.h"
#include "deft/core/hook_answer.h"

namespace deft {

inline constexpr std::size_t kHookTextCharactersMax = 10'000;
inline constexpr std::size_t kHookPreviewBytesMax = 2'000;
inline constexpr std::size_t kHookTextsKeptMax = 1'000;  // of one session

// Writes a text down and says where; the real one is keep_hook_text().
using KeepText = std::function<Result<std::string>(std::string_view text)>;

// What a hook says is passed on up to kHookTextCharactersMax characters. Of a longer text the start is passed on, with
// the file that holds all of it.
std::string bounded_hook_text(std::string text, const KeepText& keep);
void bound_answer(HookAnswer& answer, const KeepText& keep);

// In the folder hook-output of the session's folder, which is made, for the user alone; never over another file.
Result<std::string> keep_hook_text(const std::string& session_folder, std::string_view name, std::string_view text);

}  // namespace deft
