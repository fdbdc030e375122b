#!/usr/bin/env bash
# Names the programs *.exe that run in a folder or below it, one line each, with their
# age, the processor time that they used, and their folder. Reads /proc where the system
# has it, since small systems have no ps; elsewhere asks ps.
#
#   test/running.sh FOLDER
set -uo pipefail
folder=$(cd "${1:?usage: test/running.sh FOLDER}" && pwd -P) || exit 2

line() { echo "  $1, for $2 s ($3 s busy), in $4"; }

from_proc() {
  local ticks up process pid cwd text fields command
  ticks=$(getconf CLK_TCK 2>/dev/null || echo 100)
  read -r up _ </proc/uptime
  for process in /proc/[0-9]*; do
    pid=${process#/proc/}
    cwd=$(readlink "$process/cwd" 2>/dev/null) || continue
    [ "$cwd" = "$folder" ] || [[ $cwd == "$folder"/* ]] || continue
    command=$(tr '\0' ' ' <"$process/cmdline" 2>/dev/null)
    [[ ${command%% *} == *.exe ]] || continue
    text=$(cat "$process/stat" 2>/dev/null) || continue
    # The program's name, in brackets, may have spaces; the state (field 3) follows.
    read -ra fields <<<"${text##*) }"
    line "${command% } [$pid]" "$((${up%.*} - fields[19] / ticks))" \
      "$(((fields[11] + fields[12]) / ticks))" "$cwd"
  done
}

from_ps() {
  local pid seconds busy command
  ps -A -o pid=,etime=,time=,args= | while read -r pid seconds busy command; do
    [[ ${command%% *} != *.exe ]] || line "$command [$pid]" "$seconds" "$busy" '?'
  done
}

if [ -r /proc/uptime ]; then from_proc; else from_ps; fi
