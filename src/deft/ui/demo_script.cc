#include "deft/ui/demo_script.h"

namespace deft {

const std::vector<DemoFile>& demo_files() {
  static const std::vector<DemoFile> files = {
      {"README.md", "# till\n\nAdds up what a customer has in the basket.\n"},
      {"till.sh",
       "#!/bin/sh\n"
       "# total PRICE...: the sum of all prices, in cents\n"
       "total() {\n"
       "  sum=0\n"
       "  for price in \"$@\"; do\n"
       "    sum=$((sum - price))\n"
       "  done\n"
       "  echo \"$sum\"\n"
       "}\n"},
      {"test.sh",
       "#!/bin/sh\n"
       "# Runs every test, and says how many have passed.\n"
       ". ./till.sh\n"
       "check() {\n"
       "  sleep 0.1\n"
       "  if [ \"$2\" = \"$3\" ]; then echo \"ok    $1\"; else echo \"FAIL  $1: $2, not $3\"; exit 1; fi\n"
       "}\n"
       "check 'an empty basket' \"$(total)\" 0\n"
       "check 'one thing' \"$(total 250)\" 250\n"
       "check 'three things' \"$(total 100 250 50)\" 400\n"
       "echo '3 tests have passed'\n"},
      {"prices/fruit.txt", "apple 50\npear 60\nplum 35\n"},
      {"prices/bread.txt", "rye 320\nwheat 280\n"},
  };
  return files;
}

std::string_view demo_prompt() { return "The tests of the till fail. Find out why, repair it, and run them."; }

std::string_view demo_script() {
  return R"script(
{"pace_ms": 25, "answer": [{"text": "I read the code and its tests at once, and look where it is used. "}, {"call": "Read", "input": {"file_path": "till.sh"}}, {"call": "Read", "input": {"file_path": "test.sh"}}, {"call": "Grep", "input": {"pattern": "total", "output_mode": "content"}}, {"call": "Bash", "input": {"command": "sleep 0.3; wc -l prices/*.txt", "description": "Count the prices"}}, {"text": "They run while I am still speaking."}], "usage": {"input_tokens": 812, "output_tokens": 120}}
{"pace_ms": 25, "answer": [{"text": "The sum goes down instead of up. I change that one line, and then run the tests, which waits for the change. "}, {"call": "Edit", "input": {"file_path": "till.sh", "old_string": "sum - price", "new_string": "sum + price"}}, {"call": "Bash", "input": {"command": "sh test.sh", "description": "Run the tests"}}, {"call": "Read", "input": {"file_path": "till.sh"}}], "usage": {"input_tokens": 1490, "output_tokens": 160}}
{"pace_ms": 25, "answer": [{"text": "All tests pass. Now a list that is far too long for a conversation: "}, {"call": "Bash", "input": {"command": "seq -f 'receipt number %.0f' 1 20000", "description": "List the receipts"}}], "usage": {"input_tokens": 1960, "output_tokens": 70}}
{"pace_ms": 25, "answer": "Done: the till adds again, and its three tests pass. The long list was stored beside the conversation; I was shown its beginning and its end.", "usage": {"input_tokens": 2540, "output_tokens": 45}}
)script";
}

}  // namespace deft
