#include "deft/os/picture_program.h"

#include <fcntl.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>

#include "deft/os/file_descriptor.h"
#include "deft/os/unique_fd.h"

extern "C" {
extern const char deft_picture_image_begin[];
extern const char deft_picture_image_end[];
}

namespace deft {

namespace {

constexpr std::string_view kName = "/deft-picture";

bool may_start_programs_in(const std::string& folder) {
  struct statvfs found{};
  return ::statvfs(folder.c_str(), &found) == 0 && (found.f_flag & ST_NOEXEC) == 0;
}

bool write_program(const std::string& path) {
  const UniqueFd file(::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0700));
  const auto size = static_cast<std::size_t>(deft_picture_image_end - deft_picture_image_begin);
  return file && write_all(file.get(), {deft_picture_image_begin, size});
}

}  // namespace

Result<PictureProgram> PictureProgram::put_into(std::string_view folder) {
  int error = ENOENT;
  for (const std::string& candidate : {std::string(folder), std::string("/tmp"), std::string("/var/tmp")}) {
    if (candidate.empty() || !may_start_programs_in(candidate)) continue;
    std::string own = candidate + "/picture-XXXXXX";
    if (::mkdtemp(own.data()) == nullptr) {  // 0700
      error = errno;
      continue;
    }
    PictureProgram program(std::move(own));
    if (write_program(program.path())) return program;
    error = errno;
  }
  return std::unexpected(system_error(Errc::io, "pictures can't be decoded: no place for the program", error));
}

PictureProgram::~PictureProgram() {
  if (folder_.empty()) return;
  ::unlink(path().c_str());
  ::rmdir(folder_.c_str());
}

std::string PictureProgram::path() const { return folder_ + std::string(kName); }

}  // namespace deft
