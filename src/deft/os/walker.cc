#include "deft/os/walker.h"

#include <fcntl.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <condition_variable>
#include <cstring>
#include <exception>
#include <memory>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "deft/os/files.h"
#include "deft/os/folder_ignores.h"
#include "deft/os/folder_listing.h"
#include "deft/os/open_without_links.h"
#include "deft/os/unique_fd.h"

// A walk is a heap of jobs: list a folder, or visit some files of one. Whoever lists a folder puts its subfolders on
// the heap and visits its files himself, unless they are many. The newest job is taken first, so that the heap stays
// small and few folders are open at a time.

namespace deft {
namespace {

constexpr int kListFlags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC;
constexpr std::size_t kFilesPerJob = 64;
constexpr std::size_t kOpenFoldersMax = 64;   // the subfolders of further ones are opened by their path
constexpr std::size_t kJobsPerHelper = 4;     // so many must wait before another thread is worth starting
constexpr std::size_t kJobsWaitingMax = 256;  // with more of them, files are visited by the one who lists

// Counts the folders that are kept open.
class OpenCount {
 public:
  explicit OpenCount(std::atomic<std::size_t>& count) : count_(count) { ++count_; }
  ~OpenCount() { --count_; }
  OpenCount(const OpenCount&) = delete;
  OpenCount& operator=(const OpenCount&) = delete;

 private:
  std::atomic<std::size_t>& count_;
};

struct Folder {
  std::string path;  // from the root, with a slash at its end; empty: the root
  FolderIgnores::Ptr rules;
  UniqueFd fd = {};  // none: see kOpenFoldersMax
  std::unique_ptr<OpenCount> counted = nullptr;
};
using FolderPtr = std::shared_ptr<const Folder>;

// Names with their kind before and a zero byte behind each.
class FileNames {
 public:
  void add(const char* name, bool is_link) {
    text_ += is_link ? 'l' : 'f';
    text_ += name;
    text_ += '\0';
    ++count_;
  }
  std::size_t count() const { return count_; }
  template <class Visit>
  void each(const Visit& visit) const {
    for (const char* at = text_.data(); at < text_.data() + text_.size(); at += std::strlen(at) + 1) {
      if (!visit(at + 1, *at == 'l')) return;
    }
  }

 private:
  std::string text_;
  std::size_t count_ = 0;
};

struct Job {
  FolderPtr folder;
  std::string subfolder;  // list this one; empty: visit the files
  FileNames files;
};

bool is_kernels_own(std::string_view path) { return path == "/proc" || path == "/sys"; }

class Walk {
 public:
  Walk(const WalkOptions& options, WalkVisitor& visitor)
      : options_(options),
        visitor_(visitor),
        root_prefix_(options.root == "/" ? "/" : options.root + "/"),
        workers_max_(options.workers_max) {}

  Result<WalkReport> run() {
    UniqueFd root = open_without_links(options_.root, O_RDONLY | O_DIRECTORY | O_NONBLOCK);
    if (!root && errno == ENOENT) return std::unexpected(no_such_file(options_.root));
    if (!root) return std::unexpected(system_error(Errc::io, "cannot list " + options_.root, errno));
    Worker first{.number = 0};
    {
      FolderIgnores::Ptr rules;
      if (options_.respect_ignore_files) {
        rules = FolderIgnores::around(options_.root, options_.home, options_.xdg_config_home);
      }
      unfinished_ = 1;
      do_safely([&] { list(std::move(root), "", std::move(rules), first); });
      finish_one();
    }
    work(first);
    helpers_.clear();  // joins them; they end when all is done
    if (failure_) std::rethrow_exception(failure_);
    return std::move(report_);
  }

 private:
  struct Worker {
    std::size_t number;
    FolderListing listing = {};
    std::string path = {};  // room for one, absolute
  };

  // ---- jobs

  void push(Job job) {
    {
      const std::lock_guard lock(mutex_);
      jobs_.push_back(std::move(job));
      waiting_ = jobs_.size();
      ++unfinished_;
      const std::size_t workers = helpers_.size() + 1;
      if (workers < workers_max_ && jobs_.size() >= kJobsPerHelper * workers) start_helper(workers);
    }
    changed_.notify_one();
  }

  // Under mutex_. Without another thread it takes longer, that is all.
  void start_helper(std::size_t number) {
    try {
      helpers_.emplace_back([this, number] {
        Worker worker{.number = number};
        work(worker);
      });
    } catch (const std::system_error&) {
      workers_max_ = number;
    }
  }

  void work(Worker& worker) {
    while (true) {
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [this] { return !jobs_.empty() || unfinished_ == 0; });
      if (jobs_.empty()) return;
      Job job = std::move(jobs_.back());
      jobs_.pop_back();
      waiting_ = jobs_.size();
      lock.unlock();
      do_safely([&] { do_job(job, worker); });
      job = {};  // closes its folder before another one is opened
      finish_one();
    }
  }

  void finish_one() {
    const std::lock_guard lock(mutex_);
    if (--unfinished_ == 0) changed_.notify_all();
  }

  // An exception in a helper must not end the process; the caller gets it.
  template <class Work>
  void do_safely(const Work& work_to_do) {
    if (stopped()) return;
    try {
      work_to_do();
    } catch (...) {
      const std::lock_guard lock(mutex_);
      if (!failure_) failure_ = std::current_exception();
      failed_ = true;
    }
  }

  bool stopped() const { return failed_ || options_.stop.stop_requested(); }

