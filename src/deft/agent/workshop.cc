#include "deft/agent/workshop.h"

#include <filesystem>
#include <set>
#include <string_view>
#include <utility>

#include "deft/os/temporary_file.h"

namespace deft {
namespace {

constexpr std::size_t kFilesUnderWayMax = 100;  // looked at, those that were changed last

std::string temporary_parent() {
  std::error_code ec;
  const std::string path = std::filesystem::temp_directory_path(ec);
  return ec ? "/tmp" : path;
}

// A temporary session is never opened again: what it leaves half-written is found where all of them look.
std::string folder_of_writes_under_way(const WorkshopOptions& options) {
  return options.session_folder ? *options.session_folder + "/in-place" : "";
}

}  // namespace

Result<std::unique_ptr<Workshop>> Workshop::open(WorkshopOptions options) {
  std::optional<TemporarySession> temporary;
  if (!options.session_folder) {
    auto made = TemporarySession::make(temporary_parent());
    if (!made) return std::unexpected(made.error());
    temporary.emplace(std::move(*made));
  }
  return std::unique_ptr<Workshop>(new Workshop(std::move(options), std::move(temporary)));
}

Workshop::Workshop(WorkshopOptions options, std::optional<TemporarySession> temporary)
    : options_(std::move(options)),
      temporary_(std::move(temporary)),
      folder_(temporary_ ? temporary_->path() : *options_.session_folder),
      clock_(options_.clock ? *options_.clock : system_clock_),
      files_(options_.survives, folder_of_writes_under_way(options_)),
      results_(folder_, options_.quota, options_.survives),
      changes_(folder_, kBeforeImagesBytesMax, options_.survives),
      slots_(options_.slots) {}

void Workshop::remove_leftovers() {
  const auto changes = changes_.all();
  if (!changes) return;
  std::set<std::string_view> paths;
  for (auto change = changes->rbegin(); change != changes->rend() && paths.size() < kFilesUnderWayMax; ++change) {
    if (paths.insert(change->change.path).second) remove_leftovers_of(change->change.path);
  }
}

}  // namespace deft
