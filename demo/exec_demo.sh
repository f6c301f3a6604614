#!/usr/bin/env bash
# Shows the main job: a message with several tool calls arrives piece by piece, as a model writes it, and deft runs
# each call as soon as that is safe. Left arrows are what deft answers; the times are seconds since the start.
# Usage: exec_demo.sh PROGRAM
set -euo pipefail

(($# == 1)) || { printf 'usage: %s PROGRAM\n' "$0" >&2 && exit 2; }
program=$(realpath "$1")

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
trap 'exit 130' INT

cat >"$folder/recipe.txt" <<'END'
Pancakes
2 eggs
250 ml milk
200 g flour
END

# ---- the message -------------------------------------------------------------------------------------------------

# call ID TOOL INPUT WHY: one tool_use block, as it comes out of a model's stream.
call() {
  local id=$1 tool=$2 input=$3 why=$4
  say '→' "$id" "$why"
  printf '{"type":"tool_use","id":"%s","name":"%s","input":%s}\n' "$id" "$tool" "$input"
  sleep 0.15  # the model writes on
}

message() {
  call read-1 Read '{"file_path":"recipe.txt"}' 'read the file'
  call sleep-2 Sleep '{"seconds":0.6}' 'wait 0.6 s …'
  call sleep-3 Sleep '{"seconds":0.6}' '… and at the same time another 0.6 s'
  call edit-4 Edit '{"file_path":"recipe.txt","old_string":"2 eggs","new_string":"3 eggs"}' 'change the file: nothing in its way, so at once'
  call read-5 Read '{"file_path":"recipe.txt"}' 'read it again: waits for the edit'
  call bash-6 Bash '{"command":"wc -l recipe.txt"}' 'a command that only reads'
  call bash-7 Bash '{"command":"chmod 777 recipe.txt"}' 'a command that needs permission, and nobody to ask'
  call fly-8 Fly '{}' 'a tool that does not exist'
  printf '{"type":"end"}\n'
}

# ---- what is shown -----------------------------------------------------------------------------------------------

export LC_ALL=C.UTF-8
started=${EPOCHREALTIME/./}

say() {
  local ms=$(((${EPOCHREALTIME/./} - started) / 1000))
  printf '%2d.%02d  %s %-8s %s\n' $((ms / 1000)) $((ms % 1000 / 10)) "$1" "$2" "$3" >&3
}

# The text after "KEY": in a line of JSON that deft wrote; a string is unquoted, anything else is taken up to a comma.
field() {
  local key=$1 line=$2
  local text="\"$key\":\"(([^\"\\\\]|\\\\.)*)\"" other="\"$key\":([^,}\"]+)"
  if [[ $line =~ $text ]]; then
    printf '%b' "${BASH_REMATCH[1]//\\\"/\"}"
  elif [[ $line =~ $other ]]; then
    printf '%s' "${BASH_REMATCH[1]}"
  fi
}

show_result() {
  local line=$1 mark='←' content
  content=$(field content "$line")
  if [[ -z $content ]]; then content=$(field text "$line"); fi
  if [[ $(field is_error "$line") == true ]]; then mark='✗'; fi
  say "$mark" "$(field tool_use_id "$line")" "${content//$'\n'/$'\n'                  }"
}

show() {
  local line
  while IFS= read -r line; do
    case $(field type "$line") in
      tool_result) show_result "$line" ;;
      progress) ;;  # output of a command while it runs; these are too quick to have any worth seeing
      done) say '■' 'done' "$(field calls "$line") calls, $(field errors "$line") errors" ;;
      *) say '·' '' "$line" ;;
    esac
  done
}

printf 'A model streams one message with eight calls. → arrived, ← result, ✗ error result; results keep the order of the calls.\n\n'
exec 3>&1
message | "$program" exec --cwd "$folder" --permission-mode acceptEdits | show
printf '\nThe file now:\n'
sed 's/^/  /' "$folder/recipe.txt"
printf '\nTry it yourself:\n  %s\n' \
  "echo '{\"type\":\"tool_use\",\"id\":\"1\",\"name\":\"Read\",\"input\":{\"file_path\":\"README.md\"}}' | $1 exec"
