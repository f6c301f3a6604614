#!/bin/sh
# UserPromptSubmit (or SessionStart): what is printed is context for the model.
cd "$CLAUDE_PROJECT_DIR" || exit 0
echo "Today is $(date +%A)."
branch=$(git branch --show-current 2> /dev/null) && [ -n "$branch" ] && echo "The git branch is $branch."
[ -f TODO.md ] && { echo "Open points:"; head -n 20 TODO.md; }
exit 0
