#include "deft/ui/settings_markdown.h"

#include <string_view>

#include "deft/config/known_settings.h"

namespace deft {
namespace {

constexpr std::string_view kPreface = R"page(# Settings

Every key of the settings files, and every environment variable that deft reads. Where the files are, which of them wins and
what of a project's own counts is in [permissions.md](permissions.md#files-and-who-wins); `deft config` shows what is in force
in a folder, and where it comes from. A known key with a value that it may not have is an error that names it. Keys that
are not known are left alone, because other tools share these files; one that is nearly a known one is named at the start.

```json
{
  "model": "sonnet",
  "permissions": { "allow": ["Bash(make *)"], "deny": ["Read(.env)"] },
  "prices": { "claude-sonnet-*": { "input": 3, "output": 15 } }
}
```

What something is if nothing is said stands first in its list. `deft config --markdown > docs/settings.md` made this page.
)page";

constexpr std::string_view kVariables = R"page(
## Environment variables

Those that choose and set up the model are in [models.md](models.md); of two names the first goes before the second.

| variable | |
|---|---|
| `HOME`, `XDG_CONFIG_HOME`, `XDG_STATE_HOME` | where settings (`~/.config/deft`) and sessions (`~/.local/state/deft`) are; absolute paths |
| `CLAUDE_CONFIG_DIR` | instead of `~/.claude` |
| `TMPDIR` | instead of `/tmp` |
| `NO_COLOR` | no colours, also on a terminal |
| `DEFT_MAX_TOOL_CONCURRENCY`, `CLAUDE_CODE_MAX_TOOL_USE_CONCURRENCY` | how many calls of a session work at once (10) |
| `BASH_DEFAULT_TIMEOUT_MS`, `BASH_MAX_TIMEOUT_MS` | how long a command may take unless the model says it (120000), and if it does (600000) |
| `BASH_MAX_OUTPUT_LENGTH` | as `bashOutputMaxChars` |
| `ENABLE_TOOL_SEARCH` | when tools are listed by name only: [tool-search.md](tool-search.md) |
| `DEFT_SUBAGENT_MODEL`, `CLAUDE_CODE_SUBAGENT_MODEL` | the model of all subagents; if both are set, the first |
| `ANTHROPIC_DEFAULT_SONNET_MODEL`, `ANTHROPIC_DEFAULT_OPUS_MODEL`, `ANTHROPIC_DEFAULT_HAIKU_MODEL` | what `sonnet`, `opus` and `haiku` stand for |
| `OPENAI_ORGANIZATION`, `OPENAI_PROJECT` | sent with every request to OpenAI's API |
| `DEFT_MAX_THINKING_TOKENS`, `MAX_THINKING_TOKENS` | how long the model may think; 0: not at all |
| `DEFT_API_KEY_HELPER_TTL_MS`, `CLAUDE_CODE_API_KEY_HELPER_TTL_MS` | how long what `apiKeyHelper` printed is used |
| `DEFT_SESSIONEND_HOOKS_TIMEOUT_MS`, `CLAUDE_CODE_SESSIONEND_HOOKS_TIMEOUT_MS` | how long hooks of SessionEnd may take together |
| `DEFT_PRINT_BG_WAIT_CEILING_MS`, `CLAUDE_CODE_PRINT_BG_WAIT_CEILING_MS` | how long `deft -p` waits at its end for subagents in the background (10 minutes) |
| `CLAUDE_CODE_MCP_ALLOWLIST_ENV=1` | MCP servers get a few harmless variables only |
| `DEFT_MCP_TOKEN` | the token of `deft mcp serve --http`: [mcp-server.md](mcp-server.md) |
| `DEFT_ALLOW_ROOT_BYPASS=1`, `IS_SANDBOX=1` | root may skip permissions, where the whole machine may be lost |
| `BRAVE_API_KEY` | of its search: [web.md](web.md) |
)page";

std::string cell(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '|') out += '\\';
    out += c;
  }
  return out;
}

}  // namespace

std::string settings_markdown() {
  std::string page(kPreface);
  std::string_view section;
  for (const KnownSetting& setting : known_settings()) {
    if (setting.section != section) {
      section = setting.section;
      page += "\n## " + std::string(section) + "\n\n| key | values | |\n|---|---|---|\n";
    }
    page += "| `" + std::string(setting.key) + "` | " + cell(setting.values) + " | " + cell(setting.meaning) + " |\n";
  }
  return page += kVariables;
}

}  // namespace deft
