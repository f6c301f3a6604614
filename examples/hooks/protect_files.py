#!/usr/bin/env python3
"""PreToolUse, Edit and Write: some files are changed by people only. Decides with JSON instead of an exit code."""
import fnmatch
import json
import os
import sys

PROTECTED = [".env", ".env.*", "*.pem", "package-lock.json", "poetry.lock", "Cargo.lock"]

event = json.load(sys.stdin)
tool_input = event.get("tool_input", {})
path = tool_input.get("file_path") or tool_input.get("notebook_path") or ""
name = os.path.basename(path)
if any(fnmatch.fnmatch(name, pattern) for pattern in PROTECTED):
    print(json.dumps({
        "hookSpecificOutput": {
            "hookEventName": "PreToolUse",
            "permissionDecision": "deny",
            "permissionDecisionReason": f"{name} is changed by people only",
        }
    }))
