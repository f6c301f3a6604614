#!/bin/sh
# Notification: a message on the desktop, or a bell.
message=$(python3 -c 'import json,sys; print(json.load(sys.stdin)["message"])')
command -v notify-send > /dev/null && exec notify-send "deft" "$message"
printf '{"systemMessage":"%s"}\n' "$(printf %s "$message" | tr -d '"\\')"
