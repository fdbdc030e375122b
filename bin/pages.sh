#!/bin/sh
# pages.sh DROMOS: writes the manual pages of `dromos` and of its commands, and the
# completion for bash, from the command's own help.
set -eu
dromos=$(realpath "$1")
# Errors of the command while it prints its pages go to standard error at the end.
said=$(mktemp)
trap 'rm -f "$said"' EXIT
exec 3>&2 2>"$said"

words() { # the options that a command names
  "$dromos" "$@" --help=plain | grep -oE '^ +(-[a-zA-Z]([= ][^ ,]+)?, )?--[a-z][a-z0-9-]*' |
    grep -oE -- '--[a-z0-9-]+' | tr '\n' ' '
}
commands() { # the commands below one
  "$dromos" "$@" --help=plain | awk '
    /^[A-Z]/ { inside = $0 == "COMMANDS" }
    inside && /^       [a-z]/ { print $1 }'
}
values() { # GROUP COMMAND: "--option value .." for each option of named values
  "$dromos" "$@" --help=plain | grep -oE '^ +--[a-z]+=(NAME|TARGET|MACHINE)' |
    grep -oE -- '--[a-z]+' | while read -r option; do
    # Versions of cmdliner differ in colours, and in the place of the usage.
    "$dromos" "$@" "$option=?" /dev/null 2>&1 | tr '\n' ' ' | tr -d '\033' |
      sed -nE 's/\[[0-9;]*m//g
        /expected (one of|either) / { s/.*expected (one of|either) //; s/ +Usage:.*//; p; }' |
      awk -v option="$option" -v quote="'" '{ gsub("[,"quote"]| or ", " "); $1 = $1; print option, $0 }'
  done
}
page() {
  name=dromos$(printf -- '-%s' "$@")
  [ $# -gt 0 ] || name=dromos
  "$dromos" "$@" --help=groff >"$name.1"
}

{
  echo '# Completes the words of the command dromos in bash; made by bin/pages.sh.'
  echo '_dromos() {'
  echo '  local word=${COMP_WORDS[COMP_CWORD]} words= files='
  echo '  case "${COMP_WORDS[*]:1:COMP_CWORD-1} " in'
  page
  for group in $(commands); do
    page "$group"
    for command in $(commands "$group"); do
      page "$group" "$command"
      values "$group" "$command" | while read -r option some; do
        echo "    '$group $command '*'$option '|'$group $command '*'$option = ') words='$some' word=\${word#=} ;;"
      done
      echo "    '$group $command '*) words='$(words "$group" "$command")' files=1 ;;"
    done
    echo "    '$group '*) words='$(commands "$group" | tr '\n' ' ')--help' ;;"
  done
  echo "    *) words='$(commands | tr '\n' ' ')--help --version' ;;"
  echo '  esac'
  echo '  mapfile -t COMPREPLY < <(compgen -W "$words" -- "$word")'
  echo '  [ -z "$files" ] || mapfile -t -O "${#COMPREPLY[@]}" COMPREPLY < <(compgen -f -- "$word")'
  echo '}'
  echo 'complete -o filenames -F _dromos dromos'
} >dromos.bash
{
  echo '#compdef dromos'
  echo '# The completion of bash, through zsh.'
  echo 'autoload -U +X bashcompinit && bashcompinit'
  sed 1d dromos.bash
} >_dromos

exec 2>&3
if [ -s "$said" ]; then
  cat "$said" >&2
  exit 1
fi
