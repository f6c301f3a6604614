#include "deft/ui/trust_command.h"

#include <algorithm>
#include <cstdio>
#include <string>
#include <string_view>

#include "deft/config/trust.h"
#include "deft/os/change_file.h"
#include "deft/ui/safe_display.h"

namespace deft {
namespace {

constexpr const char* kHelp = R"(Trusts a folder: what its own settings allow counts from then on.

Usage: deft trust [DIR]            this folder, or DIR
       deft trust --remove [DIR]   not any more
       deft trust --check [DIR]    exit code 0 if it is trusted, 1 if not
       deft trust --list

Only this very folder is trusted, not what is below it; another folder in its place is not. Deny and ask rules of a
folder count whether it is trusted or not.

Examples:
  deft trust
  deft trust --check ~/project && deft -p "Run the tests" --permission-mode acceptEdits

Exit code: 0, 1 for --check of a folder that is not trusted, 2 unusable arguments.
)";

int complain(const Error& error) {
  std::fprintf(stderr, "deft trust: %s\n", safe_display(error.message).c_str());
  return 2;
}

}  // namespace

int run_trust(int argc, const char* const* argv) {
  const std::string_view option = argc > 1 ? argv[1] : "";
  const auto asks_for_help = [](std::string_view word) { return word == "--help" || word == "-h"; };
  if (std::any_of(argv + std::min(argc, 1), argv + argc, asks_for_help)) return std::fputs(kHelp, stdout), 0;
  const TrustStore store(TrustStore::default_file(), change_file);
  if (option == "--list") {
    const auto folders = store.list();
    if (!folders) return complain(folders.error());
    for (const TrustedFolder& folder : *folders) std::printf("%s\n", safe_display(folder.path).c_str());
    return 0;
  }
  const bool has_option = option.starts_with('-');
  if (has_option && option != "--remove" && option != "--check") {
    return complain({Errc::invalid_input, "unknown option " + std::string(option) + "; see deft trust --help"});
  }
  const int place = has_option ? 2 : 1;
  if (argc > place + 1) return complain({Errc::invalid_input, "one folder at a time; see deft trust --help"});
  const std::string folder = argc > place ? argv[place] : ".";
  if (option == "--check") return store.is_trusted(folder) ? 0 : 1;
  const auto done = option == "--remove" ? store.remove(folder) : store.add(folder);
  return done ? 0 : complain(done.error());
}

}  // namespace deft
