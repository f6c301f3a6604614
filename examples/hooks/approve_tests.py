#!/usr/bin/env python3
"""PermissionRequest, Bash: answers in your place for commands that only run the tests; everything else is asked for."""
import json
import sys

HARMLESS = {"make test", "npm test", "cargo test", "pytest", "ctest"}

event = json.load(sys.stdin)
if event.get("tool_input", {}).get("command", "").strip() in HARMLESS:
    print(json.dumps({
        "hookSpecificOutput": {
            "hookEventName": "PermissionRequest",
            "decision": {"behavior": "allow"},
        }
    }))
