#include "random_message.h"

#include <array>

namespace deft::testing {

namespace {

constexpr std::array<std::string_view, 24> kPaths = {
    "a.txt",    "a.txt",        "b.txt",      "b.txt",        "c.txt",        "d/c.txt",  "hard_b",      "d/e/f.txt",
    "link_a",   "link_d/c.txt", "hard_b",     "d/up/a.txt",   "d/up/d/c.txt", "dangling", "nowhere.txt", "loop",
    "new1.txt", "new2.txt",     "d/new3.txt", "n/m/new4.txt", "d/../a.txt",   "./b.txt",  "d",           "empty.txt"};
constexpr std::array<std::string_view, 6> kFolders = {"d", "d/e", "link_d", "n", "n/m", "d/up"};
constexpr std::array<std::string_view, 6> kWords = {"alpha", "beta", "gamma", "delta", "omega", "alpha beta"};
constexpr std::array<std::string_view, 4> kDelays = {"0", "0.001", "0.003", "0.01"};

class Generator {
 public:
  explicit Generator(std::uint64_t seed) : dice_(seed) {}

  std::vector<PropertyMessage> messages() {
    std::vector<PropertyMessage> all(1 + dice_.below(3));
    for (PropertyMessage& message : all) {
      // Edits need reads before them, so most messages open with some.
      for (std::size_t reads = dice_.below(4); reads > 0; --reads) add(message, "Read", read());
      for (std::size_t calls = 2 + dice_.below(9); calls > 0; --calls) add_any(message);
    }
    return all;
  }

 private:
  void add(PropertyMessage& message, std::string_view tool, JsonObject input) {
    message.push_back({.id = "c" + std::to_string(++calls_), .tool = std::string(tool), .input = std::move(input)});
  }

  void add_any(PropertyMessage& message) {
    const std::size_t kind = dice_.below(100);
    if (kind < 22) return add(message, "Read", read());
    if (kind < 50) return add(message, "Edit", edit());
    if (kind < 65) return add(message, "Write", {{"file_path", path()}, {"content", lines()}});
    if (kind < 80) return add(message, "Bash", {{"command", reading_command()}});
    if (kind < 95) return add(message, "Bash", {{"command", writing_command()}});
    if (kind < 97) return add(message, "Sleep", {{"seconds", 0.002}});
    if (kind < 98) return add(message, "Teleport", {});
    add(message, "Read", {{"file", "a.txt"}});  // does not fit the schema
  }

  JsonObject read() {
    JsonObject input{{"file_path", path()}};
    if (dice_.one_in(6)) input["offset"] = 1 + dice_.below(3);
    if (dice_.one_in(6)) input["limit"] = 1 + dice_.below(2);
    return input;
  }

  JsonObject edit() {
    JsonObject input{{"file_path", path()}, {"old_string", word()}, {"new_string", word()}};
    if (dice_.one_in(3)) input["replace_all"] = true;
    return input;
  }

  std::string plain_path() { return std::string(dice_.pick(kPaths)); }
  std::string folder() { return std::string(dice_.pick(kFolders)); }
  std::string word() { return std::string(dice_.pick(kWords)); }
  // Absolute or relative to the working directory, which commands move.
  std::string path() { return (dice_.one_in(2) ? std::string(kRoot) + "/" : "") + plain_path(); }

  std::string lines() {
    std::string text;
    for (std::size_t count = dice_.below(4); count > 0; --count) text += word() + "\n";
    return text;
  }

  std::string reading_command() {
    switch (dice_.below(9)) {
      case 0: return "ls";
      case 1: return "ls -a " + folder();
      case 2: return "ls -R " + std::string(kRoot);
      case 3: return "cat " + plain_path() + " " + plain_path();
      case 4: return "wc -l " + plain_path();
      case 5: return "pwd";
      case 6: return "sleep " + std::string(dice_.pick(kDelays));
      case 7: return "head " + plain_path();
      default: return "cat " + plain_path();
    }
  }

  std::string writing_command() {
    const std::string command = one_writing_command();
    if (!dice_.one_in(3)) return command;
    return "sleep " + std::string(dice_.pick(kDelays)) + "; " + command;
  }

  std::string one_writing_command() {
    switch (dice_.below(18)) {
      case 0: return "echo " + word() + " >> " + plain_path();
      case 1: return "echo '" + word() + "' > " + plain_path();
      case 2: return "mv " + plain_path() + " " + plain_path();
      case 3: return "cp " + plain_path() + " " + plain_path();
      case 4: return "rm -f " + plain_path();
      case 5: return "mkdir -p n/m; ls n";
      case 6: return "ln -sfn " + plain_path() + " link_a";
      case 7: return "ln -sfn " + folder() + " link_d";
      case 8: return "ln -f " + plain_path() + " hard_b";
      case 9: return "chmod 750 " + plain_path();
      case 10: return "cd " + folder();
      case 11: return "cd " + std::string(kRoot);
      case 12: return "sed -i s/alpha/omega/ " + plain_path();
      case 13: return "mv d moved && ln -s moved d";
      case 14: return "rm -rf d/e; mkdir d/e && echo gamma > d/e/f.txt";
      case 15: return "mv a.txt t && mv b.txt a.txt && mv t b.txt";
      case 16: return "echo what a pity >&2; exit " + std::to_string(1 + dice_.below(3));
      default: return "false";
    }
  }

  Dice dice_;
  std::size_t calls_ = 0;
};

}  // namespace

std::vector<PropertyMessage> random_messages(std::uint64_t seed) { return Generator(seed).messages(); }

}  // namespace deft::testing
