#include <algorithm>

#include "deft/shell/known/command.h"
#include "deft/shell/parser.h"

// Commands that ask the system about itself: processes, memory, devices, users, time.

namespace deft::shell {
namespace {

// An operand without "+" would set the clock.
Problem check_date(const Invocation& invocation, const Situation&) {
  for (const Argument* operand : invocation.operands) {
    if (!operand->text.starts_with('+') || !operand->is_one_word())
      return "date " + quoted(operand->source) + " may set the clock";
  }
  return std::nullopt;
}

Problem check_top(const Invocation& invocation, const Situation&) {
  if (!invocation.has("-b")) return "top without -b is interactive";
  return std::nullopt;
}

Problem check_numeric(const Invocation& invocation, const Situation&) {
  if (!invocation.has("-n") && !invocation.has("--numeric"))
    return std::string(invocation.name) + " without -n asks name servers";
  return std::nullopt;
}

// Without -n names are looked up in the network; -t prints process numbers only.
Problem check_lsof(const Invocation& invocation, const Situation& situation) {
  return invocation.has("-t") ? std::nullopt : check_numeric(invocation, situation);
}

Problem check_one_interface(const Invocation& invocation, const Situation&) {
  const bool is_name = invocation.operands.size() < 2 &&
                       std::ranges::all_of(invocation.operands, [](const Argument* word) { return word->is_exact(); });
  if (!is_name) return "ifconfig with more than a name may configure";
  return std::nullopt;
}

Problem check_sysctl(const Invocation& invocation, const Situation&) {
  for (const Argument* operand : invocation.operands) {
    if (!operand->is_exact() || operand->text.find('=') != std::string::npos)
      return "sysctl may set " + quoted(operand->source);
  }
  return std::nullopt;
}

// To know these of a device its cache is written.
Problem check_findmnt(const Invocation& invocation, const Situation&) {
  const auto asks_device = [](std::string_view text) {
    return text.find("UUID") != std::string_view::npos || text.find("LABEL") != std::string_view::npos;
  };
  for (const GivenOption& option : invocation.options) {
    if (!option.value_exact || asks_device(option.value_text))
      return "findmnt " + option.name + " may look into devices";
  }
  for (const Argument* operand : invocation.operands) {
    if (!operand->is_exact() || asks_device(operand->text)) return "findmnt may look into devices";
  }
  return std::nullopt;
}

// A filter may name a host, which would be looked up.
Problem check_ss(const Invocation& invocation, const Situation&) {
  constexpr std::string_view kWords =
      "state exclude all connected synchronized bucket big established syn-sent syn-recv fin-wait-1 fin-wait-2 "
      "time-wait "
      "closed close-wait last-ack listening closing sport dport src dst eq ne ge le gt lt and or not";
  for (const Argument* operand : invocation.operands) {
    if (!operand->is_exact()) return unknown_word("ss", *operand);
    std::string_view rest = operand->text;
    while (!rest.empty()) {
      const std::string_view word = rest.substr(0, rest.find_first_of(" \t\n"));
      rest.remove_prefix(std::min(word.size() + 1, rest.size()));
      const bool is_numeric = word.find_first_not_of("0123456789.:/*[]()!=<>&|") == std::string_view::npos;
      if (!is_numeric && !is_among_words(word, kWords)) return "ss may look up " + quoted(word);
    }
  }
  return std::nullopt;
}

// Host names would be asked for in the network.
Problem check_getent(const Invocation& invocation, const Situation&) {
  constexpr std::string_view kLocal = "passwd group shadow gshadow services protocols rpc shells";
  if (invocation.operands.empty()) return std::nullopt;
  const Argument& database = *invocation.operands[0];
  if (!database.is_exact() || !is_among_words(database.text, kLocal)) return "getent may ask the network";
  return std::nullopt;
}

// Some capabilities run a program that the terminal's description names.
Problem check_tput(const Invocation& invocation, const Situation&) {
  constexpr std::string_view kPlainCapabilities =
      "cols lines colors bold dim rev smul rmul smso rmso sgr0 setaf setab setf setb el ed longname";
  for (const Argument* operand : invocation.operands) {
    const bool is_known =
        operand->is_exact() && (is_among_words(operand->text, kPlainCapabilities) || is_number(operand->text));
    if (!is_known) return "tput with " + quoted(operand->source);
  }
  return std::nullopt;
}

Problem check_stty(const Invocation& invocation, const Situation&) {
  for (const Argument* operand : invocation.operands) {
    if (!operand->is_exact() || !is_among_words(operand->text, "size speed")) return "stty may change the terminal";
  }
  return std::nullopt;
}

Problem judge_ip(Words words, const Situation&) {
  constexpr std::string_view kOptions =
      "-4 -6 -s -d -o -br -brief -c -color -j -json -p -pretty -details -oneline -stats";
  constexpr std::string_view kObjects = "a addr address l link r route n neigh neighbor rule maddr maddress";
  if (!are_exact(words)) return "ip with words that are not known";
  std::size_t i = 0;
  while (i < words.size() && is_among_words(words[i].text, kOptions)) ++i;
  if (i == words.size() || !is_among_words(words[i].text, kObjects)) return "ip with an unknown object";
  ++i;
  const bool shows = i == words.size() || is_among_words(words[i].text, "show list ls get");
  if (!shows) return "ip " + quoted(words[i].text) + " may configure";
  return std::nullopt;
}

Problem judge_openssl(Words words, const Situation&) {
  constexpr std::string_view kFlags =
      "-noout -text -subject -issuer -dates -enddate -startdate -fingerprint -sha1 -sha256 -sha512 -md5 -serial "
      "-pubkey "
      "-hash -email -purpose -modulus -hex -r -a -v -subject_hash -issuer_hash";
  constexpr std::string_view kWithValue = "-in -inform -nameopt -ext -checkend";
  if (!are_exact(words)) return "openssl with words that are not known";
  if (words.empty() || !is_among_words(words[0].text, "version x509 req crl dgst"))
    return "openssl with an unknown command";
  for (std::size_t i = 1; i < words.size(); ++i) {
    const std::string& word = words[i].text;
    if (word.find("://") != std::string::npos) return "openssl may fetch " + quoted(word);
    if (is_among_words(word, kFlags)) continue;
    if (is_among_words(word, kWithValue) && i + 1 < words.size()) {
      ++i;
      if (words[i].text.find(':') != std::string::npos) return "openssl may fetch " + quoted(words[i].text);
      continue;
    }
    const bool is_file = words[0].text == "dgst" && !word.starts_with('-');
    if (!is_file) return "openssl " + quoted(word) + " is not known to be harmless";
  }
  return std::nullopt;
}

constexpr CommandRule kRules[] = {
    {"date", Operands::names, kPlain,
     "-Ru -d: -f: -r: -I? --date= --file= --iso-8601? --rfc-3339= --rfc-email --rfc-2822 --reference= --utc "
     "--universal "
     "--debug --resolution",
     check_date},
    {"cal ncal", Operands::names, kPlain,
     "-13bCeghJjMmNopswYy -A: -B: -d: -H: -n: --monday --sunday --year --three --one"},
    {"sleep", Operands::names, kHarmless, ""},
    {"uname arch", Operands::none, kHarmless,
     "-amnoprsvi --all --kernel-name --nodename --kernel-release --kernel-version --machine --processor "
     "--hardware-platform --operating-system"},
    {"nproc", Operands::none, kPlain, "--all --ignore="},
    // Not -f, -A, -d, -i, -y: they ask name servers; an operand sets the name.
    {"hostname", Operands::none, kPlain, "-Is --all-ip-addresses --short"},
    {"id", Operands::names, kHarmless, "-aGgnruzZ --context --group --groups --name --real --user --zero"},
    {"groups users whoami logname", Operands::names, kHarmless, ""},
    {"tty", Operands::none, kPlain, "-s --silent --quiet"},
    {"who", Operands::names, kPlain, "-abdHlmpqrsTtuw --all --boot --count --heading --login --users --mesg"},
    {"w", Operands::names, kPlain, "-hsfio --no-header --short --from --old-style --ip-addr"},
    {"last lastb", Operands::names, kPlain,
     "-aFiRwx -# -n: -f: -p: -s: -t: --fulltimes --fullnames --limit= --since= --until="},
    {"lastlog", Operands::none, kPlain, "-b: -t: -u: --before= --time= --user="},
    {"uptime", Operands::none, kPlain, "-ps --pretty --since"},
    {"free", Operands::none, kPlain,
     "-bghklmtwv -c: -s: --bytes --kilo --mega --giga --tera --human --si --lohi --total --wide --seconds= --count= "
     "--kibi --mebi --gibi"},
    {"vmstat iostat mpstat", Operands::names, kHarmless,
     "-AacdDfhHikmnNPpsStTuVwxyz -S: -P: --active --forks --slabs --one-header --stats --disk --wide --timestamp "
     "--unit="},
    {"lscpu", Operands::none, kPlain,
     "-aBbcCexyJpV -e? -p? -C? --all --online --offline --json --extended? --parse? --caches? --bytes --hex "
     "--output-all"},
    {"lsblk", Operands::names, kPlain,
     "-AaDdbfilmnNOpPrSstTvVzJ -e: -I: -M -o: -w: -x: --all --bytes --discard --exclude= --fs --include= --ascii "
     "--json "
     "--list --merge --perms --noheadings --output= --output-all --pairs --raw --inverse --scsi --sort= --topology "
     "--tree? --paths --nodeps --width="},
    {"lsmod", Operands::none, kPlain, ""},
    // Not -q, which asks a name server.
    {"lspci", Operands::none, kPlain, "-bDkmnPtvx -d: -s:"},
    {"lsusb", Operands::none, kPlain, "-tv -d: -s: --verbose --tree"},
    {"lsns lslocks lsipc ipcs", Operands::names, kPlain,
     "-abclmnpqrstuW -o: -t: -i: --all --list --noheadings --output= --type= --json -J"},
    {"findmnt", Operands::names, kPlain,
     "-AabcDefhiJklmnPRrsuUvy -d: -F: -N: -o: -O: -S: -t: -T: --all --json --list --df --fstab --kernel --mtab "
     "--noheadings "
     "--output= --pairs --raw --real --pseudo --target= --source= --types= --options= --submounts --tree",
     check_findmnt},
    {"mount", Operands::none, kPlain, "-l -t: --show-labels"},
    {"swapon", Operands::none, kPlain, "-s --show? --summary --noheadings --bytes"},
    {"sysctl", Operands::names, kPlain,
     "-AabeNnqX --all --values --names --binary --ignore --quiet --pattern= -r:", check_sysctl},
    // Not -c, -C, -D, -E, -n, nor -H, which starts a pager.
    {"dmesg", Operands::none, kPlain,
     "-dehJkLPprStTuVwWx -f: -F: -l: -s: --color? --ctime --decode --facility= --file= --follow --json "
     "--kernel "
     "--level= --nopager --notime --raw --reltime --show-delta --since= --until= --syslog --time-format= --userspace"},
    {"journalctl", Operands::names, kPlain,
     "-aefklmNqrxVv -b? -n? -F: -g: -o: -p: -S: -t: -u: -U: --all --boot? --catalog --disk-usage --dmesg --facility= "
     "--field= --fields --follow --full --grep= --identifier= --lines? --list-boots --merge --no-full --no-hostname "
     "--no-pager --no-tail --output= --output-fields= --pager-end --priority= --quiet --reverse --since= --system "
     "--unit= "
     "--until= --user --user-unit= --utc"},
    {"getent", Operands::names, kPlain, "", check_getent},
    {"ps", Operands::names, kPlain, "", nullptr, harmless},
    {"pgrep", Operands::names, kHarmless,
     "-aAcfilLnovwx -d: -F: -g: -G: -P: -r: -s: -t: -u: -U: --count --delimiter= --full --pgroup= --group= "
     "--ignore-case "
     "--list-name --list-full --newest --oldest --parent= --session= --terminal= --euid= --uid= --inverse "
     "--lightweight "
     "--exact --pidfile= --logpidfile --runstates= --older="},
    {"pidof", Operands::names, kPlain, "-cqsxz -o: --single-shot"},
    {"pstree", Operands::names, kPlain,
     "-aAcghlnpsStTuUZ -H? -N: --arguments --ascii --compact-not --long --numeric-sort --show-pids --uid-changes "
     "--show-parents --unicode --thread-names --hide-threads"},
    {"pwdx", Operands::names, kPlain, ""},
    // Not -n, -N: they write its configuration.
    {"pmap", Operands::names, kPlain, "-dpqxX --extended --device --quiet --show-path"},
    {"top", Operands::none, kPlain, "-1bcHiSs -d: -E: -e: -n: -o: -O -p: -u: -U: -w?", check_top},
    {"lsof", Operands::names, kPlain, "-abhlnNOoPRtUVwX -c: -d: -F? -g? -i? -L? -p: -s? -S? -T? -u:", check_lsof},
    {"fuser", Operands::names, kPlain, "-4acImMsuv6 -n: --all --mount --user --verbose --silent --namespace="},
    // Not -K, -D, -N, -r.
    {"ss", Operands::names, kPlain,
     "-046aBbdeHilmnoOpSstTuwxZz -f: -A: --all --listening --numeric --processes --tcp --udp --unix --raw --summary "
     "--extended --options --memory --info --no-header --oneline --ipv4 --ipv6 --family= --query=",
     check_ss},
    {"netstat", Operands::none, kPlain,
     "-46aceFgilMnNoprsStuUvwWx -A: --all --listening --numeric --programs --tcp --udp --unix --route --interfaces "
     "--statistics --extend --wide --continuous",
     check_numeric},
    {"route arp", Operands::none, kPlain, "-aenv", check_numeric},
    {"ifconfig", Operands::names, kPlain, "-asv", check_one_interface},
    {"ip", Operands::names, kPlain, "", nullptr, judge_ip},
    {"printenv", Operands::names, kHarmless, "-0 --null"},
    {"locale", Operands::names, kHarmless, "-ackmv --all-locales --charmaps --category-name --keyword-name --verbose"},
    // Not -v, which starts another getconf.
    {"getconf", Operands::names, kPlain, "-a"},
    {"tput", Operands::names, kPlain, "", check_tput},
    {"stty", Operands::names, kPlain, "-a --all", check_stty},
    {"openssl", Operands::names, kPlain, "", nullptr, judge_openssl},
    {"nvidia-smi", Operands::none, kNoClusters,
     "-Lq -i: --list-gpus --query --query-gpu= --query-compute-apps= --format= --id="},
    {"ldconfig", Operands::none, kNeedsOption, "-p --print-cache"},
    {"lsb_release", Operands::none, kPlain, "-acdirsv --all --codename --description --id --release --short"},
    {"crontab", Operands::none, kNeedsOption, "-l"},
    {"atq", Operands::none, kPlain, ""},
    {"fdisk", Operands::none, kNeedsOption, "-l --list"},
    {"sensors", Operands::names, kPlain, "-AfjuJ"},
};

}  // namespace

std::span<const CommandRule> system_commands() { return kRules; }

}  // namespace deft::shell
