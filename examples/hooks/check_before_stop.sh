#!/bin/sh
# Stop: the turn does not end while the project's own check fails. Only once: a second time would be for ever.
active=$(python3 -c 'import json,sys; print(json.load(sys.stdin).get("stop_hook_active", False))')
[ "$active" = True ] && exit 0
[ -x "$CLAUDE_PROJECT_DIR/check" ] || exit 0
output=$("$CLAUDE_PROJECT_DIR/check" 2>&1) && exit 0
printf 'The check fails, please repair it:\n%s\n' "$output" >&2
exit 2
