#include "deft/os/write_in_place.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include "deft/base/check.h"
#include "deft/os/file_descriptor.h"
#include "deft/os/in_place_journal.h"

namespace deft {

namespace {

bool overwrite(int fd, std::string_view bytes, bool sync) {
  return write_all(fd, bytes) && ::ftruncate(fd, static_cast<off_t>(bytes.size())) == 0 && (!sync || sync_data(fd));
}

// Reserves what the file will grow by, so that a full disk is noticed before the old content is touched.
bool reserve(int fd, std::size_t bytes) {
  return bytes == 0 || ::fallocate(fd, FALLOC_FL_KEEP_SIZE, 0, static_cast<off_t>(bytes)) == 0 || !is_disk_full(errno);
}

}  // namespace

Result<Replaced> write_in_place(int folder, const std::string& name, const ReplaceRequest& request, std::string why) {
  DEFT_CHECK(request.expected.has_value());
  const UniqueFd file(::openat(folder, name.c_str(), O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC | O_NOCTTY));
  if (!file) return std::unexpected(write_error(request.path, errno));
  const auto old = read_regular_file(file.get(), request.path, request.expected->size);
  if (!old || content_id(old->bytes).hash != request.expected->hash) {
    return std::unexpected(changed_meanwhile(request.path));
  }

  auto journal = InPlaceJournal::begin(request.journal_folder, request.path, old->bytes, request.bytes, request.sync);
  if (!journal) return std::unexpected(journal.error());
  if (!reserve(file.get(), request.bytes.size())) {
    journal->end();
    return std::unexpected(disk_full(request.path));
  }
  if (!overwrite(file.get(), request.bytes, request.sync)) {
    const int error_number = errno;
    if (overwrite(file.get(), old->bytes, request.sync)) {
      journal->end();
      return std::unexpected(write_error(request.path, error_number));
    }
    // The journal stays: its old content is put back when that can be done.
    return std::unexpected(system_error(Errc::io,
                                        "writing " + request.path + " failed half-way; its old content is kept in " +
                                            request.journal_folder + " and put back by the next session",
                                        error_number));
  }
  journal->end();
  struct stat written{};
  if (::fstat(file.get(), &written) != 0) return std::unexpected(write_error(request.path, errno));
  return Replaced{.status = status_of(written), .in_place_because = std::move(why)};
}

}  // namespace deft
