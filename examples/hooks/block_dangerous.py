#!/usr/bin/env python3
"""PreToolUse, Bash: stops commands that are hard to take back. Exit code 2 denies; the model reads what stands on
standard error."""
import json
import re
import sys

RULES = [
    (r"\brm\s+(-\w*\s+)*-\w*[rf]\w*\s+(-\w+\s+)*(/|~|\$HOME)(\s|$)", "it would remove a whole tree of the system"),
    (r"\bgit\s+push\b.*\s(--force|-f)\b", "use git push --force-with-lease, and ask first"),
    (r"\b(curl|wget)\b[^|]*\|\s*(sudo\s+)?(ba|z|da)?sh\b", "download it, read it, then run it"),
    (r"\bgit\s+reset\s+--hard\b", "it would throw away uncommitted work: git stash first"),
    (r"\bchmod\s+(-R\s+)?777\b", "777 lets everybody write: give the rights that are needed"),
]

event = json.load(sys.stdin)
command = event.get("tool_input", {}).get("command", "")
found = [why for pattern, why in RULES if re.search(pattern, command)]
if found:
    print("\n".join(found), file=sys.stderr)
    sys.exit(2)
