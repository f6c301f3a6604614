#include "deft/tools/shown_image.h"

#include <algorithm>

#include "deft/os/picture_program.h"
#include "deft/tools/decoder.h"

namespace deft {

Result<ShownImage> shown_image(std::string bytes, const ImageInfo& info, const std::string& subject, ToolIo& io) {
  if (info.width == 0 || info.height == 0) {
    return fail(Errc::unsupported, subject + " is damaged: its header gives no size.");
  }
  const bool is_small = bytes.size() <= kImageBytesMax && std::max(info.width, info.height) <= kImageShownSidePointsMax;
  if (is_small) return ShownImage{std::move(bytes), info};
  if (std::uint64_t{info.width} * info.height > kImageDecodedPointsMax) {
    return fail(Errc::limit, subject + " is too large to be shown (" + std::to_string(info.width) + " x " +
                                 std::to_string(info.height) +
                                 " points): make a smaller copy with a program of its own and read that.");
  }
  const auto program = PictureProgram::put_into(io.session_folder);
  if (!program) return std::unexpected(program.error());
  auto scaled =
      run_decoder({.argv = {program->path(), std::to_string(kImageShownSidePointsMax), std::to_string(kImageBytesMax)},
                   .input = std::move(bytes),
                   .output_bytes_max = kImageBytesMax},
                  io);
  if (!scaled && scaled.error().code == Errc::cancelled) return std::unexpected(scaled.error());
  const auto result = scaled && scaled->exit_code == 0 ? image_info(scaled->output) : std::nullopt;
  if (!result) {
    return fail(Errc::unsupported, subject + " cannot be shown: it is damaged, or of a kind that is not known" +
                                       (scaled ? "" : " (" + scaled.error().message + ")") + ".");
  }
  return ShownImage{std::move(scaled->output), *result};
}

}  // namespace deft
