#!/bin/sh
# PostToolUse, Edit and Write: formats the file that was changed, if a formatter for it is there, and tells the model.
file=$(python3 -c 'import json,sys; print(json.load(sys.stdin)["tool_input"].get("file_path",""))') || exit 0
[ -f "$file" ] || exit 0
before=$(cksum < "$file")

case $file in
  *.c | *.cc | *.cpp | *.h | *.hpp) command -v clang-format > /dev/null && clang-format -i "$file" ;;
  *.go) command -v gofmt > /dev/null && gofmt -w "$file" ;;
  *.rs) command -v rustfmt > /dev/null && rustfmt --quiet "$file" ;;
  *.py) command -v black > /dev/null && black --quiet "$file" ;;
  *.js | *.ts | *.tsx | *.css) command -v prettier > /dev/null && prettier --log-level warn --write "$file" ;;
  *.json) formatted=$(python3 -m json.tool "$file") && printf '%s\n' "$formatted" > "$file" ;;
esac || { echo "$file could not be formatted: is it complete?" >&2; exit 2; }

[ "$before" = "$(cksum < "$file")" ] && exit 0
printf '{"hookSpecificOutput":{"hookEventName":"PostToolUse","additionalContext":"The file was formatted after your change: read it again before you edit it."}}\n'