  void do_job(const Job& job, Worker& worker) {
    if (job.subfolder.empty()) return visit_files(*job.folder, job.files, worker);
    const std::string path = job.folder->path + job.subfolder;
    UniqueFd fd = job.folder->fd ? UniqueFd(::openat(job.folder->fd.get(), job.subfolder.c_str(), kListFlags))
                                 : open_without_links(root_prefix_ + path, O_RDONLY | O_DIRECTORY | O_NONBLOCK);
    if (!fd) return count_unreadable(path, errno);
    list(std::move(fd), path + "/", job.folder->rules, worker);
  }

  void count_unreadable(const std::string& path, int error_number) {
    // Gone, or not a folder any more: somebody else is at work there, and nothing was kept from us.
    if (error_number == ENOENT || error_number == ENOTDIR || error_number == ELOOP) return;
    const std::lock_guard lock(mutex_);
    if (report_.unreadable++ == 0) report_.first_unreadable = root_prefix_ + path;
  }

  // ---- folders

  void list(UniqueFd fd, std::string path, FolderIgnores::Ptr rules, Worker& worker) {
    FolderListing& listing = worker.listing;
    if (!listing.read(fd.get())) return count_unreadable(path, errno);
    const std::string absolute = root_prefix_ + path;
    if (rules) {
      const auto present = listing.is_complete() ? rules_among(listing) : FolderIgnores::look_for(fd.get());
      const std::string_view folder =
          std::string_view(absolute).substr(0, std::max<std::size_t>(1, absolute.size() - 1));
      rules = FolderIgnores::inside(std::move(rules), fd.get(), folder, present);
    }
    const auto folder = std::make_shared<Folder>(Folder{.path = std::move(path), .rules = std::move(rules)});
    folder->fd = std::move(fd);
    FolderPtr for_subfolders = folder;
    if (open_folders_ < kOpenFoldersMax) {
      folder->counted = std::make_unique<OpenCount>(open_folders_);
    } else {
      for_subfolders = std::make_shared<Folder>(Folder{.path = folder->path, .rules = folder->rules});
    }
    while (true) {
      take_entries(folder, for_subfolders, absolute, worker);
      if (listing.is_complete() || stopped()) return;
      if (!listing.read(folder->fd.get())) return count_unreadable(folder->path, errno);
    }
  }

  static IgnoreFilesPresent rules_among(const FolderListing& listing) {
    IgnoreFilesPresent present;
    for (const FolderListing::Entry& entry : listing.entries()) {
      if (entry.name[0] != '.') continue;
      const std::string_view name = entry.name;
      if (name == ".gitignore") present.gitignore = true;
      if (name == ".ignore") present.ignore = true;
      if (name == ".rgignore") present.rgignore = true;
      if (name == ".git") present.git = true;
    }
    return present;
  }

  void take_entries(const FolderPtr& folder, const FolderPtr& for_subfolders, const std::string& absolute,
                    Worker& worker) {
    FileNames files;
    for (const FolderListing::Entry& entry : worker.listing.entries()) {
      const bool is_folder = entry.kind == FolderListing::Kind::folder;
      const bool is_link = entry.kind == FolderListing::Kind::link;
      if (!is_folder && entry.kind != FolderListing::Kind::file && !(is_link && options_.links_too)) continue;
      worker.path.assign(absolute).append(entry.name);
      if (!is_wanted(*folder, worker.path, entry.name, is_folder)) continue;
      if (is_folder) {
        push({.folder = for_subfolders, .subfolder = entry.name, .files = {}});
        continue;
      }
      files.add(entry.name, is_link);
      if (files.count() < kFilesPerJob) continue;
      if (stopped()) return;
      share_or_visit(folder, std::exchange(files, {}), worker);
    }
    visit_files(*folder, files, worker);
  }

  void share_or_visit(const FolderPtr& folder, FileNames files, Worker& worker) {
    if (options_.workers_max > 1 && waiting_ < kJobsWaitingMax) {
      push({.folder = folder, .subfolder = {}, .files = std::move(files)});
    } else {
      visit_files(*folder, files, worker);
    }
  }

  bool is_wanted(const Folder& folder, std::string_view path, std::string_view name, bool is_folder) {
    if (name == ".git" && !options_.enter_git) return false;
    if (is_folder && is_kernels_own(path)) return false;
    const WalkWish wish = visitor_.wish(path.substr(root_prefix_.size()), is_folder);
    if (wish != WalkWish::by_rules) return wish == WalkWish::take;
    return !folder.rules || !folder.rules->ignores(path, is_folder);
  }

  void visit_files(const Folder& folder, const FileNames& files, Worker& worker) {
    files.each([&](const char* name, bool is_link) {
      if (stopped()) return false;
      visitor_.visit({.folder = folder.fd.get(), .folder_path = folder.path, .name = name, .is_link = is_link},
                     worker.number);
      return true;
    });
  }

  const WalkOptions& options_;
  WalkVisitor& visitor_;
  const std::string root_prefix_;  // with a slash at its end
  std::atomic<std::size_t> open_folders_ = 0;
  std::atomic<bool> failed_ = false;
  std::atomic<std::size_t> waiting_ = 0;  // how many jobs_ there are

  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<Job> jobs_;       // under mutex_, as everything below
  std::size_t unfinished_ = 0;  // jobs that wait or are under way
  WalkReport report_;
  std::exception_ptr failure_;
  std::size_t workers_max_;
  std::vector<std::jthread> helpers_;
};

}  // namespace

Result<WalkReport> walk(const WalkOptions& options, WalkVisitor& visitor) { return Walk(options, visitor).run(); }

std::size_t walk_workers() { return std::clamp<std::size_t>(std::thread::hardware_concurrency(), 1, kWalkWorkersMax); }

}  // namespace deft
