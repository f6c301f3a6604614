#!/bin/sh
# PostToolUse: one line for each call, as it came, in the project's own log.
mkdir -p "$CLAUDE_PROJECT_DIR/.claude/logs" && cat >> "$CLAUDE_PROJECT_DIR/.claude/logs/calls.jsonl"
