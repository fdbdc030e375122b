#!/bin/sh
# cliff.sh: compares domains on one core (and on all cores), on stock OCaml and on the
# variant: medians of five interleaved runs, in seconds. Called by `make heap`.
set -eu
cd "$(dirname "$0")/../../_build/default/heap/bench"

median() { sort -n "$1" | sed -n 3p; }

table() {
  echo "$1"
  printf '  %-8s %10s %10s\n' domains stock variant
  for d in 1 2 4; do
    : >"$work/stock"; : >"$work/variant"
    for _ in 1 2 3 4 5; do
      for runtime in stock variant; do
        $2 "./$runtime/cliff.exe" "$d" >>"$work/$runtime"
      done
    done
    printf '  %-8s %10s %10s\n' "$d" "$(median "$work/stock")" "$(median "$work/variant")"
  done
}

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
table "one core" "taskset -c 0"
table "$(nproc) cores" ""
